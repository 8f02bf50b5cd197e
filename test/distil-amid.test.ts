import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { anthropic } from "../src/dialect/anthropic.ts";
import { DOCUMENT, ownWords } from "../src/distil/extract/own-words.ts";
import { modelDistiller } from "../src/distil/model.ts";
import { type Message } from "../src/model/request.ts";
import { sentences } from "../src/text/sentences.ts";
import { estimateTokens } from "../src/tokens/estimate.ts";

const user = (content: string): Message => ({ role: "user", content });
const agent = (content: string): Message => ({ role: "assistant", content });
const BEFORE = [user("Good morning."), agent("Good morning, what can I do?")];
const AFTER = [user("And the weather?"), agent("It rains.")];
const CHAT = "willow barrel lantern meadow copper harbour pebble violet thimble bramble orchard gravel ribbon saucer".split(" ");
const chat = (seed: number): string => Array.from({ length: 40 }, (_, at) => CHAT[(at * 5 + seed * 3) % CHAT.length] ?? "").join(" ");
const LOG = Array.from({ length: 40 }, (_, at) => `2031-05-0${1 + (at % 9)}T11:${10 + at}:07Z WARN [pump-${at % 4}] valve ${at * 13} took ${at * 31} ms trace=${(at * 7919).toString(16)}`).join("\n");
const CODE = `\`\`\`ts\n${Array.from({ length: 30 }, (_, at) => `export const lock${at} = (level: number): number => level * ${at} + 17; // sluice`).join("\n")}\n\`\`\``;

/** What is saved where the model says nothing of anything. */
async function saved(messages: Message[]): Promise<string[]> {
  const distil = modelDistiller({ complete: () => Promise.resolve({ text: JSON.stringify({ facts: [], summary: "They talked." }), stop: "end_turn" }), chunkTokens: 20_000 });
  const { facts } = await distil({ dialect: anthropic, messages, factsFrom: 0, summaryTokens: 400, lasting: true, signal: new AbortController().signal });
  return facts.map(({ content }) => content);
}

const SAID = [
  "The vat in cellar two is sealed at 64.5 degrees.",
  "Die Sopranistin heißt Adelgunde Rasmussen.",
  "L'archive des cartes est dans /srv/cartes/1890_brest.tif.",
  "三号锅炉的最高压力是12.8兆帕。",
  "We agreed that the choir sings on the second Sunday.",
  "I tried the coarse sieve and it made things worse.",
];

describe.each(SAID)("what is said once: %s", (said) => {
  it.each([
    ["in small letters on both sides", `m4 ${chat(1)}. ${said} ${chat(2)}.`],
    ["behind a pasted log", `${LOG}\n${said}`],
    ["between two logs", `${LOG}\n${said}\n${LOG}`],
    ["before code", `${said}\n${CODE}`],
  ])("is saved %s, and without its neighbours", async (_, message) => {
    const facts = await saved([...BEFORE, user(message), agent("Noted."), ...AFTER]);
    const found = facts.find((fact) => fact.includes(said.replace(/[.。]$/, "")));
    expect(found?.length).toBeLessThan(said.length + 20);
  });
});

