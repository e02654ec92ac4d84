// A selector that fits this element alone; empty for one in a shadow root, where none reaches.
function () {
  if (this.getRootNode() !== document) return '';
  const alone = (selector) => document.querySelectorAll(selector).length === 1;
  const tag = (element) => CSS.escape(element.localName);
  if (this.id && alone('#' + CSS.escape(this.id))) return '#' + CSS.escape(this.id);
  for (const name of ['data-testid', 'name', 'aria-label', 'href', 'placeholder', 'title']) {
    const value = this.getAttribute(name);
    if (!value || value.length > 80) continue;
    const selector = `${tag(this)}[${name}="${CSS.escape(value)}"]`;
    if (alone(selector)) return selector;
  }
  const path = [];
  for (let element = this; element; element = element.parentElement) {
    if (element !== this && element.id && alone('#' + CSS.escape(element.id))) {
      path.unshift('#' + CSS.escape(element.id));
      break;
    }
    const parent = element.parentElement;
    const alike = parent ? [...parent.children].filter((c) => c.localName === element.localName) : [];
    const nth = alike.length > 1 ? `:nth-of-type(${alike.indexOf(element) + 1})` : '';
    path.unshift(tag(element) + nth);
  }
  const selector = path.join(' > ');
  return alone(selector) ? selector : '';
}
