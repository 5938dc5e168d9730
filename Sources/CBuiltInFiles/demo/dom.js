// Making elements. Text is always put in as text, never as HTML.

/** An element. Keys of `properties` that begin with `on` are listeners, `class` and names with a hyphen are attributes. */
export function element(tag, properties = {}, ...children) {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(properties)) {
    if (value === undefined || value === null) continue;
    if (name.startsWith("on")) made.addEventListener(name.slice(2), value);
    else if (name in made && !name.includes("-")) made[name] = value;
    else made.setAttribute(name, value);
  }
  made.append(...children.flat().filter((child) => child !== undefined && child !== null && child !== false));
  return made;
}

export const byId = (id) => document.getElementById(id);

/** Says something to screen readers, wherever the focus is. */
export function announce(text) {
  byId("announcer").textContent = text;
}

/** A heading of a screen; it can be given the focus. */
export function heading(text, id) {
  return element("h3", { id, tabIndex: -1 }, text);
}

export function button(text, onclick, kind = "second") {
  return element("button", { type: "button", class: kind, onclick }, text);
}

/** A labelled field with room for an error, which is told with the field. */
export function field(label, id, properties, error) {
  const input = element("input", { id, name: id, ...properties });
  if (error) {
    input.setAttribute("aria-invalid", "true");
    input.setAttribute("aria-describedby", `${id}-error`);
  }
  return element(
    "div", { class: "field" },
    element("label", { htmlFor: id }, label), input,
    error && element("p", { class: "error", id: `${id}-error` }, error));
}

export const timeOf = (date) => new Date(date).toLocaleTimeString([], { hour12: false });
