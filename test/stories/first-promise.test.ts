import { describe, expect, it } from "vitest";
import type { Options } from "../../src/index.ts";
import {
  asked,
  clientOf,
  freshFolder,
  freshServer,
  freshTidemark,
  loopOf,
  spoken,
  systemText,
} from "../support/anthropic.ts";
import type { Script } from "../support/messages-server/index.ts";

/** Twelve ordinary turns; what the next session should know stands in five of them. */
const TRIP = [
  "Hi! Can you help me a bit today?",
  "I'm planning a trip to Japan in April with my wife.",
  "What is the weather like there in spring?",
  "Nice. And do people tip in restaurants?",
  "We'll fly from Lisbon, by the way.",
  "Thanks, that helps a lot.",
  "Our budget is 4,000 euro for the two of us.",
  "Is a rail pass worth it?",
  "I'm allergic to peanuts, so food needs some care.",
  "Which cities would you pick for a first visit?",
  "We leave on April 12.",
  "Great, let's go on with this another day.",
];
const KNOWN = [/Japan/, /April 12/, /Lisbon/, /4,000 euro/, /peanuts/];

const FACTS = [
  "The user travels to Japan with his wife, leaving Lisbon on April 12.",
  "The budget for the trip to Japan is 4,000 euro for two.",
  "The user is allergic to peanuts.",
];
const distil: Script = () =>
  JSON.stringify({
    facts: FACTS.map((content, at) => ({
      content,
      category: "identity",
      importance: 0.9 - at / 10,
      from: [3],
    })),
    summary: "They planned a trip.",
  });

/** Sessions one after another, each a process of its own with the real SDK. */
async function traveller() {
  const server = await freshServer({
    window: 1_000_000,
    reply: () => "Sure, with pleasure.",
    distil,
  });
  const workspace = freshFolder();
  const session = async (texts: readonly string[], options: Options = {}) => {
    const { tidemark } = await freshTidemark({ workspace, ...options });
    const loop = loopOf(clientOf(server, tidemark));
    const before = spoken(server).length;
    for (const text of texts) await loop.say(text);
    await tidemark.close();
    return systemText(spoken(server)[before]!.body);
  };
  const told = (...texts: string[]) => session(texts, { distil: "extractive" });
  return { server, session, told };
}

describe("the next session knows what the last one learnt", () => {
  it.each([{}, { distil: "extractive" }] as const)(
    "in the user's own words, before a model has read it: %j",
    async (options) => {
      const { server, session } = await traveller();
      await session(TRIP, options);
      const system = await session(["So, where were we?"], options);
      for (const known of KNOWN) expect(system).toMatch(known);
      expect(system).not.toMatch(/rail pass|tip in restaurants|Thanks|weather/);
      expect(asked(server)).toHaveLength("distil" in options ? 0 : 1);
    },
  );

  it("a wish beside a piece of news stands by itself, and nothing is told twice", async () => {
    const { told } = await traveller();
    await told(
      "Hi! I shoot film with a Nikon F3, in a small studio. Which stock for portraits?",
      "I sold the Nikon last year, I use a Leica M6 now.\nthanks! please keep answers short from now on.",
    );
    const lines = (await told("Good morning.")).match(/^- .*(?:Leica|answers short).*/gm);
    expect(lines).toHaveLength(2);
    expect(lines).toContainEqual(expect.not.stringMatching(/Nikon|Leica/));
  });

  it("no talk around a fact takes it away, and what changed is told alone", async () => {
    const { told } = await traveller();
    await told(
      "Our staging server runs on port 41. How do I test it?",
      "Could you draft a note about it?",
      "I'm training for a half marathon. What if I used a proxy?",
      "Currently I live in Leith, so short hints would do.",
      'Correct this: "I am a baker in Ghent since three years."',
      "My manager is called Helen Marsh.",
    );
    await told(
      "We moved staging to port 42. Any risks?",
      "And I had to give up the half marathon. Any ideas?",
    );
    const system = await told("Good morning.");
    for (const known of [/port 42/, /live in Leith/, /give up the half/, /Helen Marsh/])
      expect(system).toMatch(known);
    expect(system).not.toMatch(/port 41|training|Ghent/);
  });
});