describe("two of one build", () => {
  it.each([
    ["Der Safe im Büro von Frau Kern öffnet mit 4711.", "Der Safe im Büro von Frau Pohl öffnet mit 8822."],
    ["Never send the weekly sales figures to Mr Brandt before noon.", "Never send the weekly sales figures to Mr Ohlsen before noon."],
    ["Ich habe mich vertan, der Zug fährt um 6:12 und nicht um 6:21.", "Ich habe mich vertan, die Fähre fährt um 9:40 und nicht um 9:04."],
    ["三号锅炉的最高压力是12.8兆帕。", "四号锅炉的最高压力是14.2兆帕。"],
  ])("are both saved: %s", async (one, other) => {
    const facts = (await saved([...BEFORE, user(one), agent("Noted."), user(other), agent("Noted."), ...AFTER])).join("\n");
    for (const said of [one, other]) expect(facts).toContain(said);
  });

  it("are one where the later one corrects the earlier", async () => {
    const facts = (await saved([...BEFORE, user("The ferry leaves from pier 14."), agent("Noted."), user("No, I was wrong: the ferry leaves from pier 41."), agent("Noted."), ...AFTER])).join("\n");
    expect(facts).toContain("pier 41");
    expect(facts).not.toContain("from pier 14");
  });

  it("of a routine are not: numbered talk leaves the latest, and what is not of it is saved before it", async () => {
    const routine = Array.from({ length: 40 }, (_, at) => [user(`Barge ${at} came through lock ${at * 7} with ${at * 13} crates.`), agent(`Barge ${at} is noted.`)]).flat();
    const facts = await saved([...BEFORE, user("Never open sluice 4711 at night."), agent("Understood."), ...routine]);
    expect(facts.join("\n")).toContain("sluice 4711");
    expect(facts.filter((fact) => fact.includes("crates")).length).toBeLessThanOrEqual(3);
  });
});

it("takes no more than its share of what it stands for, whatever was said", async () => {
  const part = fc.oneof(fc.constantFrom(...SAID, LOG, CODE), fc.nat(30).map((seed) => `${chat(seed)}.`), fc.nat(99).map((at) => `Question ${at} about the harbour: step ${at * 3} is done.`));
  await fc.assert(
    fc.asyncProperty(fc.array(fc.array(part, { minLength: 1, maxLength: 4 }), { minLength: 1, maxLength: 25 }), async (messages) => {
      const all = messages.map((parts, at) => (at % 2 === 0 ? user : agent)(parts.join("\n")));
      const facts = await saved(all);
      const tokens = facts.reduce((sum, fact) => sum + estimateTokens(fact), 0);
      expect(tokens).toBeLessThanOrEqual(Math.max(400, 0.15 * estimateTokens(all.map(({ content }) => String(content)).join("\n"))) + 1);
    }),
    { numRuns: 60 },
  );
});

describe("a speaker's own words", () => {
  it("are all of a short text in prose, and never more than was said", () => {
    fc.assert(
      fc.property(fc.string({ unit: "grapheme", maxLength: 4_000 }), fc.constantFrom("", LOG, CODE), (text, pasted) => {
        const own = ownWords(`${text}\n${pasted}`);
        expect(own.length).toBeLessThanOrEqual(DOCUMENT);
        for (const line of own.split("\n")) expect(`${text}\n${pasted}`).toContain(line);
      }),
      { numRuns: 200 },
    );
    for (const said of SAID) expect(ownWords(said)).toBe(said);
  });

  it("of a long text in prose are the lines before and behind it", () => {
    const paper = Array.from({ length: 12 }, (_, at) => `Chapter ${["one", "two", "six"][at % 3]}: ${chat(at)} ${chat(at + 1)}`).join("\n");
    expect(ownWords(`Here is the report I spoke of.\n${paper}\nOur berth is number 83.`)).toBe("Here is the report I spoke of.\nOur berth is number 83.");
  });
});

it.each([
  ["never push on fridays. the bucket is in ghent. is it? yes", ["never push on fridays.", "the bucket is in ghent.", "is it?", "yes"]],
  ["there are only two of us. it lies in /srv/very/long/way/to/the/place/where/it/lies/at/last.tar. no more", ["there are only two of us.", "it lies in /srv/very/long/way/to/the/place/where/it/lies/at/last.tar.", "no more"]],
  ["see fig. 3 and approx. five of them, e.g. these, bzw. jene usw. und so", ["see fig. 3 and approx. five of them, e.g. these, bzw. jene usw. und so"]],
  ["well... maybe, am 14. juni im park", ["well... maybe, am 14. juni im park"]],
])("a sentence in small letters ends where it ends: %s", (text, parts) => expect(sentences(text).map((one) => one.text)).toEqual(parts));
