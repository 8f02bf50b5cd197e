import { type Core } from "./core.ts";
import { type Directory } from "./who.ts";
import { type Works } from "./behind/works.ts";

/** What the views of all identities stand on. */
export interface House {
  readonly core: Core;
  readonly works: Works;
  readonly directory: Directory;
}
