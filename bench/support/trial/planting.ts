import type { Message } from "../../../src/core/request.ts";
import { assistant, type Canary, KINDS, user } from "./canary.ts";
import { Dice } from "./dice.ts";
import { type Said, wordingsOf } from "./wordings.ts";

const PROMPTS = [
  "How does it look?",
  "Anything new?",
  "What did you find?",
  "And?",
  "Where are we?",
];
const NODS = [
  "Understood.",
  "All right.",
  "Noted.",
  "Got it, thanks.",
  "Good to know.",
  "Thank you, that helps.",
];

/** `each` canaries of every kind, in wordings of their own, in an order of their own. */
export function plant(seed: number, each = 2): Canary[] {
  const dice = new Dice(seed);
  const words = wordsFrom(dice);
  const canaries = KINDS.flatMap((kind) => {
    const wordings = dice.shuffled([...wordingsOf(kind).entries()]);
    return Array.from({ length: each }, (_, turn): Canary => {
      const [wording, blank] = wordings[turn % wordings.length] ?? dice.of(wordings);
      const { question, needs, ...said } = filled(blank, words, dice);
      return { kind, wording, messages: exchange(said, dice), question, needs };
    });
  });
  return dice.shuffled(canaries);
}

/** The exchange begins with the user and ends with the assistant, and says nothing else. */
function exchange({ by, text, call }: Pick<Said, "by" | "text" | "call">, dice: Dice): Message[] {
  if (by === "user") return [user(text), assistant(dice.of(NODS))];
  if (call === undefined) return [user(dice.of(PROMPTS)), assistant(text)];
  const id = `plant_${dice.below(2 ** 31).toString(36)}`;
  return [
    user(dice.of(PROMPTS)),
    assistant([
      { type: "text", text },
      { type: "tool_use", id, name: call.name, input: call.input },
    ]),
    user([
      {
        type: "tool_result",
        tool_use_id: id,
        content: call.answer,
        ...(call.failed && { is_error: true }),
      },
    ]),
    assistant(call.failed ? "That was not it. I leave it for now." : "That is written."),
  ];
}

const DAYS = "Monday Tuesday Wednesday Thursday Friday Saturday Sunday".split(" ");
const DEEDS = "repaint rename translate measure photograph reprint inspect relabel".split(" ");
const PAPERS = "leaflet invoice checklist timetable postcard poster questionnaire receipt".split(
  " ",
);
const TRAITS = ["deadline", "opening hour", "price", "weight limit", "capacity", "floor area"];
const REASONS = [
  "the hinges rusted",
  "the supplier went bankrupt",
  "the battery drained overnight",
  "the driver leaked memory",
  "half of the rows came out twice",
  "the lock file was stale",
];

type Slot = readonly [slot: string, draw: (words: Words, dice: Dice) => string];
const oneOf = (list: readonly string[]) => (_: Words, dice: Dice) => dice.of(list);
const number = (digits: number) => (words: Words) => words.number(digits);

/** What fills the slots, drawn in this order. */
const SLOTS: readonly Slot[] = [
  ["thing", ({ thing }) => thing()],
  ["trait", oneOf(TRAITS)],
  ["paper", oneOf(PAPERS)],
  ["deed", oneOf(DEEDS)],
  ["Name", ({ name }) => name()],
  ["Other", ({ name }) => name()],
  ...[2, 3, 4, 5, 6, 7].map((digits): Slot => [`number${digits}`, number(digits)]),
  ["other4", number(4)],
  ["day", oneOf(DAYS)],
  ["reason", oneOf(REASONS)],
];

/** A wording with its slots filled: `{name}` is `{Name}` in small letters, `{slug}` the thing as a part of a path. */
function filled(wording: Said, words: Words, dice: Dice): Said {
  const text = JSON.stringify(wording);
  const drawn = new Map<string, string>();
  for (const [slot, draw] of SLOTS)
    if (text.includes(`{${slot}}`) || text.includes(`{${slot.toLowerCase()}}`))
      drawn.set(slot, draw(words, dice));
  drawn.set("name", (drawn.get("Name") ?? "").toLowerCase());
  drawn.set("slug", (drawn.get("thing") ?? "").replace(/ /g, "-"));
  return JSON.parse(text.replace(/\{(\w+)\}/g, (_, slot: string) => drawn.get(slot) ?? "")) as Said;
}

const ADJECTIVES =
  "amber arctic autumn brass bronze cedar clay coastal copper coral desert eastern ember foggy granite harbour hidden ivory jade lantern linen lunar maple marble meadow misty mossy northern oaken olive onyx opal pearl pewter prairie quartz quiet raven river rustic saffron scarlet silver sleepy southern stone summer sunny tidal timber upland velvet violet walnut western willow winter woollen".split(
    " ",
  );
const THINGS =
  "almanac archive atlas bakery barometer beacon bindery boathouse brewery catalogue chapel clinic compass crossing dairy depot dispensary dockyard exchange ferry festival forge foundry gallery glossary granary greenhouse harvest herbarium hostel infirmary kiln laundry ledger library lighthouse loom mailroom marina mill mint museum nursery observatory orchard pantry pavilion pharmacy pier planetarium quarry refinery registry sawmill seminar smithy stable tannery terrace theatre tollgate turbine vineyard warehouse weir workshop".split(
    " ",
  );
const ONSETS = "b br d dr f fl g gr h j k kl l m n p pr qu r s sk st t tr v w z".split(" ");
const NUCLEI = "a e i o u ae ia ei ou".split(" ");
const CODAS = "l n r s th ck nd rt x m".split(" ");

type Words = ReturnType<typeof wordsFrom>;

/** Words no two canaries of one conversation share. */
function wordsFrom(dice: Dice) {
  const adjectives = dice.shuffled(ADJECTIVES);
  const things = dice.shuffled(THINGS);
  const used = new Set<string>();
  let turn = 0;
  const fresh = (make: () => string): string => {
    let word = make();
    while (used.has(word)) word = make();
    used.add(word);
    return word;
  };
  const syllable = (): string => dice.of(ONSETS) + dice.of(NUCLEI);
  return {
    /** "copper lighthouse" */
    thing: () =>
      fresh(
        () =>
          `${adjectives[turn % adjectives.length] ?? ""} ${things[turn++ % things.length] ?? ""}`,
      ),
    /** "Brovantha": a word that is in no dictionary. */
    name: () =>
      fresh(() => {
        const word =
          syllable() + syllable() + (dice.next() < 0.5 ? syllable() : "") + dice.of(CODAS);
        return word.slice(0, 1).toUpperCase() + word.slice(1);
      }),
    /** So many digits, never beginning with 0. */
    number: (digits: number) =>
      fresh(
        () =>
          String(1 + dice.below(9)) +
          Array.from({ length: digits - 1 }, () => dice.below(10)).join(""),
      ),
  };
}
