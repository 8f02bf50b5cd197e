import { type Dice } from "./dice.ts";

/** One way to say a thing of a kind. "call" stands for a tool call with its input, and what it answered. */
export interface Said {
  readonly by: "user" | "assistant" | "call";
  readonly text: string;
  readonly question: string;
  readonly needs: readonly string[];
  readonly call?: {
    readonly name: string;
    readonly input: Readonly<Record<string, unknown>>;
    readonly answer: string;
    readonly failed: boolean;
  };
}
export type Wording = (words: Words, dice: Dice) => Said;

export const user = (text: string, question: string, ...needs: string[]): Said => ({
  by: "user",
  text,
  question,
  needs,
});
export const assistant = (text: string, question: string, ...needs: string[]): Said => ({
  by: "assistant",
  text,
  question,
  needs,
});

export const DAYS = ["Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"];
export const DEEDS = [
  "repaint",
  "rename",
  "translate",
  "measure",
  "photograph",
  "reprint",
  "inspect",
  "relabel",
];
export const PAPERS = [
  "leaflet",
  "invoice",
  "checklist",
  "timetable",
  "postcard",
  "poster",
  "questionnaire",
  "receipt",
];
export const TRAITS = [
  "deadline",
  "opening hour",
  "price",
  "weight limit",
  "capacity",
  "floor area",
];
export const REASONS = [
  "the hinges rusted",
  "the supplier went bankrupt",
  "the battery drained overnight",
  "the driver leaked memory",
  "half of the rows came out twice",
  "the lock file was stale",
];
export const slug = (thing: string): string => thing.replace(/ /g, "-");

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

/** Words no two canaries of one conversation share. */
interface Words {
  /** "copper lighthouse" */
  thing(): string;
  /** "Brovantha": a word that is in no dictionary. */
  name(): string;
  /** So many digits, never beginning with 0. */
  number(digits: number): string;
}

export function wordsFrom(dice: Dice): Words {
  const adjectives = dice.shuffled(ADJECTIVES);
  const things = dice.shuffled(THINGS);
  const used = new Set<string>();
  let turn = 0;
  const fresh = (make: () => string): string => {
    for (;;) {
      const word = make();
      if (used.has(word)) continue;
      used.add(word);
      return word;
    }
  };
  const syllable = (): string => dice.of(ONSETS) + dice.of(NUCLEI);
  return {
    thing: () =>
      fresh(
        () =>
          `${adjectives[turn % adjectives.length] ?? ""} ${things[turn++ % things.length] ?? ""}`,
      ),
    name: () =>
      fresh(() => {
        const word =
          syllable() + syllable() + (dice.next() < 0.5 ? syllable() : "") + dice.of(CODAS);
        return (word[0] ?? "").toUpperCase() + word.slice(1);
      }),
    number: (digits) =>
      fresh(
        () =>
          String(1 + dice.below(9)) +
          Array.from({ length: digits - 1 }, () => dice.below(10)).join(""),
      ),
  };
}
