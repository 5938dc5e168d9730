// Every call of this page, as it happens. The library and the page call `fetch`; this stands in front of it and changes nothing.

const secrets = /^(authToken|access_token|client_secret|proof|vfp)$/;
const shownLetters = 12;

/** Who makes a call, by its path. The demo's own looks into the sandbox are not shown. */
function makerOf(path) {
  if (path === "/token" || path.startsWith("/v3/")) return "backend";
  if (path.startsWith("/client/")) return "page";
  if (path.startsWith("/l/")) return "phone";
  return undefined;
}

/** Calls `changed(call)` when a call begins and when it has ended. */
export function record(changed) {
  const real = window.fetch.bind(window);
  let number = 0;
  window.fetch = async (resource, options = {}) => {
    const url = new URL(resource, location.href);
    const maker = makerOf(url.pathname);
    if (!maker) return real(resource, options);
    number += 1;
    const call = {
      id: `${Date.now()}-${number}`, at: Date.now(), maker, method: options.method || "GET", path: url.pathname + url.search,
      sent: [...headerLines(options.headers), ...bodyLines(options.body)].join("\n"),
    };
    changed(call);
    const began = performance.now();
    try {
      const response = await real(resource, options);
      // Read before the caller has it: a caller may end the call when it has read enough.
      const isStream = /event-stream/.test(response.headers.get("Content-Type"));
      const text = isStream ? "(a stream)" : await response.clone().text();
      call.status = response.status;
      call.milliseconds = Math.round(performance.now() - began);
      call.received = url.pathname.startsWith("/l/") ? "(a page)" : shown(text);
      changed(call);
      return response;
    } catch (error) {
      call.status = options.signal && options.signal.aborted ? "ended" : "no answer";
      call.milliseconds = Math.round(performance.now() - began);
      changed(call);
      throw error;
    }
  };
}

function headerLines(headers = {}) {
  return Object.entries(headers)
    .filter(([name]) => /^(authorization|dpop)$/i.test(name))
    .map(([name, value]) => `${name}: ${value.replace(/[\w-]{20,}(\.[\w.-]+)?/, cut)}`);
}

function bodyLines(body) {
  if (!body) return [];
  if (body instanceof URLSearchParams) {
    return [[...body].map(([name, value]) => `${name}=${secrets.test(name) ? cut(value) : value}`).join("&")];
  }
  return [shown(String(body))];
}

/** JSON with a line for each member; tokens are cut. */
function shown(text) {
  try {
    return JSON.stringify(JSON.parse(text, (name, value) => (secrets.test(name) ? cut(value) : value)), null, 2);
  } catch {
    return text.slice(0, 2000);
  }
}

function cut(secret) {
  const text = String(secret);
  return text.length > shownLetters ? `${text.slice(0, shownLetters)}…` : "…";
}
