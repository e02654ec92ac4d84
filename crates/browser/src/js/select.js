// The first element that fits a selector, in the document or in an open shadow root.
function (selector) {
  const seek = (root) => {
    const found = root.querySelector(selector);
    if (found) return found;
    for (const element of root.querySelectorAll('*')) {
      const inner = element.shadowRoot && seek(element.shadowRoot);
      if (inner) return inner;
    }
    return null;
  };
  return seek(document);
}
