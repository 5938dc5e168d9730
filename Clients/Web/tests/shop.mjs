// The shop: pages of another origin than the server's, under a strict policy.
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { createServer } from "node:http";

const file = (path) => readFileSync(new URL(path, import.meta.url));
const library = file("../dist/holdfast.global.js");
const integrity = `sha384-${createHash("sha384").update(library).digest("base64")}`;

const PAGES = {
  "/": `<script src="/holdfast.global.js" integrity="${integrity}" crossorigin></script><script src="/page.js"></script>`,
  // The server's copy, by the path and digest that the server names.
  "/served": "",
  "/module": `<script src="/page.js"></script><script type="module" src="/start.js"></script>`,
};
const SCRIPTS = {
  "/holdfast.global.js": library,
  "/holdfast.js": file("../dist/holdfast.js"),
  "/page.js": file("./page.js"),
  "/start.js": 'import * as library from "/holdfast.js"; window.library = library;',
};

export class Shop {
  static async start(serverURL) {
    const shop = new Shop();
    const { files } = await (await fetch(`${serverURL}/sdk`)).json();
    const served = files.find(({ name }) => name === "holdfast.global.js");
    PAGES["/served"] = `<script src="${serverURL}${served.path}" integrity="${served.integrity}" crossorigin></script><script src="/page.js"></script>`;
    const policy = `default-src 'none'; script-src 'self' ${serverURL}/sdk/; img-src 'self'; connect-src ${serverURL}; base-uri 'none'; form-action 'none'; `
      + "require-trusted-types-for 'script'; trusted-types 'none'";
    shop.server = createServer((request, response) => {
      const path = request.url.split("?")[0];
      const isPage = path in PAGES;
      if (!isPage && !(path in SCRIPTS)) return response.writeHead(204).end();
      response.writeHead(200, {
        "Content-Type": isPage ? "text/html; charset=utf-8" : "text/javascript; charset=utf-8",
        "Content-Security-Policy": policy,
      });
      return response.end(isPage ? `<!doctype html><html lang="en"><title>Shop</title>${PAGES[path]}</html>` : SCRIPTS[path]);
    });
    await new Promise((resolve) => shop.server.listen(0, "127.0.0.1", resolve));
    shop.url = `http://127.0.0.1:${shop.server.address().port}`;
    return shop;
  }

  stop() {
    this.server.closeAllConnections();
    return new Promise((resolve) => this.server.close(resolve));
  }
}
