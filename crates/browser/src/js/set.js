// Sets the value of a field that is not typed into letter by letter, such as a date.
function (wanted) {
  this.value = wanted;
  this.dispatchEvent(new Event('input', { bubbles: true, composed: true }));
  this.dispatchEvent(new Event('change', { bubbles: true }));
}
