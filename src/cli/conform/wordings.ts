import { type Dice } from "./dice.ts";
import { type Kind } from "./canary.ts";
import { type Words } from "./words.ts";

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
type Wording = (words: Words, dice: Dice) => Said;

const user = (text: string, question: string, ...needs: string[]): Said => ({
  by: "user",
  text,
  question,
  needs,
});
const assistant = (text: string, question: string, ...needs: string[]): Said => ({
  by: "assistant",
  text,
  question,
  needs,
});

const DAYS = ["Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"];
const DEEDS = [
  "repaint",
  "rename",
  "translate",
  "measure",
  "photograph",
  "reprint",
  "inspect",
  "relabel",
];
const PAPERS = [
  "leaflet",
  "invoice",
  "checklist",
  "timetable",
  "postcard",
  "poster",
  "questionnaire",
  "receipt",
];
const TRAITS = ["deadline", "opening hour", "price", "weight limit", "capacity", "floor area"];
const REASONS = [
  "the hinges rusted",
  "the supplier went bankrupt",
  "the battery drained overnight",
  "the driver leaked memory",
  "half of the rows came out twice",
  "the lock file was stale",
];
const slug = (thing: string): string => thing.replace(/ /g, "-");

/** Every second wording was not looked at while Tidemark was made to keep them (see bench/canaries.ts). */
export const WORDINGS: Readonly<Record<Kind, readonly Wording[]>> = {
  name: [
    (w) =>
      ((thing, name) =>
        user(
          `My contact at the ${thing} is called ${name}.`,
          `What is my contact at the ${thing} called?`,
          name,
        ))(w.thing(), w.name()),
    (w) =>
      ((thing, name) =>
        user(
          `By the way, the person to ask about the ${thing} is ${name}.`,
          `Who is the person to ask about the ${thing}?`,
          name,
        ))(w.thing(), w.name()),
    (w) =>
      ((thing, one, two) =>
        user(
          `${one} ${two} took over the ${thing} last week, so she signs from here on.`,
          `Who took over the ${thing}?`,
          one,
          two,
        ))(w.thing(), w.name(), w.name()),
    (w) =>
      ((thing, name) =>
        user(
          `You can simply write to ${name} if the ${thing} comes up again.`,
          `To whom can one write about the ${thing}?`,
          name,
        ))(w.thing(), w.name()),
    (w) =>
      ((thing, name) =>
        user(
          `We named the cat that lives in the ${thing} ${name}, and it stuck.`,
          `What did we name the cat that lives in the ${thing}?`,
          name,
        ))(w.thing(), w.name()),
    (w) =>
      ((thing, name) =>
        user(
          `Hi, ${name} here, the new caretaker of the ${thing}.`,
          `Who is the new caretaker of the ${thing}?`,
          name,
        ))(w.thing(), w.name()),
    (w) =>
      ((thing, name) =>
        assistant(
          `I spoke with the ${thing}: the manager there is ${name}, and she will call back.`,
          `Who is the manager of the ${thing}?`,
          name,
        ))(w.thing(), w.name()),
  ],
  number: [
    (w) =>
      ((thing, n) =>
        user(
          `The budget for the ${thing} is ${n} euros.`,
          `What is the budget for the ${thing}?`,
          n,
        ))(w.thing(), w.number(5)),
    (w) =>
      ((thing, n) =>
        user(
          `Please use port ${n} for the ${thing} when you set it up.`,
          `Which port is used for the ${thing}?`,
          n,
        ))(w.thing(), w.number(4)),
    (w) =>
      ((thing, n) =>
        user(`Order ${n} belongs to the ${thing}.`, `Which order belongs to the ${thing}?`, n))(
        w.thing(),
        w.number(6),
      ),
    (w) =>
      ((thing, n) =>
        user(
          `There are only ${n} seats left at the ${thing}.`,
          `How many seats are left at the ${thing}?`,
          n,
          thing,
        ))(w.thing(), w.number(2)),
    (w) =>
      ((thing, n) =>
        user(
          `Our customer number with the ${thing} is ${n}, they always ask for it.`,
          `What is our customer number with the ${thing}?`,
          n,
        ))(w.thing(), w.number(7)),
    (w) =>
      ((thing, n) =>
        user(
          `Cap the ${thing} at ${n} requests per minute.`,
          `At how many requests per minute is the ${thing} capped?`,
          n,
          thing,
        ))(w.thing(), w.number(3)),
    (w) =>
      ((thing, n) =>
        assistant(
          `I counted the crates in the ${thing}: there are ${n}.`,
          `How many crates are in the ${thing}?`,
          n,
        ))(w.thing(), w.number(4)),
  ],
  path: [
    (w) =>
      ((thing, name) =>
        user(
          `The settings of the ${thing} live in /srv/${name.toLowerCase()}/settings.toml.`,
          `Where do the settings of the ${thing} live?`,
          `/srv/${name.toLowerCase()}/settings.toml`,
        ))(w.thing(), w.name()),
    (w) =>
      ((thing, name) =>
        user(
          `Put the report about the ${thing} into docs/${name.toLowerCase()}/report.md, please.`,
          `Into which file goes the report about the ${thing}?`,
          `docs/${name.toLowerCase()}/report.md`,
        ))(w.thing(), w.name()),
    (w) =>
      ((thing, name) =>
        assistant(
          `I saved the draft for the ${thing} as drafts/${name.toLowerCase()}_v2.txt.`,
          `As which file was the draft for the ${thing} saved?`,
          `drafts/${name.toLowerCase()}_v2.txt`,
        ))(w.thing(), w.name()),
    (w) =>
      ((thing, name) =>
        user(
          `Have a look at src/${name.toLowerCase()}/index.ts before you touch the ${thing}.`,
          `Which file should be looked at before touching the ${thing}?`,
          `src/${name.toLowerCase()}/index.ts`,
        ))(w.thing(), w.name()),
    (w) =>
      ((thing, path) => ({
        by: "call" as const,
        text: `I'll write the notes on the ${thing} down.`,
        question: `Which file was written about the ${thing}?`,
        needs: [path],
        call: {
          name: "write_file",
          input: { path, content: `Notes on the ${thing}\n\nAll in order.` },
          answer: "ok",
          failed: false,
        },
      }))(
        ...((thing: string): [string, string] => [thing, `/home/ann/${slug(thing)}/notes.md`])(
          w.thing(),
        ),
      ),
    (w) =>
      ((thing, name) =>
        user(
          `C:\\Data\\${name}\\plan.xlsx is the current plan of the ${thing}.`,
          `Which file is the current plan of the ${thing}?`,
          `C:\\Data\\${name}\\plan.xlsx`,
        ))(w.thing(), w.name()),
    (w) =>
      ((thing, name) =>
        assistant(
          `The photographs of the ${thing} can be found under ~/pictures/${name.toLowerCase()}/.`,
          `Under which folder can the photographs of the ${thing} be found?`,
          `~/pictures/${name.toLowerCase()}`,
        ))(w.thing(), w.name()),
  ],
  decision: [
    (w) =>
      ((thing, name) =>
        user(
          `Let's go with ${name} for the ${thing}.`,
          `What do we go with for the ${thing}?`,
          name,
        ))(w.thing(), w.name()),
    (w) =>
      ((thing, name) =>
        user(
          `After some back and forth: ${name} it is, for the ${thing}.`,
          `What was it after some back and forth for the ${thing}?`,
          name,
        ))(w.thing(), w.name()),
    (w) =>
      ((thing, name) =>
        user(
          `We have decided that the ${thing} stays with ${name}.`,
          `With whom or what does the ${thing} stay?`,
          name,
        ))(w.thing(), w.name()),
    (w) =>
      ((thing, name) =>
        user(
          `OK, settled. ${name} for the ${thing}, and nothing else.`,
          `What is settled for the ${thing}?`,
          name,
        ))(w.thing(), w.name()),
    (w, d) =>
      ((thing, name, day) =>
        user(
          `I talked to the others, and the ${thing} moves to ${name} on ${day}.`,
          `To what does the ${thing} move?`,
          name,
        ))(w.thing(), w.name(), d.of(DAYS)),
    (w) =>
      ((thing, name) =>
        assistant(
          `Agreed: the ${thing} will be built by ${name}, because they are the only ones who can start in time.`,
          `By whom will the ${thing} be built?`,
          name,
        ))(w.thing(), w.name()),
    (w) =>
      ((thing, name) =>
        user(
          `Between the two I choose ${name} for the ${thing}.`,
          `What did I choose for the ${thing}?`,
          name,
        ))(w.thing(), w.name()),
  ],
  correction: [
    (w, d) =>
      ((thing, trait, old, now) =>
        user(
          `No, the ${trait} of the ${thing} is ${now}, not ${old}.`,
          `What is the ${trait} of the ${thing}?`,
          now,
        ))(w.thing(), d.of(TRAITS), w.number(4), w.number(4)),
    (w, d) =>
      ((thing, trait, now) =>
        user(
          `I was mistaken about the ${trait} of the ${thing} earlier, it is ${now}.`,
          `What is the ${trait} of the ${thing}?`,
          now,
        ))(w.thing(), d.of(TRAITS), w.number(4)),
    (w, d) =>
      ((thing, trait, now) =>
        user(
          `Correction: the ${trait} of the ${thing} should read ${now}.`,
          `What should the ${trait} of the ${thing} read?`,
          now,
        ))(w.thing(), d.of(TRAITS), w.number(4)),
    (w, d) =>
      ((thing, trait, old, now) =>
        user(
          `You wrote ${old} for the ${trait} of the ${thing}; it has to be ${now}.`,
          `What does the ${trait} of the ${thing} have to be?`,
          now,
        ))(w.thing(), d.of(TRAITS), w.number(4), w.number(4)),
    (w) =>
      ((thing, old, now) =>
        user(
          `Sorry, I misspoke: ${now} runs the ${thing}, not ${old}.`,
          `Who runs the ${thing}?`,
          now,
        ))(w.thing(), w.name(), w.name()),
    (w) =>
      ((thing, old, now) =>
        user(
          `Scratch ${old}. The ${thing} uses ${now} these days.`,
          `What does the ${thing} use these days?`,
          now,
        ))(w.thing(), w.name(), w.name()),
    (w) =>
      ((thing, old, now) =>
        user(
          `Actually, the ${thing} belongs to ${now} and not to ${old}.`,
          `To whom does the ${thing} belong?`,
          now,
        ))(w.thing(), w.name(), w.name()),
  ],
  "open request": [
    (w, d) =>
      ((thing, paper) =>
        user(
          `Later, once all this is done, please also design a ${paper} for the ${thing}.`,
          `What should be designed for the ${thing} later?`,
          thing,
          paper,
        ))(w.thing(), d.of(PAPERS)),
    (w, d) =>
      ((thing, deed, day) =>
        user(
          `Don't forget to ${deed} the ${thing} before ${day}.`,
          `What must not be forgotten about the ${thing}?`,
          thing,
          deed,
        ))(w.thing(), d.of(DEEDS), d.of(DAYS)),
    (w, d) =>
      ((thing, paper) =>
        user(
          `I still need a ${paper} about the ${thing} from you, but not now.`,
          `What is still needed about the ${thing}?`,
          thing,
          paper,
        ))(w.thing(), d.of(PAPERS)),
    (w) =>
      ((thing, name) =>
        user(
          `Remind me to call ${name} about the ${thing}.`,
          `Whom should I be reminded to call about the ${thing}?`,
          name,
          thing,
        ))(w.thing(), w.name()),
    (w, d) =>
      ((thing, deed) =>
        user(
          `At the end, ${deed} the ${thing} too.`,
          `What should be done with the ${thing} at the end?`,
          thing,
          deed,
        ))(w.thing(), d.of(DEEDS)),
    (w, d) =>
      ((thing, deed) =>
        user(
          `One more thing for when we have time: ${deed} the ${thing}.`,
          `What should be done with the ${thing} when we have time?`,
          thing,
          deed,
        ))(w.thing(), d.of(DEEDS)),
    (w, d) =>
      ((thing, paper, name) =>
        user(
          `By the end of the week I want you to send ${name} the ${paper} of the ${thing}.`,
          `What should be sent about the ${thing}, and to whom?`,
          thing,
          paper,
          name,
        ))(w.thing(), d.of(PAPERS), w.name()),
  ],
  "failed approach": [
    (w, d) =>
      ((thing, name, why) =>
        assistant(
          `I tried ${name} for the ${thing}, but it failed because ${why}.`,
          `Why did ${name} fail for the ${thing}?`,
          name,
          why,
        ))(w.thing(), w.name(), d.of(REASONS)),
    (w, d) =>
      ((thing, name, why) =>
        user(
          `We already had ${name} at the ${thing} once; it was no good, ${why}.`,
          `Why was ${name} no good at the ${thing}?`,
          name,
          why,
        ))(w.thing(), w.name(), d.of(REASONS)),
    (w, d) =>
      ((thing, name, why) =>
        assistant(
          `${name} did not work on the ${thing}: ${why}.`,
          `Why did ${name} not work on the ${thing}?`,
          name,
          why,
        ))(w.thing(), w.name(), d.of(REASONS)),
    (w) =>
      ((thing, name) =>
        user(
          `Don't bother with ${name}, that broke the ${thing} last time.`,
          `What broke the ${thing} last time?`,
          name,
          thing,
        ))(w.thing(), w.name()),
    (w, d) =>
      ((thing, name, why) =>
        assistant(
          `Using ${name} turned out to be a dead end for the ${thing}, since ${why}.`,
          `What turned out to be a dead end for the ${thing}?`,
          name,
          why,
        ))(w.thing(), w.name(), d.of(REASONS)),
    (w) =>
      ((thing, name, code) => ({
        by: "call" as const,
        text: `Let me build the ${thing} with ${name}.`,
        question: `What went wrong when building the ${thing} with ${name.toLowerCase()}?`,
        needs: [name.toLowerCase(), code],
        call: {
          name: "run",
          input: { command: `${name.toLowerCase()} build --target ${slug(thing)}` },
          answer: `error E${code}: the hinge module is not compatible with this target`,
          failed: true,
        },
      }))(w.thing(), w.name(), w.number(4)),
    (w, d) =>
      ((thing, name, why) =>
        user(
          `${name} is out for the ${thing}: when we tested it, ${why}.`,
          `Why is ${name} out for the ${thing}?`,
          name,
          why,
        ))(w.thing(), w.name(), d.of(REASONS)),
  ],
  rule: [
    (w, d) =>
      ((thing, deed, day) =>
        user(
          `Never ${deed} the ${thing} on a ${day}.`,
          `When must one never ${deed} the ${thing}?`,
          thing,
          day,
        ))(w.thing(), d.of(DEEDS), d.of(DAYS)),
    (w, d) =>
      ((thing, paper) =>
        user(
          `No ${paper} leaves the ${thing} without two signatures.`,
          `What does no ${paper} leave the ${thing} without?`,
          thing,
          "two signatures",
        ))(w.thing(), d.of(PAPERS)),
    (w, d) =>
      ((thing, paper, name) =>
        user(
          `From now on every ${paper} for the ${thing} must be shown to ${name} first.`,
          `To whom must every ${paper} for the ${thing} be shown?`,
          thing,
          name,
        ))(w.thing(), d.of(PAPERS), w.name()),
    (w, d) =>
      ((thing, deed, name) =>
        user(
          `Only ${name} is allowed to ${deed} the ${thing}.`,
          `Who is allowed to ${deed} the ${thing}?`,
          thing,
          name,
        ))(w.thing(), d.of(DEEDS), w.name()),
    (w) =>
      ((thing) =>
        user(
          `Please give all figures of the ${thing} in metric tons, always.`,
          `In what are all figures of the ${thing} given?`,
          thing,
          "metric tons",
        ))(w.thing()),
    (w, d) =>
      ((thing, deed, name) =>
        user(
          `House rule: nobody may ${deed} the ${thing} unless ${name} is in the building.`,
          `When may nobody ${deed} the ${thing}?`,
          thing,
          name,
        ))(w.thing(), d.of(DEEDS), w.name()),
    (w, d) =>
      ((thing, paper, name) =>
        user(
          `Whenever a ${paper} of the ${thing} is late, tell ${name} before anyone else.`,
          `Who must be told when a ${paper} of the ${thing} is late?`,
          thing,
          name,
        ))(w.thing(), d.of(PAPERS), w.name()),
  ],
};
