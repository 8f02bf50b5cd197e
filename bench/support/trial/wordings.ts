import type { Kind } from "./canary.ts";

/** One way to say a thing of a kind, with slots that each canary fills anew: `{thing}`, `{Name}`, `{number4}` (see planting.ts). */
export interface Said {
  readonly by: "user" | "assistant";
  readonly text: string;
  readonly question: string;
  readonly needs: readonly string[];
  /** A tool is called with these words. */
  readonly call?: Call;
}

interface Call {
  readonly name: string;
  readonly input: Readonly<Record<string, unknown>>;
  readonly answer: string;
  readonly failed: boolean;
}

/**
 * A line for each wording: what is said, the question about it, and all that its answer needs. "=" stands before words of the
 * assistant's, "+" where it calls the tool below with them. Every second one was not looked at while Tidemark was made to keep
 * them (see bench/canaries.ts).
 */
const LINES: Readonly<Record<Kind, string>> = {
  name: `
    My contact at the {thing} is called {Name}. | What is my contact at the {thing} called? | {Name}
    By the way, the person to ask about the {thing} is {Name}. | Who is the person to ask about the {thing}? | {Name}
    {Name} {Other} took over the {thing} last week, so she signs from here on. | Who took over the {thing}? | {Name} | {Other}
    You can simply write to {Name} if the {thing} comes up again. | To whom can one write about the {thing}? | {Name}
    We named the cat that lives in the {thing} {Name}, and it stuck. | What did we name the cat that lives in the {thing}? | {Name}
    Hi, {Name} here, the new caretaker of the {thing}. | Who is the new caretaker of the {thing}? | {Name}
    = I spoke with the {thing}: the manager there is {Name}, and she will call back. | Who is the manager of the {thing}? | {Name}
  `,
  number: `
    The budget for the {thing} is {number5} euros. | What is the budget for the {thing}? | {number5}
    Please use port {number4} for the {thing} when you set it up. | Which port is used for the {thing}? | {number4}
    Order {number6} belongs to the {thing}. | Which order belongs to the {thing}? | {number6}
    There are only {number2} seats left at the {thing}. | How many seats are left at the {thing}? | {number2} | {thing}
    Our customer number with the {thing} is {number7}, they always ask for it. | What is our customer number with the {thing}? | {number7}
    Cap the {thing} at {number3} requests per minute. | At how many requests per minute is the {thing} capped? | {number3} | {thing}
    = I counted the crates in the {thing}: there are {number4}. | How many crates are in the {thing}? | {number4}
  `,
  path: `
    The settings of the {thing} live in /srv/{name}/settings.toml. | Where do the settings of the {thing} live? | /srv/{name}/settings.toml
    Put the report about the {thing} into docs/{name}/report.md, please. | Into which file goes the report about the {thing}? | docs/{name}/report.md
    = I saved the draft for the {thing} as drafts/{name}_v2.txt. | As which file was the draft for the {thing} saved? | drafts/{name}_v2.txt
    Have a look at src/{name}/index.ts before you touch the {thing}. | Which file should be looked at before touching the {thing}? | src/{name}/index.ts
    + I'll write the notes on the {thing} down. | Which file was written about the {thing}? | /home/ann/{slug}/notes.md
    C:\\Data\\{Name}\\plan.xlsx is the current plan of the {thing}. | Which file is the current plan of the {thing}? | C:\\Data\\{Name}\\plan.xlsx
    = The photographs of the {thing} can be found under ~/pictures/{name}/. | Under which folder can the photographs of the {thing} be found? | ~/pictures/{name}
  `,
  decision: `
    Let's go with {Name} for the {thing}. | What do we go with for the {thing}? | {Name}
    After some back and forth: {Name} it is, for the {thing}. | What was it after some back and forth for the {thing}? | {Name}
    We have decided that the {thing} stays with {Name}. | With whom or what does the {thing} stay? | {Name}
    OK, settled. {Name} for the {thing}, and nothing else. | What is settled for the {thing}? | {Name}
    I talked to the others, and the {thing} moves to {Name} on {day}. | To what does the {thing} move? | {Name}
    = Agreed: the {thing} will be built by {Name}, because they are the only ones who can start in time. | By whom will the {thing} be built? | {Name}
    Between the two I choose {Name} for the {thing}. | What did I choose for the {thing}? | {Name}
  `,
  correction: `
    No, the {trait} of the {thing} is {other4}, not {number4}. | What is the {trait} of the {thing}? | {other4}
    I was mistaken about the {trait} of the {thing} earlier, it is {number4}. | What is the {trait} of the {thing}? | {number4}
    Correction: the {trait} of the {thing} should read {number4}. | What should the {trait} of the {thing} read? | {number4}
    You wrote {number4} for the {trait} of the {thing}; it has to be {other4}. | What does the {trait} of the {thing} have to be? | {other4}
    Sorry, I misspoke: {Other} runs the {thing}, not {Name}. | Who runs the {thing}? | {Other}
    Scratch {Name}. The {thing} uses {Other} these days. | What does the {thing} use these days? | {Other}
    Actually, the {thing} belongs to {Other} and not to {Name}. | To whom does the {thing} belong? | {Other}
  `,
  "open request": `
    Later, once all this is done, please also design a {paper} for the {thing}. | What should be designed for the {thing} later? | {thing} | {paper}
    Don't forget to {deed} the {thing} before {day}. | What must not be forgotten about the {thing}? | {thing} | {deed}
    I still need a {paper} about the {thing} from you, but not now. | What is still needed about the {thing}? | {thing} | {paper}
    Remind me to call {Name} about the {thing}. | Whom should I be reminded to call about the {thing}? | {Name} | {thing}
    At the end, {deed} the {thing} too. | What should be done with the {thing} at the end? | {thing} | {deed}
    One more thing for when we have time: {deed} the {thing}. | What should be done with the {thing} when we have time? | {thing} | {deed}
    By the end of the week I want you to send {Name} the {paper} of the {thing}. | What should be sent about the {thing}, and to whom? | {thing} | {paper} | {Name}
  `,
  "failed approach": `
    = I tried {Name} for the {thing}, but it failed because {reason}. | Why did {Name} fail for the {thing}? | {Name} | {reason}
    We already had {Name} at the {thing} once; it was no good, {reason}. | Why was {Name} no good at the {thing}? | {Name} | {reason}
    = {Name} did not work on the {thing}: {reason}. | Why did {Name} not work on the {thing}? | {Name} | {reason}
    Don't bother with {Name}, that broke the {thing} last time. | What broke the {thing} last time? | {Name} | {thing}
    = Using {Name} turned out to be a dead end for the {thing}, since {reason}. | What turned out to be a dead end for the {thing}? | {Name} | {reason}
    + Let me build the {thing} with {Name}. | What went wrong when building the {thing} with {name}? | {name} | {number4}
    {Name} is out for the {thing}: when we tested it, {reason}. | Why is {Name} out for the {thing}? | {Name} | {reason}
  `,
  rule: `
    Never {deed} the {thing} on a {day}. | When must one never {deed} the {thing}? | {thing} | {day}
    No {paper} leaves the {thing} without two signatures. | What does no {paper} leave the {thing} without? | {thing} | two signatures
    From now on every {paper} for the {thing} must be shown to {Name} first. | To whom must every {paper} for the {thing} be shown? | {thing} | {Name}
    Only {Name} is allowed to {deed} the {thing}. | Who is allowed to {deed} the {thing}? | {thing} | {Name}
    Please give all figures of the {thing} in metric tons, always. | In what are all figures of the {thing} given? | {thing} | metric tons
    House rule: nobody may {deed} the {thing} unless {Name} is in the building. | When may nobody {deed} the {thing}? | {thing} | {Name}
    Whenever a {paper} of the {thing} is late, tell {Name} before anyone else. | Who must be told when a {paper} of the {thing} is late? | {thing} | {Name}
  `,
};

const CALLS: Readonly<Partial<Record<Kind, Call>>> = {
  path: {
    name: "write_file",
    input: { path: "/home/ann/{slug}/notes.md", content: "Notes on the {thing}\n\nAll in order." },
    answer: "ok",
    failed: false,
  },
  "failed approach": {
    name: "run",
    input: { command: "{name} build --target {slug}" },
    answer: "error E{number4}: the hinge module is not compatible with this target",
    failed: true,
  },
};

export const wordingsOf = (kind: Kind): Said[] =>
  LINES[kind]
    .trim()
    .split(/\n\s*/)
    .map((line) => {
      const [, mark, text = "", question = "", needs = ""] =
        /^([=+]?) ?(.+?) \| (.+?) \| (.+)$/.exec(line) ?? [];
      return {
        by: mark === "" ? "user" : "assistant",
        text,
        question,
        needs: needs.split(" | "),
        call: mark === "+" ? CALLS[kind] : undefined,
      };
    });
