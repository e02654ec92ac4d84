// What can be typed into this element.
function () {
  const kinds = ['button', 'submit', 'reset', 'image', 'checkbox', 'radio', 'hidden', 'range', 'color'];
  const tag = this.localName;
  let kind = 'none';
  if (tag === 'input') kind = this.type === 'file' ? 'file' : kinds.includes(this.type) ? 'none' : 'line';
  else if (tag === 'textarea') kind = 'text';
  else if (tag === 'select') kind = 'select';
  else if (this.isContentEditable || document.designMode === 'on') kind = 'rich';
  else if (this.getAttribute('role') === 'textbox') kind = 'rich';
  if ((kind === 'line' || kind === 'text') && (this.readOnly || this.disabled)) kind = 'fixed';
  const set = ['date', 'time', 'datetime-local', 'month', 'week'].includes(this.type);
  return { kind, what: tag + (this.type ? ` (${this.type})` : ''), several: !!this.multiple, set,
    value: this.type === 'password' ? '*'.repeat(this.value.length)
      : kind === 'rich' ? this.innerText : String(this.value ?? '') };
}
