import { type Fact } from "../distiller.ts";

export type KeepsakeKind = "open" | "rule" | "correction" | "decision" | "failed" | "said" | "name";

/** Something that must not be lost: a later summary says it, or a fact does. */
export interface Keepsake {
  readonly kind: KeepsakeKind;
  readonly text: string;
  /** 0…1: the least goes first where room is short. */
  readonly value: number;
  /** What would be saved of it; a line of the summary before has nobody's word to rest on. */
  readonly fact: Fact;
  /** It stood in the summary before. */
  readonly earlier: boolean;
}
