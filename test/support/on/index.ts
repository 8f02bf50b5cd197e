export * from "../../../src/index.ts";
export { openTidemark } from "./open-tidemark.ts";
