// What this node is, in a few words for a message, and whether it can be used.
function () {
  const element = this.nodeType === 1 ? this : this.parentElement;
  if (!element) return { what: 'the page', disabled: false, state: '' };
  const named = element.labels && element.labels[0];
  const value = ['checkbox', 'radio'].includes(element.type) ? '' : element.value;
  const said = (element.getAttribute('aria-label') || (named && named.innerText) || value || element.innerText || '').trim();
  const field = element.isContentEditable || (element.matches('input, textarea, select')
    && !['button', 'submit', 'reset', 'image'].includes(element.type));
  const secret = element.type === 'password';
  return {
    what: element.localName + (said && !secret ? ` \`${said.slice(0, 80)}\`` : ''),
    acts: (!field && !!element.closest('a[href], button, summary, [role=link], [role=button]'))
      || (element.localName === 'input' && !field) || ['checkbox', 'radio'].includes(element.type),
    option: element.localName === 'option' && !!element.closest('select'),
    disabled: element.matches(':disabled') || element.getAttribute('aria-disabled') === 'true',
    state: ['checkbox', 'radio'].includes(element.type) ? (element.checked ? 'checked' : 'not checked')
      : ['aria-checked', 'aria-pressed', 'aria-expanded'].map((name) => element.hasAttribute(name)
        ? `${name.slice(5)}: ${element.getAttribute(name)}` : '').find((state) => state)
        || (field && element.getRootNode().activeElement === element ? 'focused' : ''),
  };
}
