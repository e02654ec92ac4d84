// Chooses the option of this list that has the text or the value; gives its text, or the options.
function (wanted) {
  const plain = (text) => text.trim().replace(/\s+/g, ' ').toLowerCase();
  const off = (option) => option.disabled || !!option.closest('optgroup[disabled]');
  const options = [...this.options];
  const one = (from) => from.find((o) => plain(o.label) === plain(wanted)) || from.find((o) => o.value === wanted)
    || from.find((o) => plain(o.label).startsWith(plain(wanted)));
  const option = one(options.filter((o) => !off(o)));
  const label = (o) => o.label.trim() + (off(o) ? ' (disabled)' : '');
  if (!option) {
    const disabled = one(options.filter(off));
    return { disabled: disabled && disabled.label.trim(), options: options.slice(0, 50).map(label) };
  }
  option.selected = true;
  this.dispatchEvent(new Event('input', { bubbles: true, composed: true }));
  this.dispatchEvent(new Event('change', { bubbles: true }));
  return { chosen: option.label.trim() };
}
