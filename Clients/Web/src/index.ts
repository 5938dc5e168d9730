export { Authenticator, CancellablePromise } from "./authenticator";
export { AuthenticatorBuilder, MobileAuthImplementation, Role } from "./builder";
export { Messages, ProveAuthError } from "./errors";
export { ErrorName } from "./errorTable";
export { Environment, HTTPAnswer, HTTPRequest, KeyStore, PublicJWK, StoredKey, TabStore } from "./environment";
export * from "./steps";
export { version } from "./run";
