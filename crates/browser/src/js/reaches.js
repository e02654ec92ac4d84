// What a click on `hit` reaches instead of this element; empty if it reaches it.
function (hit) {
  const up = (node) => node.parentNode || node.host || (node.defaultView && node.defaultView.frameElement);
  for (let node = hit; node; node = up(node)) if (node === this) return '';
  for (let node = this; node; node = up(node)) if (node === hit) return '';
  const label = hit.closest && hit.closest('label');
  if (label && label.control === this) return '';
  const element = hit.nodeType === 1 ? hit : hit.parentElement;
  if (!element) return 'something else';
  const name = element.id ? '#' + element.id : element.className && typeof element.className === 'string'
    ? '.' + element.className.trim().split(/\s+/).join('.') : '';
  return element.localName + name;
}
