// The element of this frame that has the focus, if it is neither the body nor another frame.
function () {
  let element = document.activeElement;
  while (element && element.shadowRoot && element.shadowRoot.activeElement) {
    element = element.shadowRoot.activeElement;
  }
  const none = !element || element === document.body || element === document.documentElement;
  if (none && document.designMode === 'on') return document.body;
  return none || ['iframe', 'frame', 'object'].includes(element.localName) ? null : element;
}
