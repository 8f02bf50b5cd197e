// A form in which something is said, and the dice's words for names, numbers and marks.
import type { Dice } from "../trial/dice.ts";
import type { Domain } from "./domain.ts";
import { call, type Message, type Scene } from "./scene.ts";

export type Kind = "chat" | "service" | "work";
/** Of one form, the wording in the frame of the labelled sentence, with contents of our own, or one of other wordings. */
export type Say = (framed: string, other: readonly string[]) => string;
export type Wording = "frame" | "other words";
export const saying =
  (wording: Wording, dice: Dice): Say =>
  (framed, other) =>
    wording === "frame" ? framed : dice.of(other);

export interface Form {
  readonly form: string;
  readonly kind: Kind;
  readonly of31: number;
  /** It ends its transcript, as there: a closing report, or what stayed open. Each transcript of a service or of work has one. */
  readonly ends?: true;
  /** How many facts rest on one scene: 1 where nothing is said. */
  readonly facts?: number;
  readonly scene: (of: Domain, dice: Dice, say: Say) => Scene;
}

export const NAMES = [
  "Ilka",
  "Bruno",
  "Odette",
  "Marek",
  "Sunniva",
  "Tariq",
  "Wilma",
  "Pilar",
  "Goran",
];
export const BRANDS = [
  "Norvik",
  "Tessel",
  "Halden",
  "Brisko",
  "Quarto",
  "Ombra",
  "Kestrelle",
  "Lumen",
];
export const PLACES = [
  "Lithuania",
  "Galicia",
  "Sardinia",
  "Patagonia",
  "Gotland",
  "Silesia",
  "Crete",
];
export const mark = (dice: Dice, many = 6): string =>
  Array.from({ length: many }, () => dice.of([..."ABCDEFGHJKLMNPQRSTUVWXYZ23456789"])).join("");
export const number = (dice: Dice): number => 1001 + dice.below(8900);
export const login = (dice: Dice): string => `${dice.of(NAMES)}_${dice.of(BRANDS)}_${number(dice)}`;
export const id = (dice: Dice): string => `call_${mark(dice, 12)}`;
export const called = (
  dice: Dice,
  text: string,
  name: string,
  [input, answer]: readonly [Record<string, unknown>, string],
): Message[] => call(text, name, input, { answer, id: id(dice) });
export const must = (
  fact: string,
  kind: string,
  at: number,
  keys: readonly (readonly string[])[],
): Scene["facts"][number] => ({ fact, kind, at, keys });
export const lower = (text: string): string => text.toLowerCase();
export const hash = (dice: Dice): string =>
  Array.from({ length: 7 }, () => dice.of([..."0123456789abcdef"])).join("");
