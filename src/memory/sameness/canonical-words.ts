/** Closed lists: each entry means the same in every sentence it can stand in, or it is not here. */

export const setOf = (words: string): ReadonlySet<string> => new Set(words.split(" "));

/** A word, and what stands for it, of each. */
const pairs = (text: string): ReadonlyMap<string, string> =>
  new Map(
    text.split(", ").map((pair) => {
      const [word = "", ...rest] = pair.split(" ");
      return [word, rest.join(" ")];
    }),
  );

export const CONTRACTIONS = pairs(
  "can't can not, cannot can not, won't will not, shan't shall not, let's let us, gonna going to, wanna want to",
);

/** Before 's these are "is"; behind a noun it is as often a possession. */
export const PRONOUNS = setOf("i you he she it we they that there what who where here this");

/** Colour a sentence without changing what it says, unless negated: "not really". */
export const FILLERS = setOf("really very actually basically indeed currently presently");
export const NEGATIONS = setOf("not never no nor neither hardly barely without");

/** Behind these "that" may be left out. */
export const SAYING = setOf(
  "say says said think thinks thought believe believes believed know knows knew hope hopes hoped feel feels felt mention mentions mentioned note notes noted explain explains explained",
);

/** Words that open a phrase which may stand first or last. */
export const FRONTS = setOf(
  "in on at by before after during since until every last next this yesterday today tomorrow tonight recently usually sometimes for from with without as",
);

export const SPELLINGS = pairs(
  "colour color, colours colors, favourite favorite, favourites favorites, neighbour neighbor, neighbours neighbors, " +
    "neighbourhood neighborhood, behaviour behavior, harbour harbor, labour labor, honour honor, flavour flavor, flavours flavors, " +
    "humour humor, centre center, centres centers, theatre theater, metre meter, metres meters, kilometre kilometer, " +
    "kilometres kilometers, litre liter, litres liters, licence license, defence defense, grey gray, tyre tire, travelling traveling, " +
    "travelled traveled, cancelled canceled, cancelling canceling, programme program, programmes programs, catalogue catalog, " +
    "dialogue dialog, jewellery jewelry, kid child, kids children, mum mother, mom mother, mums mothers, moms mothers, dad father, " +
    "dads fathers, photo photograph, photos photographs, movie film, movies films, bike bicycle, bikes bicycles, tv television, " +
    "fridge refrigerator, e-mail email, e-mails emails, ok okay, till until, thru through, etc. etc, whilst while, amongst among, " +
    "purchased bought, vs versus",
);
