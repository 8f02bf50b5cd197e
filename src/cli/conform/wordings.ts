/**
 * One way to say a thing of a kind, with slots that each canary fills anew: `{thing}`, `{Name}`, `{number4}` (see planting.ts).
 * "call" stands for a tool call with its input, and what it answered.
 */
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

const saidBy =
  (by: "user" | "assistant") =>
  (text: string, question: string, ...needs: string[]): Said => ({ by, text, question, needs });
export const user = saidBy("user");
export const assistant = saidBy("assistant");

/** Ways to say what is so. */
export const FACTS = {
  name: [
    user(
      "My contact at the {thing} is called {Name}.",
      "What is my contact at the {thing} called?",
      "{Name}",
    ),
    user(
      "By the way, the person to ask about the {thing} is {Name}.",
      "Who is the person to ask about the {thing}?",
      "{Name}",
    ),
    user(
      "{Name} {Other} took over the {thing} last week, so she signs from here on.",
      "Who took over the {thing}?",
      "{Name}",
      "{Other}",
    ),
    user(
      "You can simply write to {Name} if the {thing} comes up again.",
      "To whom can one write about the {thing}?",
      "{Name}",
    ),
    user(
      "We named the cat that lives in the {thing} {Name}, and it stuck.",
      "What did we name the cat that lives in the {thing}?",
      "{Name}",
    ),
    user(
      "Hi, {Name} here, the new caretaker of the {thing}.",
      "Who is the new caretaker of the {thing}?",
      "{Name}",
    ),
    assistant(
      "I spoke with the {thing}: the manager there is {Name}, and she will call back.",
      "Who is the manager of the {thing}?",
      "{Name}",
    ),
  ],
  number: [
    user(
      "The budget for the {thing} is {number5} euros.",
      "What is the budget for the {thing}?",
      "{number5}",
    ),
    user(
      "Please use port {number4} for the {thing} when you set it up.",
      "Which port is used for the {thing}?",
      "{number4}",
    ),
    user(
      "Order {number6} belongs to the {thing}.",
      "Which order belongs to the {thing}?",
      "{number6}",
    ),
    user(
      "There are only {number2} seats left at the {thing}.",
      "How many seats are left at the {thing}?",
      "{number2}",
      "{thing}",
    ),
    user(
      "Our customer number with the {thing} is {number7}, they always ask for it.",
      "What is our customer number with the {thing}?",
      "{number7}",
    ),
    user(
      "Cap the {thing} at {number3} requests per minute.",
      "At how many requests per minute is the {thing} capped?",
      "{number3}",
      "{thing}",
    ),
    assistant(
      "I counted the crates in the {thing}: there are {number4}.",
      "How many crates are in the {thing}?",
      "{number4}",
    ),
  ],
  path: [
    user(
      "The settings of the {thing} live in /srv/{name}/settings.toml.",
      "Where do the settings of the {thing} live?",
      "/srv/{name}/settings.toml",
    ),
    user(
      "Put the report about the {thing} into docs/{name}/report.md, please.",
      "Into which file goes the report about the {thing}?",
      "docs/{name}/report.md",
    ),
    assistant(
      "I saved the draft for the {thing} as drafts/{name}_v2.txt.",
      "As which file was the draft for the {thing} saved?",
      "drafts/{name}_v2.txt",
    ),
    user(
      "Have a look at src/{name}/index.ts before you touch the {thing}.",
      "Which file should be looked at before touching the {thing}?",
      "src/{name}/index.ts",
    ),
    {
      by: "call",
      text: "I'll write the notes on the {thing} down.",
      question: "Which file was written about the {thing}?",
      needs: ["/home/ann/{slug}/notes.md"],
      call: {
        name: "write_file",
        input: {
          path: "/home/ann/{slug}/notes.md",
          content: "Notes on the {thing}\n\nAll in order.",
        },
        answer: "ok",
        failed: false,
      },
    },
    user(
      "C:\\Data\\{Name}\\plan.xlsx is the current plan of the {thing}.",
      "Which file is the current plan of the {thing}?",
      "C:\\Data\\{Name}\\plan.xlsx",
    ),
    assistant(
      "The photographs of the {thing} can be found under ~/pictures/{name}/.",
      "Under which folder can the photographs of the {thing} be found?",
      "~/pictures/{name}",
    ),
  ],
  decision: [
    user("Let's go with {Name} for the {thing}.", "What do we go with for the {thing}?", "{Name}"),
    user(
      "After some back and forth: {Name} it is, for the {thing}.",
      "What was it after some back and forth for the {thing}?",
      "{Name}",
    ),
    user(
      "We have decided that the {thing} stays with {Name}.",
      "With whom or what does the {thing} stay?",
      "{Name}",
    ),
    user(
      "OK, settled. {Name} for the {thing}, and nothing else.",
      "What is settled for the {thing}?",
      "{Name}",
    ),
    user(
      "I talked to the others, and the {thing} moves to {Name} on {day}.",
      "To what does the {thing} move?",
      "{Name}",
    ),
    assistant(
      "Agreed: the {thing} will be built by {Name}, because they are the only ones who can start in time.",
      "By whom will the {thing} be built?",
      "{Name}",
    ),
    user(
      "Between the two I choose {Name} for the {thing}.",
      "What did I choose for the {thing}?",
      "{Name}",
    ),
  ],
} satisfies Readonly<Record<string, readonly Said[]>>;
