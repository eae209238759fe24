/** Making elements. Texts are set as text, never as markup. */

const SVG = "http://www.w3.org/2000/svg";

/**
 * An HTML element. `props`: `class`, `text`, `data` (an object), `on` (handlers by event name);
 * anything else is an attribute, left out where it is null or false.
 */
export function el(name, props = {}, ...children) {
  return furnish(document.createElement(name), props, children);
}

/** The same for SVG. */
export function svg(name, props = {}, ...children) {
  return furnish(document.createElementNS(SVG, name), props, children);
}

/** The element that the page's HTML holds under this id. */
export function byId(id) {
  return document.getElementById(id);
}

/** Place an element by shares of its parent's size; a style attribute would break the policy. */
export function place(element, { left, top }) {
  for (const [side, share] of Object.entries({ left, top })) element.style[side] = `${(share * 100).toFixed(3)}%`;
}

/** Replace an element's children; whatever had the focus gets it back by its `data-key`. */
export function refill(parent, ...children) {
  const key = parent.contains(document.activeElement) && document.activeElement.dataset.key;
  parent.replaceChildren(...children.filter(Boolean));
  if (key) parent.querySelector(`[data-key="${CSS.escape(key)}"]`)?.focus();
}

const made = new WeakMap();

/**
 * Fill an element with what `make(item)` gives for each item, keeping the elements of items that
 * are as they were: drawing them again would cost time and the focus. No two items may be alike.
 */
export function refillKept(parent, items, make) {
  const before = made.get(parent) ?? new Map();
  const now = new Map(items.map((item) => {
    const key = JSON.stringify(item);
    return [key, before.get(key) ?? make(item)];
  }));
  const children = [...now.values()];
  made.set(parent, now);
  if (children.some((child, index) => child !== parent.children[index]) || parent.children.length !== children.length) {
    refill(parent, ...children);
  }
  return children;
}

function furnish(element, props, children) {
  for (const [name, value] of Object.entries(props)) {
    if (value === null || value === undefined || value === false) continue;
    if (name === "class") element.setAttribute("class", value);
    else if (name === "text") element.textContent = value;
    else if (name === "data") Object.assign(element.dataset, value);
    else if (name === "on") {
      for (const [event, handler] of Object.entries(value)) element.addEventListener(event, handler);
    } else element.setAttribute(name, value === true ? "" : value);
  }
  element.append(...children.flat().filter((child) => child !== null && child !== undefined && child !== false));
  return element;
}
