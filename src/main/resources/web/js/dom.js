// Making and changing elements; what already is as it should be is left alone.

/** Makes an element. `props`: attributes; `on…` functions are listeners; `text` is its content. */
export function el(tag, props = {}, ...children) {
  const node = document.createElement(tag);
  for (const [name, value] of Object.entries(props)) {
    if (value === null || value === undefined || value === false) continue;
    if (name === 'text') node.textContent = value;
    else if (name.startsWith('on')) node.addEventListener(name.slice(2), value);
    else node.setAttribute(name, value === true ? '' : value);
  }
  node.append(...children.flat().filter((child) => child !== null && child !== undefined));
  return node;
}

const SVG = 'http://www.w3.org/2000/svg';

/** The same for SVG. */
export function svg(tag, props = {}, ...children) {
  const node = document.createElementNS(SVG, tag);
  for (const [name, value] of Object.entries(props)) {
    if (name === 'text') node.textContent = value;
    else node.setAttribute(name, value);
  }
  node.append(...children);
  return node;
}

/** Sets a text if it is another one. */
export function setText(node, text) {
  if (node.textContent !== text) node.textContent = text;
}

/** Sets an attribute, or takes it away for null, if that changes anything. */
export function setAttribute(node, name, value) {
  if (value === null) node.removeAttribute(name);
  else if (node.getAttribute(name) !== String(value)) node.setAttribute(name, value);
}

/**
 * Makes the children of a parent those of the keys, in that order; children of keys that stay are kept.
 * `kept` is a Map of what is there, by key; `make(key)` makes a new child.
 */
export function keyed(parent, kept, keys, make) {
  const wanted = new Set(keys);
  for (const [key, child] of kept) {
    if (!wanted.has(key)) {
      child.remove();
      kept.delete(key);
    }
  }
  let at = parent.firstElementChild;
  for (const key of keys) {
    let child = kept.get(key);
    if (!child) {
      child = make(key);
      kept.set(key, child);
    }
    if (child === at) at = at.nextElementSibling;
    else parent.insertBefore(child, at);
  }
}

/** Says something to screen readers, and shows it for some seconds. */
export function announce(text, kind = 'info') {
  const region = document.getElementById('messages');
  const message = el('p', { class: `message ${kind}`, text });
  region.append(message);
  while (region.childElementCount > 3) region.firstElementChild.remove();
  setTimeout(() => message.remove(), kind === 'error' ? 12000 : 5000);
}
