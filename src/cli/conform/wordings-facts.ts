import { type Kind } from "./canary.ts";
import { assistant, DAYS, slug, user, type Wording } from "./wording.ts";

/** Ways to say what is so: a name, a number, a path, a decision. */
export const FACTS: Readonly<
  Record<Extract<Kind, "name" | "number" | "path" | "decision">, readonly Wording[]>
> = {
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
};
