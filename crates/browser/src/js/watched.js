// How many changes were counted; no more are.
function () {
  const count = this.count + this.observer.takeRecords().length;
  this.observer.disconnect();
  return count;
}
