// Selects all that is in this field, so that what is typed replaces it.
function () {
  if (this.select) this.select();
  else { const range = document.createRange(); range.selectNodeContents(this);
    const selection = getSelection(); selection.removeAllRanges(); selection.addRange(range); }
}
