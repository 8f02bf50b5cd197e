// Sentences nobody has seen before: forms that people speak in, filled with the words of twelve domains. What is drawn depends on the seed alone.
// Whole transcripts in the forms of the labelled ones are drawn in drawn/transcripts.ts.
import { DOMAINS as OF_TRANSCRIPTS } from "./drawn/domains.ts";
import { MOMENTS } from "./drawn/moments.ts";
import { Dice } from "./trial/dice.ts";

interface Domain {
  /** What its people do, behind "I". */
  readonly does: string;
  readonly thing: string;
  readonly person: string;
  readonly event: string;
  readonly like: string;
  readonly other: string;
}
const domain = (
  does: string,
  thing: string,
  person: string,
  event: string,
  [like, other]: readonly [string, string],
): Domain => ({ does, thing, person, event, like, other });

const DOMAINS: readonly Domain[] = [
  domain("sail on the Elbe", "dinghy", "skipper", "regatta", ["tillers", "wheels"]),
  domain("bake bread for a market", "oven", "apprentice", "market day", ["spelt", "rye"]),
  domain("collect meteorites", "telescope", "observer", "star party", ["refractors", "mirrors"]),
  domain("knit for a shop in Bergen", "loom", "wool dealer", "craft fair", ["alpaca", "acrylic"]),
  domain("own nineteen hives", "extractor", "mentor", "honey harvest", ["heather", "clover"]),
  domain("play chess for Hastings", "clock", "opponent", "qualifier", ["gambits", "endgames"]),
  domain("teach pottery at a college", "kiln", "student", "glaze course", ["stoneware", "raku"]),
  domain("work as a stage manager", "lighting desk", "director", "premiere", [
    "farces",
    "musicals",
  ]),
  domain("work nights on a stroke ward", "monitor", "ward sister", "audit", ["paper", "tablets"]),
  domain("drive a combine in autumn", "tractor", "vet", "cattle sale", ["barley", "maize"]),
  domain("run a web shop for stamps", "label printer", "supplier", "stocktaking", ["DHL", "UPS"]),
  domain("build robots with pupils", "gripper", "sponsor", "robot cup", ["servos", "steppers"]),
];

type Form = (of: Domain, dice: Dice) => string;
const NAMES = "Ilka Bruno Odette Marek Sunniva Tariq Wilma Ansel Pilar Goran Neele Jarvis".split(
  " ",
);
const MONTHS = "January February March April June July August September October".split(" ");
const name = (dice: Dice): string => dice.of(NAMES);
const figure = (dice: Dice): number => 11 + dice.below(980);
const day = (dice: Dice): string => `${1 + dice.below(28)} ${dice.of(MONTHS)}`;

