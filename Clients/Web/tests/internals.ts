// What the vectors hold to examples, and the library does not export.
export * from "../src/jose";
export * from "../src/state";
export * from "../src/token";
export { errorTable } from "../src/errorTable";
