// Sets the value of a field that is not typed into letter by letter, such as a date; gives the form
// that the value must have if it has another, and then changes nothing.
function (wanted) {
  const forms = { date: 'YYYY-MM-DD', time: 'HH:MM', 'datetime-local': 'YYYY-MM-DDTHH:MM', month: 'YYYY-MM', week: 'YYYY-Www' };
  const probe = document.createElement('input');
  probe.type = this.type;
  probe.value = wanted;
  if (wanted && !probe.value) return forms[this.type];
  this.value = wanted;
  this.dispatchEvent(new Event('input', { bubbles: true, composed: true }));
  this.dispatchEvent(new Event('change', { bubbles: true }));
  return null;
}
