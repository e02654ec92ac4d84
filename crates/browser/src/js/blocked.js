// What the browser says of the field for which it does not submit a form: by this button, or by Enter
// in this field. Empty if it has no reason.
function (enter) {
  const element = this.nodeType === 1 ? this : this.parentElement;
  const own = element && element.closest('button, input');
  if (!own || !own.form || (!enter && !['submit', 'image'].includes(own.type))) return '';
  const button = enter ? [...own.form.elements].find((e) => ['submit', 'image'].includes(e.type)) : own;
  if (own.form.noValidate || (button && button.formNoValidate)) return '';
  const field = [...own.form.elements].find((e) => e.willValidate && !e.validity.valid);
  if (!field) return '';
  const label = field.labels && field.labels[0];
  const name = (label && label.innerText) || field.getAttribute('aria-label') || field.name || field.id || field.type;
  return `\`${name.trim().slice(0, 80)}\`: ${field.validationMessage}`;
}
