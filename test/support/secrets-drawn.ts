// Sets of lines whose secrets are drawn from a seed, so that no scanner of repositories finds one in ours.
import { readFileSync } from "node:fs";
import type { Find } from "../../src/core/secrets/values-and-codes.ts";
import { diceOf } from "./fuzz-dice.ts";

/** "«" and "»" stand around what must not be read; a line without them is a look-alike. */
export interface Drawn {
  readonly kind: string;
  readonly text: string;
  readonly secrets: readonly { readonly start: number; readonly end: number }[];
}

const LOWER = "abcdefghijklmnopqrstuvwxyz";
const DIGITS = "0123456789";
const UPPER = LOWER.toUpperCase();
/** `‹n40›`: forty of these. */
const ALPHABETS: Readonly<Record<string, string>> = {
  h: "0123456789abcdef",
  n: LOWER + UPPER + DIGITS,
  u: `${LOWER}${UPPER}${DIGITS}_-`,
  b: `${LOWER}${UPPER}${DIGITS}+/`,
  x: LOWER + DIGITS,
  X: UPPER + DIGITS,
  B: `${UPPER}234567`,
  d: DIGITS,
};
const CARDS: Readonly<Record<string, string>> = {
  visa: "4ddddddddddddddd",
  visa4: "4ddd dddd dddd dddd",
  mc: "53dddddddddddddd",
  mc4: "53dd-dddd-dddd-dddd",
  amex: "37dd dddddd ddddd",
  disc4: "6011 dddd dddd dddd",
};
/** Of the list that wallets draw from. */
const WORDS =
  "abandon about acid adjust album amused anchor apple arctic asset bacon barrel behind bicycle " +
  "blossom bronze bundle cactus canal carbon cereal cherry circle clever coconut copper coyote " +
  "cradle cruise damp decade dentist dinner dolphin dragon drift eager eclipse elbow ember engine " +
  "enough escape exile fabric fatigue fiscal flavor forum fragile galaxy garlic gesture giraffe " +
  "glimpse gospel guitar hamster harvest hedgehog hollow hybrid icon impulse indoor island jacket " +
  "jungle kangaroo kidney kitten ladder lava lemon liberty lizard lunar magnet mango matrix meadow " +
  "midnight mosquito muffin naive nephew noodle oblige ocean olive orbit ostrich oxygen panther " +
  "parrot pelican pigeon pluck pottery puzzle quantum rabbit raven rebuild ribbon robust saddle " +
  "salmon scatter shuffle silver sketch slender spatial squirrel sunset swamp tattoo there thunder " +
  "tobacco tornado trumpet umbrella unveil urban vacuum velvet violin voyage walnut whisper wrist " +
  "yellow zebra zone";
const FIRST = ["Harbour", "tulip", "Maple", "copper", "Falcon"];

type Dice = ReturnType<typeof diceOf>;
const run = (dice: Dice, letters: string, length: number): string =>
  Array.from({ length }, () => dice.one([...letters])).join("");

/** With the digit that checks the others. */
function card(dice: Dice, shape: string): string {
  const drawn = shape.replaceAll("d", () => run(dice, DIGITS, 1)).slice(0, -1);
  let sum = 0;
  for (const [at, digit] of [...drawn.replace(/\D/g, "")].reverse().entries()) {
    const twice = Number(digit) * (at % 2 === 0 ? 2 : 1);
    sum += twice > 9 ? twice - 9 : twice;
  }
  return `${drawn}${(10 - (sum % 10)) % 10}`;
}

function words(dice: Dice, how: string): string {
  const drawn = Array.from({ length: Number(/\d+/.exec(how)?.[0]) }, () =>
    dice.one(WORDS.split(" ")),
  );
  if (how.includes("c")) return drawn.join(", ");
  return how.includes("n")
    ? drawn.map((word, at) => `${at + 1}. ${word}`).join(" ")
    : drawn.join(" ");
}

function draw(dice: Dice, what: string): string {
  if (what in CARDS) return card(dice, CARDS[what] ?? "");
  if (what === "uuid")
    return [8, 4, 4, 4, 12].map((length) => run(dice, ALPHABETS["h"] ?? "", length)).join("-");
  if (what === "p") return `${dice.one(FIRST)}-${dice.one(FIRST)}${10 + dice.below(90)}!`;
  if (what.startsWith("ssn")) {
    const parts = [
      `${100 + dice.below(500)}`,
      `${10 + dice.below(89)}`,
      `${1_000 + dice.below(8_999)}`,
    ];
    return parts.join(what === "ssn9" ? "" : "-");
  }
  if (what.startsWith("w")) return words(dice, what);
  return run(dice, ALPHABETS[what[0] ?? ""] ?? "", Number(what.slice(1)));
}

function drawn(dice: Dice, line: string, around: readonly string[]): Drawn {
  const [, kind = "", bare = line] = line.includes("«") ? (/^(\w+): (.*)$/.exec(line) ?? []) : [];
  const said = kind === "" ? bare : dice.one(around).replace("…", () => bare);
  const secrets: { start: number; end: number }[] = [];
  let text = "";
  for (const [part] of said.replaceAll("⏎", "\n").matchAll(/‹\w+›|[«»]|[^«»‹]+/g))
    if (part === "«") secrets.push({ start: text.length, end: text.length });
    else if (part === "»") secrets.push({ start: secrets.pop()?.start ?? 0, end: text.length });
    else text += part.startsWith("‹") ? draw(dice, part.slice(1, -1)) : part;
  return { kind, text, secrets };
}

/** As people and programs set a secret into a sentence. */
export const AROUND = [
  "…",
  "The deploy uses … since Monday.",
  "Remember: …",
  "- **note**: run it with … (staging)",
];

/** All lines of `name`.txt, in this folder or in another, each drawn `times` times. */
export function drawnFrom(
  name: string,
  { times = 1, folder = "./", around = ["…"], seed = 7 } = {},
): Drawn[] {
  const dice = diceOf(seed);
  const lines = readFileSync(new URL(`${folder}${name}.txt`, import.meta.url), "utf8").split("\n");
  return Array.from({ length: times }, () => lines.filter((line) => line !== ""))
    .flat()
    .map((line) => drawn(dice, line, around));
}

/** Characters of a text's secrets that can still be read; blanks and commas between codes do not count. */
export function leftOf(find: Find, { text, secrets }: Drawn): string {
  const found = find(text);
  return secrets
    .map(({ start, end }) => {
      let [left, at] = ["", start];
      for (const secret of found) {
        if (secret.end <= at || secret.start >= end) continue;
        left += text.slice(at, Math.max(at, secret.start));
        at = secret.end;
      }
      return left + text.slice(at, Math.max(at, end));
    })
    .join("")
    .replace(/[\s,]|\b1\. /g, "");
}
