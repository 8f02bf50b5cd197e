import type { Message } from "../../../src/core/request.ts";
import { assistant, user } from "./canary.ts";
import type { Dice } from "./dice.ts";

export const STYLES = ["chat", "agent", "support"] as const;
export type Style = (typeof STYLES)[number];

/** Endless talk of a style, in exchanges that begin with the user and end with the assistant. */
export type Filler = () => Message[];

const PLACES = "Lisbon Ghent Turku Trieste Porto Leeds Graz Bergen".split(" ");
const MEALS = ["soup", "risotto", "pancakes", "a salad", "lentils", "fish", "dumplings"];
const PEOPLE = ["my sister", "a neighbour", "my boss", "an old friend", "the twins", "grandmother"];
const ASKED = [
  (p: string, m: string) =>
    `What would you cook for ${p} on a rainy evening, ${m} or something else?`,
  (p: string, m: string, c: string) =>
    `I'm going to ${c} with ${p} in spring. What should we see, and where do they make good ${m}?`,
  (p: string, _: string, c: string) =>
    `Tell me something about the history of ${c} that ${p} would enjoy.`,
  (p: string, m: string) =>
    `I like ${m} better than ${p} does. Is there a dish that pleases both of us?`,
  (_: string, m: string, c: string) =>
    `How long does the train to ${c} take, and is there ${m} on board?`,
];
const SENTENCES = [
  "There are several ways to look at this, and the simplest is often the best of them.",
  "In the old town the streets are narrow, the houses lean on each other and the cafés open early.",
  "Start with onions in butter over a low flame, give them time, and add the stock in small portions.",
  "Most visitors come for a weekend and wish at its end that they had planned for a week.",
  "The museum by the river is worth a morning, above all when the weather does not invite to walking.",
  "A little salt at the end does more than much salt at the beginning.",
  "People there speak slowly and kindly, and nobody minds a question asked twice.",
  "The journey takes about four hours with one change, and the view on the left side is the better one.",
  "If it rains, the covered market is dry, warm and full of things to taste.",
  "Take the tram up the hill and walk down, not the other way round.",
];
const FILES = "app router session cart mailer search upload worker theme parser".split(" ");
const FAULTS = [
  "TypeError: undefined is not a function",
  "expected 3 to equal 4",
  "ENOENT: no such file or directory",
  "timeout of 2000 ms exceeded",
];
const GOODS = "kettle lamp backpack keyboard tent blender scarf".split(" ");
const PROBLEMS = [
  "arrived broken",
  "has not arrived yet",
  "is the wrong colour",
  "stopped working after a day",
  "came without its manual",
];

const several = (dice: Dice, least: number, most: number): string =>
  Array.from({ length: least + dice.below(most - least + 1) }, () => dice.of(SENTENCES)).join(" ");

const MAKERS: Readonly<Record<Style, (dice: Dice, turn: number, length: number) => Message[]>> = {
  chat: (dice, _turn, length) => [
    user(dice.of(ASKED)(dice.of(PEOPLE), dice.of(MEALS), dice.of(PLACES))),
    assistant(several(dice, 4 * length, 10 * length)),
  ],
  agent: (dice, turn, length) => {
    const file = `src/${dice.of(FILES)}/${dice.of(FILES)}${dice.below(40)}.ts`;
    const id = `call_${turn}`;
    const broken = dice.next() < 0.2;
    const lines = Array.from(
      { length: (8 + dice.below(25)) * length },
      (_, at) =>
        `${at + 1}  export const ${dice.of(FILES)}${dice.below(900)} = (${dice.of(FILES)}: number) => ${dice.of(FILES)} + ${dice.below(100)};`,
    );
    return [
      user(
        dice.of([
          `Fix the failing test of ${dice.of(FILES)}.`,
          `Make ${file} a little shorter.`,
          `Why is the ${dice.of(FILES)} slow on start?`,
          "Go on with the next file.",
        ]),
      ),
      assistant([
        { type: "text", text: `I look at ${file}.` },
        { type: "tool_use", id, name: dice.of(["read_file", "grep"]), input: { path: file } },
      ]),
      user([
        {
          type: "tool_result",
          tool_use_id: id,
          content: broken ? dice.of(FAULTS) : lines.join("\n"),
          ...(broken && { is_error: true }),
        },
      ]),
      assistant(
        broken
          ? `That did not go through; I try ${file} another way next.`
          : `I changed ${file}: ${several(dice, 1, 3)}`,
      ),
    ];
  },
  support: (dice, _turn, length) => [
    user(
      `My ${dice.of(GOODS)} from order ${100_000 + dice.below(900_000)} ${dice.of(PROBLEMS)}. ${dice.of(["What can I do?", "I want my money back.", "Can you send another one?"])}`,
    ),
    assistant(
      `I'm sorry to hear that. Your case is RT-${1_000 + dice.below(9_000)}. ${several(dice, 2 * length, 6 * length)} You will hear from us within ${2 + dice.below(6)} days.`,
    ),
  ],
};

/** `length`: how many times as long as usual, so that a large window fills with no more messages than a small one. */
export function fillerOf(style: Style, dice: Dice, length = 1): Filler {
  let turn = 0;
  return () => MAKERS[style](dice, (turn += 1), length);
}
