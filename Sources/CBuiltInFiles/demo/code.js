// The code to copy: tabs for the languages, moved between by arrow keys.
import { byId, element } from "./dom.js";
import { languages, snippet } from "./snippets.js";

const step = { ArrowRight: 1, ArrowLeft: -1 };

export class Code {
  #language = languages[0][0];
  #choice;

  constructor() {
    byId("languages").append(...languages.map(([name, title]) => element(
      "button", {
        type: "button", role: "tab", id: `tab-${name}`, "aria-controls": "code-panel",
        onclick: () => this.#pick(name), onkeydown: (event) => this.#key(event),
      }, title)));
    byId("copy").addEventListener("click", () => this.#copy());
  }

  show(choice) {
    this.#choice = choice;
    this.#pick(this.#language);
  }

  #pick(language) {
    this.#language = language;
    for (const [name] of languages) {
      const tab = byId(`tab-${name}`);
      tab.setAttribute("aria-selected", String(name === language));
      tab.tabIndex = name === language ? 0 : -1;
    }
    byId("code-panel").setAttribute("aria-labelledby", `tab-${language}`);
    byId("code").textContent = snippet(language, this.#choice);
    byId("copied").textContent = "";
  }

  #key(event) {
    const names = languages.map(([name]) => name);
    let index = names.indexOf(this.#language);
    if (event.key in step) index = (index + step[event.key] + names.length) % names.length;
    else if (event.key === "Home") index = 0;
    else if (event.key === "End") index = names.length - 1;
    else return;
    event.preventDefault();
    this.#pick(names[index]);
    byId(`tab-${names[index]}`).focus();
  }

  async #copy() {
    try {
      await navigator.clipboard.writeText(byId("code").textContent);
      byId("copied").textContent = "Copied.";
    } catch {
      getSelection().selectAllChildren(byId("code"));
      byId("copied").textContent = "Selected: copy it with the keyboard.";
    }
  }
}
