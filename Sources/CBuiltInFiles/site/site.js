// Search, buttons that copy, forms that call this server. Pages are whole without it.

// Search

const search = document.querySelector("search");
const query = document.querySelector("#query");
const list = document.querySelector("#found");
let worker;
let asked = 0;

function start() {
  if (worker) return;
  worker = new Worker(search.dataset.worker);
  worker.postMessage({ lunr: search.dataset.lunr, index: search.dataset.index });
  worker.addEventListener("message", ({ data }) => {
    if (data.id === asked) show(data.found ?? [], data.fault);
  });
}

function element(name, text, attributes = {}) {
  const made = document.createElement(name);
  made.textContent = text;
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  return made;
}

function show(found, fault) {
  list.replaceChildren(...found.map(({ address, title, excerpt }, index) => {
    const line = element("li", "", { role: "option", id: `found-${index}`, "aria-selected": "false" });
    const link = element("a", "", { href: address, tabindex: "-1" });
    link.append(element("b", title), element("small", excerpt));
    line.append(link);
    return line;
  }));
  if (!found.length) {
    list.append(element("li", fault ? "The search is not available." : "Nothing was found.", { role: "option", "aria-disabled": "true" }));
  }
  setOpen(true);
}

function setOpen(isOpen) {
  list.hidden = !isOpen;
  query.setAttribute("aria-expanded", String(isOpen));
  if (!isOpen) query.removeAttribute("aria-activedescendant");
}

function move(step) {
  const lines = [...list.querySelectorAll("li[id]")];
  if (!lines.length) return;
  const now = lines.findIndex((line) => line.getAttribute("aria-selected") === "true");
  const next = lines[(now + step + lines.length + (now < 0 && step < 0 ? 1 : 0)) % lines.length];
  lines.forEach((line) => line.setAttribute("aria-selected", String(line === next)));
  query.setAttribute("aria-activedescendant", next.id);
  next.scrollIntoView({ block: "nearest" });
}

search.hidden = false;
query.addEventListener("focus", start);
query.addEventListener("input", () => {
  asked += 1;
  if (query.value.trim()) worker.postMessage({ id: asked, query: query.value });
  else setOpen(false);
});
query.addEventListener("keydown", (event) => {
  if (event.key === "ArrowDown" || event.key === "ArrowUp") {
    event.preventDefault();
    move(event.key === "ArrowDown" ? 1 : -1);
  } else if (event.key === "Enter") {
    (list.querySelector("li[aria-selected=true] a") ?? list.querySelector("li a"))?.click();
  } else if (event.key === "Escape") {
    setOpen(false);
  }
});
document.addEventListener("click", (event) => {
  if (!search.contains(event.target)) setOpen(false);
});
document.addEventListener("keydown", (event) => {
  if (event.key === "/" && !/^(INPUT|TEXTAREA)$/.test(document.activeElement.tagName)) {
    event.preventDefault();
    query.focus();
  }
});

// Navigation: closed on narrow pages.

if (!matchMedia("(min-width: 60rem)").matches) document.querySelector("body > nav details").open = false;
const current = document.querySelector("body > nav [aria-current]");
const navigation = document.querySelector("body > nav");
if (current && navigation.scrollHeight > navigation.clientHeight) {
  navigation.scrollTop = current.offsetTop - navigation.clientHeight / 3;
}

// A link to a closed part opens it.

function openTarget() {
  const target = location.hash && document.getElementById(decodeURIComponent(location.hash.slice(1)));
  if (target instanceof HTMLDetailsElement) target.open = true;
}
addEventListener("hashchange", openTarget);
openTarget();

// Copy

for (const block of document.querySelectorAll("pre")) {
  const button = element("button", "Copy", { type: "button" });
  button.addEventListener("click", async () => {
    await navigator.clipboard.writeText(block.querySelector("code").textContent);
    button.textContent = "Copied";
    setTimeout(() => { button.textContent = "Copy"; }, 2000);
  });
  block.append(button);
}

// Try it

const kept = (name) => `holdfast.try.${name}`;

function filled(input) {
  return input.value.trim();
}

async function send(form) {
  const output = form.querySelector("output");
  let path = form.dataset.path;
  const parameters = new URLSearchParams();
  const headers = {};
  const fields = new URLSearchParams();
  const login = {};
  for (const input of form.querySelectorAll("input")) {
    const value = filled(input);
    const place = input.dataset.in;
    if (place === "path") path = path.replace(`{${input.name}}`, encodeURIComponent(value));
    else if (place === "form") fields.append(input.name, input.value);
    else if (place === "login") login[input.name] = value;
    else if (value && place === "query") parameters.append(input.name, value);
    else if (value && place === "header") headers[input.name] = (input.dataset.prefix ?? "") + value;
    if (place === "login" || place === "header") sessionStorage.setItem(kept(input.name), value);
  }
  if (login.user) headers.Authorization = "Basic " + btoa(`${login.user}:${login.password ?? ""}`);
  const request = { method: form.dataset.method, headers, redirect: "manual" };
  const body = form.querySelector("textarea");
  if (body) {
    headers["Content-Type"] = body.dataset.type;
    request.body = body.value;
  } else if (form.querySelector("[data-in=form]")) {
    request.body = fields;
  }
  const address = path + (parameters.size ? `?${parameters}` : "");
  output.replaceChildren(element("p", "Sent."));
  try {
    const answer = await fetch(address, request);
    const text = answer.type === "opaqueredirect" ? "" : await answer.text();
    const status = answer.type === "opaqueredirect" ? "a redirect" : String(answer.status);
    const code = element("pre", "");
    code.append(element("code", pretty(text)));
    output.replaceChildren(element("p", `${form.dataset.method} ${address}: ${status}`), code);
  } catch (error) {
    output.replaceChildren(element("p", `No answer: ${error.message}`));
  }
}

function pretty(text) {
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text;
  }
}

for (const details of document.querySelectorAll("details.try")) {
  details.hidden = false;
  const form = details.querySelector("form");
  for (const input of form.querySelectorAll("[data-in=login], [data-in=header]")) {
    input.value = sessionStorage.getItem(kept(input.name)) ?? "";
  }
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    send(form);
  });
}