/** A person would want these kept, and says so plainly: asked for, one's own, wished for, named. */
const PLAIN: readonly Form[] = [
  (of, dice) => `Remember that the spare key of the ${of.thing} is with ${name(dice)}.`,
  (of, dice) => `My ${of.person} is ${name(dice)} ${dice.of(["Vance", "Okoro", "Lindt"])}.`,
  ({ does }) => `I ${does}.`,
  ({ like, other }) => `I prefer ${like} over ${other}.`,
  ({ other }) => `I can't stand ${other}.`,
  ({ thing }, dice) => `Our ${thing} is called ${name(dice)}.`,
  ({ event }, dice) => `The ${event} moved to ${day(dice)}.`,
  ({ other }) => `Never suggest ${other} to me.`,
  ({ person }, dice) => `Always answer as briefly as my ${person} ${name(dice)} would.`,
  ({ thing }, dice) => `My ${thing} cost ${figure(dice)} euros.`,
  ({ thing }, dice) => `I bought a new ${thing} from ${name(dice)} on ${day(dice)}.`,
  ({ other }) => `From now on leave ${other} out of your lists.`,
  ({ like, other }) => `I switched from ${other} to ${like}.`,
  ({ event }, dice) => `The ${event} is on ${day(dice)} in ${dice.of(["Gent", "Oulu", "Cork"])}.`,
  ({ thing }) => `We no longer have a ${thing}.`,
  // As people speak, besides.
  ({ thing }, dice) =>
    `We've got ${figure(dice)} litres of oil for the ${thing}, ${name(dice)} knows where.`,
  ({ person }, dice) => `${name(dice)}, my ${person}, wants the list by ${day(dice)}.`,
  ({ event }, dice) => `Half of the ${event} is paid, the other ${figure(dice)} euros follow.`,
  ({ thing }, dice) => `Since ${dice.of(MONTHS)} the ${thing} stands at ${name(dice)}'s place.`,
  ({ other }) => `As for ${other}: not with me.`,
  ({ thing }) => `Give what a ${thing} costs in pounds, I can't think in euros.`,
  ({ like }) => `When you name ${like}, name the maker too.`,
  ({ person, does }) => `I ${does}, as my ${person} may have told you.`,
];
/** Of this moment, asked, wondered, another's. */
const NOISE: readonly Form[] = [
  ({ thing }) => `Which ${thing} is best for a beginner?`,
  (_, dice) => dice.of(["What a day!", "Sounds good to me.", "Phew, that took long.", "Oh well."]),
  ({ thing }, dice) => `Show me ${figure(dice)} pictures of a ${thing}, please.`,
  ({ thing }) => `I might buy another ${thing} some day.`,
  ({ does }) => `If I were rich, I would ${does} all year.`,
  ({ thing, person }) => `My ${person} wants a bigger ${thing}.`,
  ({ thing }) => `The ${thing} looks fine now.`,
  ({ person }) => `Give me a minute, the ${person} is at the door.`,
  ({ thing }) => `Let me look at the ${thing} again.`,
  ({ event }) => `I was at the ${event} this morning.`,
  ({ thing }, dice) => `Haha, my ${thing} is called King ${name(dice)}.`,
  ({ like }) => `Some people say ${like} are overrated.`,
  ({ thing }) => `Check the ${thing} once more.`,
  ({ does }, dice) => `Suppose I ${does}: what would I earn by ${day(dice)}?`,
  ({ event }) => `I'm so tired after the ${event}.`,
];
/** What they hold is nobody's: translated, played, passed on, made up. */
const FRAMED: readonly Form[] = [
  ({ does }, dice) => `Put this into Dutch: I ${does} and my name is ${name(dice)}.`,
  ({ does, person }) => `Pretend you are my ${person}. I ${does} and I never pay.`,
  ({ does, person }) => `My ${person} wrote: "I ${does} and I hate Mondays." What do I answer?`,
  ({ does, like }) => `Write a poem in my voice: I ${does}, I always prefer ${like}.`,
  ({ does, person }, dice) =>
    `Here is a mail I got:\n\nHi,\nI ${does} until ${day(dice)}.\nYour ${person} ${name(dice)}`,
  ({ does, thing }) => `What if I lost my ${thing}? Imagine I ${does}.`,
];

export const DRAWN = { plain: 60, noise: 60, framed: 36 } as const;
/** How often the shares of what is said of the moment are drawn. */
const ROUNDS = 3;

export function drawn(seed: number): Record<keyof typeof DRAWN | "moments", string[]> {
  const dice = new Dice(seed);
  const draw = (forms: readonly Form[], many: number): string[] => {
    const all = DOMAINS.flatMap((of) => forms.map((form) => ({ of, form })));
    return dice
      .shuffled(all)
      .slice(0, many)
      .map(({ of, form }) => form(of, dice));
  };
  return {
    plain: draw(PLAIN, DRAWN.plain),
    noise: draw(NOISE, DRAWN.noise),
    framed: draw(FRAMED, DRAWN.framed),
    moments: MOMENTS.flatMap(({ share, says }) =>
      Array.from({ length: share * ROUNDS }, () => says(dice.of(OF_TRANSCRIPTS), dice)),
    ),
  };
}
