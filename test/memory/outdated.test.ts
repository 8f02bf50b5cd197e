import { describe, expect, it } from "vitest";
import { modelDistiller } from "../../src/memory/extracting/ask-model.ts";
import { leftOf, outdates } from "../../src/memory/recalling/outdated.ts";
import { anthropic } from "../../src/providers/anthropic/messages.ts";
import { DAY, openRoom, START } from "../support/memory-room.ts";
import { user } from "../support/talk.ts";

describe("a newer statement", () => {
  it.each([
    ["The user lives in Hamburg.", "The user moved to Bremen."],
    ["The API listens on port 8443.", "The API listens on port 9443."],
    ["The weekly sync is on Tuesday at 10.", "The weekly sync moved to Thursday at 14:00."],
    ["The user works at Acme as an engineer.", "The user works at Globex as a manager."],
    ["Marta is the user's manager.", "Jonas is the user's manager now."],
    ["The user wants answers in bullet points.", "The user does not want bullet points any more."],
    ["My gym is Fit24 on Elm Street.", "I switched to the climbing gym, no more Fit24."],
    ["The user has a dog called Rex.", "The user's dog Rex has died."],
    ["The user plans a trip to Rome in June.", "The trip to Rome is cancelled."],
    ["The contact at the museum is Ms. Claes.", "Ms. Claes left the museum."],
    ["I drive a VW Golf from 2014.", "I sold the Golf last week."],
    ["I go to the gym on Sundays.", "My gym closed down so I don't go any more."],
    ["My budget for the bike is 300 euros.", "I can go up to 400 euros for the bike."],
    ["My monthly rent is 1200 euros.", "My rent went up, it's 1400 now."],
    ["Our staging server runs on port 4100.", "We moved staging to port 4200."],
    ["My boyfriend Tom is a nurse.", "Tom and I broke up."],
    ["The user works as a courier.", "The user works as a florist."],
    ["User: Don't book me on Fridays.", "User: You can book me on Fridays again."],
    ["User: We use npm for the site.", "User: Correction: we use pnpm for the site, not npm."],
  ])("makes untrue: %s %s", (older, newer) => {
    expect(outdates(newer, older)).toBe(true);
    expect(outdates(older, older)).toBe(false);
  });

  it.each([
    ["The staging database is on port 5433.", "The production database is on port 5432."],
    ["The gateway is on port 8081 in staging.", "The gateway is on port 9090 in production."],
    ["The user is allergic to nuts.", "The user is allergic to shellfish."],
    ["The user has a cat named Luna.", "The user has a cat named Oliver."],
    ["The user's sister Ann lives in Bergen.", "The user's sister Eva lives in Bergen."],
    ["The user visited Rome in 2022.", "The user visited Paris in 2023."],
    ["The user wants answers in bullet points.", "The user wants answers without emojis."],
    ["The school is in Laboe.", "The school is closed on Mondays."],
    ["I work at Vodafone in customer care.", "We moved the customer meeting to Friday."],
    ["I swim every morning.", "I stopped at the bakery on my way."],
    ["The launch is on 3 May.", "The rehearsal was pushed to 2 May."],
    ["My car is a Fiat.", "My brother sold his Fiat."],
    ["The project uses pnpm.", "The project uses PostgreSQL."],
    ["User: My parents live in Berlin.", "User: I live in Hamburg now, no longer in Berlin."],
  ])("leaves what is something else: %s %s", (older, newer) => {
    expect(outdates(newer, older)).toBe(false);
  });
});

it("what a newer fact makes untrue is past, whatever the model names, and by no lesser voice", async () => {
  const { memories, clock } = openRoom();
  const tell = (content: string, origin: "user" | "tool") =>
    memories.saveAll([{ content, origin }], "user:ada");
  await tell("Ada's dentist is Dr. Moss.", "user");
  clock.now += DAY;
  await tell("Ada's dentist is Dr. Vole now.", "tool");
  expect(await memories.list()).toHaveLength(2);
  await tell("Ada's new dentist is Dr. Lee.", "user");
  const told = (await memories.recall("dentist")).map(({ text }) => text);
  expect(told).toContain("Ada's new dentist is Dr. Lee.");
  expect(told).not.toContain("Ada's dentist is Dr. Moss.");
  const [then] = await memories.recall("dentist", { asOf: START });
  expect(then?.text).toBe("Ada's dentist is Dr. Moss.");
});

it("a model is shown what is known by short names, and says what it ends or confirms", async () => {
  const known = [
    { id: "a", content: "The user lives in Kiel." },
    { id: "b", content: "The user has a boat." },
  ];
  const asked: string[] = [];
  const reply = {
    facts: [
      { content: "The user lives in Laboe.", importance: 0.8, replaces: ["m1"], from: [1] },
      { ends: ["m2", "m9"], from: [1] },
    ],
  };
  const distil = modelDistiller({
    complete: async ({ messages }) => {
      asked.push(JSON.stringify(messages));
      return { text: JSON.stringify(reply) };
    },
    chunkTokens: 10_000,
  });
  const messages = [user("I live in Laboe now, and the boat is sold.")];
  const task = { dialect: anthropic, messages, factsFrom: 0, summaryTokens: 0, known };
  const signal = new AbortController().signal;
  const { facts } = await distil({ ...task, signal });
  expect(asked[0]).toContain("- [m1] The user lives in Kiel.");
  expect(facts.map(({ content, replaces }) => [content, replaces])).toEqual([
    ["The user lives in Laboe.", ["a"]],
    ["", ["b"]],
  ]);
});

it("what a model says is over or holds still is so", async () => {
  const { memories, clock } = openRoom({ home: "user:ada" });
  const tell = (facts: Parameters<typeof memories.saveAll>[0]) =>
    memories.saveAll(facts, "user:ada");
  const { saved } = await tell([
    { content: "Ada has a boat.", origin: "user" },
    { content: "Ada lives in Kiel.", origin: "user", category: "identity" },
  ]);
  // One who moves does not name the old town.
  expect(await memories.akin("Boxes!", 9, false)).toMatchObject([{ id: saved[1]?.id }]);
  const [boat, kiel] = saved.map(({ id }) => [id]);
  clock.now += DAY;
  await tell([
    { content: "", origin: "tool", replaces: kiel },
    { content: "", origin: "user", replaces: boat, confirms: kiel },
  ]);
  expect((await memories.list()).map(({ content }) => content)).toEqual(["Ada lives in Kiel."]);
});

it("a sentence of one's own keeps what a move leaves as it is", () => {
  const said = "User: Our accountant is Piet Vos and invoices are due in 30 days.";
  const now = "User: From this month on our invoices are due in 14 days.";
  expect(leftOf(said, now)).toBe("User: Our accountant is Piet Vos.");
  const three = "User: I'm Jo, I live in Gent and I'm allergic to nuts.";
  const left = "User: I'm Jo. I'm allergic to nuts.";
  expect(leftOf(three, "User: I moved to Brugge.")).toBe(left);
});
