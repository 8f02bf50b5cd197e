import { expect, it } from "vitest";
import { type Meaning, meanings } from "../../src/memory/extracting/cues.ts";

const EXAMPLES: Readonly<Record<Meaning, Readonly<Record<"match" | "not", readonly string[]>>>> = {
  about: {
    match: ["My name is Ada.", "I'm a nurse in Leeds.", "Our CI runs on GitHub Actions."],
    not: ["Can you look at the tests?", "Great, thank you!"],
  },
  prefers: {
    match: ["I would prefer the larger one.", "I do not want insurance."],
    not: ["I'd like to book a flight.", "How are you?"],
  },
  needs: {
    match: ["I'm allergic to peanuts, so food needs some care."],
    not: ["I like peanuts.", "I need a table for two."],
  },
  rules: {
    match: ["Always answer in German.", "Invalid themes must NEVER explode.", "No console logs!"],
    not: ["Where is the file?", "The build runs in CI."],
  },
  decides: {
    match: ["Let's go with Postgres.", "We decided to drop IE.", "I'll go with the second option."],
    not: ["Should we go?", "What is this?"],
  },
  plans: {
    match: ["I'm planning a trip to Japan in April.", "My goal is a championship."],
    not: ["Are you free?", "Well done!"],
  },
  corrects: {
    match: [
      "Actually it is 9443.",
      "That's not the system prompt, see main.ts.",
      "I meant Tuesday.",
    ],
    not: ["Costs are listed below.", "Thanks, that helped!"],
  },
  requests: {
    match: ["Please cancel my booking.", "Fix the login page.", "Could you check the logs?"],
    not: ["I live in Bern.", "The meeting moved to Thursday."],
  },
  withdraws: { match: ["Never mind, it works."], not: ["Don't forget the milk."] },
  remember: {
    match: ["Remember that my dentist is Dr. Moss.", "For the record, the port is 9443."],
    not: ["Do you recall it?"],
  },
  thanks: {
    match: ["Thanks a lot!", "That is great.", "No, all good."],
    not: ["The deadline is Friday."],
  },
  done: {
    match: ["All done: the epic is closed.", "The reservation has been cancelled."],
    not: ["Let me look at the file.", "Which one do you want?"],
  },
  refuses: { match: ["Unfortunately the seat cannot be changed."], not: ["It works now."] },
  because: {
    match: ["It fails because the port is taken.", "SQLite doesn't support ALTER TABLE modify."],
    not: ["Let me read the file."],
  },
  states: {
    match: ["The meeting moved to Thursday 3pm.", "The API rate limit is 50 requests per minute."],
    not: ["Sleep five seconds.", "Copy the dark theme over."],
  },
};

it.each(Object.entries(EXAMPLES) as [Meaning, (typeof EXAMPLES)[Meaning]][])(
  "phrases of the meaning “%s” match their examples, and not those that mean something else",
  (meaning, { match, not }) => {
    expect(match.filter((sentence) => !meanings(sentence).has(meaning))).toEqual([]);
    expect(not.filter((sentence) => meanings(sentence).has(meaning))).toEqual([]);
  },
);

it("reads a beginning behind what fills it", () => {
  expect(meanings("Well, actually it is Tuesday").has("corrects")).toBe(true);
  expect(meanings("What was actually meant?").has("corrects")).toBe(false);
});
