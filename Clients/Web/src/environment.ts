/** All that the library uses of the world around it. A test plays it; `browser.ts` is the real one. */
export interface Environment {
  /** One HTTP call. It fails when there is no answer, or when `signal` is aborted. */
  fetch(url: string, request: HTTPRequest): Promise<HTTPAnswer>;
  /** The device's clock, in milliseconds since 1970. */
  now(): number;
  /** Milliseconds that have passed since some moment; nobody sets this clock. It may stand while the device sleeps. */
  elapsed(): number;
  /** 0 up to 1, for the spread of repeats. */
  random(): number;
  /** Calls back once after so many milliseconds; the result takes it back. */
  timer(milliseconds: number, callback: () => void): () => void;
  /** Calls back when the page may have slept; the result takes it back. */
  onWake(callback: () => void): () => void;
  readonly keys: KeyStore;
  /** What this tab keeps over a navigation. */
  readonly tab: TabStore;
  /** Leaves the page. */
  navigate(url: string): void;
  /** The part of the page's address after `#`; asking takes it away if it is a result of Mobile Auth. */
  takeFragment(): string;
  /** `true` in the browser of a phone. */
  readonly isPhone: boolean;
}

export interface HTTPRequest {
  method: string;
  headers: Record<string, string>;
  body?: string;
  signal: AbortSignal;
}

export interface HTTPAnswer {
  status: number;
  header(name: string): string | null;
  text(): Promise<string>;
}

export interface TabStore {
  get(): string | null;
  set(text: string): void;
  remove(): void;
}

/** A P-256 key pair. The private key cannot be exported. */
export interface StoredKey {
  privateKey: CryptoKey;
  jwk: PublicJWK;
  thumbprint: string;
  /** By the device's clock, in milliseconds since 1970. */
  madeAt: number;
}

export interface PublicJWK {
  kty: "EC";
  crv: "P-256";
  x: string;
  y: string;
}

export interface KeyStore {
  /** Whether keys outlive the page here. */
  isLasting(): Promise<boolean>;
  /** The key of a session; `make` is used if there is none. Of two that make one, both get the first. */
  session(authID: string, make: () => Promise<StoredKey>): Promise<StoredKey>;
  forgetSession(authID: string): Promise<void>;
  device(server: string): Promise<StoredKey | undefined>;
  /** Keeps a new device key in place of `old`. Gives the one that is kept: another tab may have been first. */
  keepDevice(server: string, key: StoredKey, old?: StoredKey): Promise<StoredKey>;
}
