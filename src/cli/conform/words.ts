import { type Dice } from "./dice.ts";

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
export interface Words {
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
