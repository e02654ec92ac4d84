// Chooses the option of this list that has the text or the value; gives its text, or the options.
function (wanted) {
  const plain = (text) => text.trim().replace(/\s+/g, ' ').toLowerCase();
  const options = [...this.options];
  const fits = (test) => options.find((option) => !option.disabled && test(option));
  const option = fits((o) => plain(o.label) === plain(wanted)) || fits((o) => o.value === wanted)
    || fits((o) => plain(o.label).startsWith(plain(wanted)));
  if (!option) return { options: options.slice(0, 50).map((o) => o.label.trim()) };
  option.selected = true;
  this.dispatchEvent(new Event('input', { bubbles: true, composed: true }));
  this.dispatchEvent(new Event('change', { bubbles: true }));
  return { chosen: option.label.trim() };
}
