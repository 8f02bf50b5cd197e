import { type Kind } from "./canary.ts";
import { type Wording } from "./wording.ts";
import { FACTS } from "./wordings-facts.ts";
import { WORK } from "./wordings-work.ts";

/** Every second wording was not looked at while Tidemark was made to keep them (see bench/canaries.ts). */
export const WORDINGS: Readonly<Record<Kind, readonly Wording[]>> = { ...FACTS, ...WORK };
