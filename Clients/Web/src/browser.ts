import { Environment, HTTPAnswer, HTTPRequest } from "./environment";
import { BrowserKeys } from "./keys";
import { resultIn } from "./state";

const tabKey = "holdfast.mobileAuth";

/** One for the page: where storage is closed, every builder has to find the keys of the others. */
const keys = new BrowserKeys();

/** The page and the browser around it. */
export class Browser implements Environment {
  readonly keys = keys;
  readonly tab = {
    get: () => sessionStorage.getItem(tabKey),
    set: (text: string) => sessionStorage.setItem(tabKey, text),
    // Asked for only where there was something to get.
    remove: () => sessionStorage.removeItem(tabKey),
  };

  async fetch(url: string, request: HTTPRequest): Promise<HTTPAnswer> {
    const response = await fetch(url, {
      ...request, cache: "no-store", credentials: "omit", redirect: "error", referrerPolicy: "no-referrer",
    });
    return {
      status: response.status,
      header: (name) => response.headers.get(name),
      text: () => response.text(),
    };
  }

  now(): number {
    return Date.now();
  }

  elapsed(): number {
    return performance.now();
  }

  random(): number {
    return Math.random();
  }

  timer(milliseconds: number, callback: () => void): () => void {
    const timer = setTimeout(callback, milliseconds);
    return () => clearTimeout(timer);
  }

  onWake(callback: () => void): () => void {
    const shown = () => {
      if (document.visibilityState === "visible") callback();
    };
    document.addEventListener("visibilitychange", shown);
    window.addEventListener("online", callback);
    return () => {
      document.removeEventListener("visibilitychange", shown);
      window.removeEventListener("online", callback);
    };
  }

  navigate(url: string): void {
    location.assign(url);
  }

  takeFragment(): string {
    const { hash, pathname, search } = location;
    const { vfp, error } = resultIn(hash);
    if (vfp || error) history.replaceState(history.state, "", pathname + search);
    return hash;
  }

  get isPhone(): boolean {
    const { userAgent, userAgentData } = navigator as Navigator & { userAgentData?: { mobile: boolean } };
    return (!!userAgentData && userAgentData.mobile) || /iPhone|iPod|Android.+Mobile|Mobile.+Firefox|Windows Phone/.test(userAgent);
  }
}
