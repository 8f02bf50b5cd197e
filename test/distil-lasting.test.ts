import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { anthropic } from "../src/dialect/anthropic.ts";
import { openaiChat } from "../src/dialect/openai-chat.ts";
import { type DistilTask } from "../src/distil/distiller.ts";
import { extractive } from "../src/distil/extractive.ts";
import { isCorrection } from "../src/distil/instruction.ts";
import { modelDistiller, type ModelDistillerOptions } from "../src/distil/model.ts";
import { type Complete } from "../src/model/ports.ts";
import { type Message } from "../src/model/request.ts";
import { estimateTokens } from "../src/tokens/estimate.ts";

type Call = Parameters<Complete>[0];
const user = (content: unknown): Message => ({ role: "user", content });
const agent = (content: unknown): Message => ({ role: "assistant", content });
const TALK = "We walked along the river and spoke about boats, bridges and the weather of the week. ".repeat(12);
const told: Message[] = [
  user("Never restart the billing worker on a Friday."),
  agent("Understood."),
  user("The ledger export lives in /srv/ledger/export.csv."),
  agent("Good to know."),
  user("Later, when we have time, please also write a manual for the ticket printer."),
  agent("Noted."),
  agent("I tried Redis for the queue, but it failed because the driver leaks memory."),
  user(TALK),
  agent(TALK),
];
const task = (over: Partial<DistilTask> = {}): DistilTask => ({ dialect: anthropic, messages: told, factsFrom: 0, summaryTokens: 400, lasting: true, signal: new AbortController().signal, ...over });
const base = { system: "Be kind.", messages: [...told, user("And now?")], offset: 0 };
const json = (summary: string, facts: unknown[] = []): string => JSON.stringify({ facts, summary });
const textOf = (call: Call | undefined): string => JSON.stringify(call?.messages.at(-1)?.["content"] ?? "");

function scripted(answers: readonly (string | Error)[], options: Partial<ModelDistillerOptions> = {}) {
  const calls: Call[] = [];
  const complete: Complete = (call) => {
    calls.push(call);
    const answer = answers[Math.min(calls.length, answers.length) - 1] ?? "";
    return answer instanceof Error ? Promise.reject(answer) : Promise.resolve({ text: answer, stop: "end_turn", usage: { input: 10, cacheWrite: 0, cacheRead: 0, output: 5 } });
  };
  return { calls, distil: modelDistiller({ complete, chunkTokens: 20_000, ...options }) };
}
const WHOLE =
  "## Open requests\n- Later, when we have time, write a manual for the ticket printer.\n## Rules and corrections\n- Never restart the billing worker on a Friday.\n" +
  "## Failed approaches\n- Redis for the queue failed because the driver leaks memory.\n## Identifiers\n- The ledger export lives in /srv/ledger/export.csv\n- They walked along the river and spoke about boats, bridges and the weather of the week.";

describe("a summary that lasts", () => {
  it("is not asked for twice when nothing that matters is missing", async () => {
    const { calls, distil } = scripted([json(WHOLE)]);
    const { summary, facts } = await distil(task({ base }));
    expect(calls).toHaveLength(1);
    expect(summary).toBe(WHOLE);
    // A later summary may drop a line of this one: what it rests on is saved now, as the word of whoever said it.
    expect(facts.filter(({ content }) => /billing worker|ledger export|Redis/.test(content)).map(({ origin, from }) => [origin, from])).toEqual([["user", [0]], ["agent", [6]], ["user", [2]]]);
    expect(JSON.stringify(facts)).not.toContain("ticket printer");
  });

  it("holds as open only what it names as open: a line that merely mentions it fades with the next fold", async () => {
    const mentioned = WHOLE.replace("## Open requests", "## Along the way");
    const { calls, distil } = scripted([json(mentioned)]);
    const { summary } = await distil(task({ base }));
    expect(calls).toHaveLength(1);
    expect(summary).toContain("- [open] Later, when we have time, please also write a manual for the ticket printer.");
    const translated = scripted([json(WHOLE.replace("## Open requests", "## Offene Aufgaben"))]);
    expect([(await translated.distil(task({ base }))).summary, translated.calls.length]).toEqual([WHOLE.replace("## Open requests", "## Offene Aufgaben"), 1]);
    const later = await scripted([json("They walked along the river.")]).distil(task({ messages: [user(TALK), agent(TALK)], previous: "- They met.\n- [open] Write a manual for the ticket printer.\n- It rained." }));
    expect(later.summary).toContain("- [open] Write a manual for the ticket printer.");
  });

  it("counts what a fact says as kept, an open request only where the summary says it", async () => {
    const facts = ["The billing worker is never restarted on a Friday.", "The ledger export lives in /srv/ledger/export.csv.", "Redis failed for the queue: its driver leaks memory.", "Later, when there is time, write a manual for the ticket printer."].map((content) => ({ content, from: [1] }));
    const { calls, distil } = scripted([json("They walked along the river and spoke about boats, bridges and the weather of the week.", facts)]);
    const { summary } = await distil(task({ base }));
    expect(calls).toHaveLength(2);
    expect(textOf(calls[1])).toContain("ticket printer");
    expect(textOf(calls[1])).not.toMatch(/billing|ledger|Redis/);
    expect(summary).toContain("- [open] Later, when we have time, please also write a manual for the ticket printer.");
  });

  it("is mended once: the same request, the reply, and a message that begins with the mark and names what is missing", async () => {
    const poor = json("They walked along the river.");
    const { calls, distil } = scripted([poor, json(WHOLE)]);
    const { summary, usage } = await distil(task({ base }));
    expect(summary).toBe(WHOLE);
    expect(usage).toMatchObject({ input: 20, output: 10 });
    expect(calls).toHaveLength(2);
    const [first, second] = calls;
    expect(second!.messages.slice(0, first!.messages.length)).toEqual(first!.messages);
    expect(second!.messages.slice(-2, -1)).toEqual([{ role: "assistant", content: poor }]);
    expect(second!.system).toBe(base.system);
    expect(textOf(second)).toMatch(/^"\[tidemark\] distil\\n/);
    for (const missing of ["billing worker on a Friday", "/srv/ledger/export.csv", "ticket printer", "Redis"]) expect(textOf(second)).toContain(missing);
    expect([isCorrection(first!.messages), isCorrection(second!.messages)]).toEqual([false, true]);
    expect(second!.maxTokens).toBeLessThanOrEqual(first!.maxTokens);
  });

  it("goes on from the summary alone when it is mended: however much facts came to, they are not paid for again", async () => {
    const some = fc.array(fc.record({ content: fc.string({ minLength: 1, maxLength: 400 }), from: fc.constant([1]) }), { maxLength: 30 });
    await fc.assert(
      fc.asyncProperty(some, fc.boolean(), async (facts, fenced) => {
        const came = json("They walked along the river.", facts);
        const { calls, distil } = scripted([fenced ? `Here it is:\n\`\`\`json\n${came}\n\`\`\`` : came, json(WHOLE)]);
        const { summary } = await distil(task({ base }));
        expect(calls[1]!.messages.slice(base.messages.length + 1, -1)).toEqual([agent(json("They walked along the river."))]);
        expect(textOf(calls[1])).toContain("yours are kept");
        expect(summary).toBe(WHOLE);
      }),
      { numRuns: 50 },
    );
  });

  it("is mended no more often for it: whether there is room goes by the reply as it came", async () => {
    const facts = Array.from({ length: 20 }, (_, at) => ({ content: `Boat ${at} lay at pier ${at} with a rope of ${at} yards that somebody had to mend before the evening.`, from: [8] }));
    const tried = async (some: unknown[]): Promise<number> => {
      const { calls, distil } = scripted([json("They walked along the river.", some), json(WHOLE)], { window: 3_200 });
      await distil(task({ base: { ...base, tokens: 1_000 } }));
      return calls.length;
    };
    expect([await tried([]), await tried(facts)]).toEqual([2, 1]);
  });

  it.each([
    ["leaves it out again", json("They walked along the river.")],
    ["answers junk", "Certainly!"],
    ["refuses", new Error("overloaded")],
  ])("where the model %s, code carries over and saves what is missing", async (_, again) => {
    const { calls, distil } = scripted([json("They walked along the river."), again]);
    const { summary = "", facts } = await distil(task({ base }));
    expect(calls).toHaveLength(2);
    expect(summary).toContain("They walked along the river.\n## Carried over\n- [open] Later");
    const said = `${summary}\n${facts.map(({ content }) => content).join("\n")}`;
    for (const kept of ["Never restart the billing worker on a Friday", "/srv/ledger/export.csv", "manual for the ticket printer", "Redis"]) expect(said).toContain(kept);
    expect(facts.find(({ content }) => content.includes("billing worker"))).toMatchObject({ origin: "user", from: [0] });
  });

  it("takes no second try when somebody waits, and gives one up that is under way", async () => {
    const hurried = scripted([json("They walked along the river.")]);
    await hurried.distil(task({ base, hurry: AbortSignal.abort() }));
    expect(hurried.calls).toHaveLength(1);

    const hurry = new AbortController();
    let calls = 0;
    const complete: Complete = () => {
      calls += 1;
      if (calls === 1) return Promise.resolve({ text: json("They walked along the river.") });
      hurry.abort();
      return new Promise(() => undefined);
    };
    const { summary } = await modelDistiller({ complete, chunkTokens: 20_000 })(task({ base, hurry: hurry.signal }));
    expect([calls, summary?.includes("Carried over")]).toEqual([2, true]);
  });

  it("is given up whole when the distilling is", async () => {
    const abort = new AbortController();
    let calls = 0;
    const complete: Complete = () => {
      if ((calls += 1) === 1) return Promise.resolve({ text: json("They walked along the river.") });
      abort.abort();
      return new Promise(() => undefined);
    };
    await expect(modelDistiller({ complete, chunkTokens: 20_000 })(task({ base, signal: abort.signal }))).rejects.toThrow();
  });

  it("makes no second try that would not fit the window", async () => {
    const { calls, distil } = scripted([json("They walked along the river.")], { window: 2_000 });
    const { summary } = await distil(task({ base: { ...base, tokens: 1_000 } }));
    expect(calls).toHaveLength(1);
    expect(summary).toContain("Carried over");
  });

  it("is mended in the last part where the conversation is written out", async () => {
    const { calls, distil } = scripted([json("They walked along the river.")], { chunkTokens: 600 });
    const { summary } = await distil(task());
    expect(calls.filter(({ messages }) => isCorrection(messages))).toHaveLength(1);
    expect(calls.at(-1)!.messages).toHaveLength(3);
    expect(summary).toContain("Carried over");
  });

  it("without the mark that it will stand in a request, nothing is checked", async () => {
    const { calls, distil } = scripted([json("They walked along the river.")]);
    expect(await distil(task({ base, lasting: false }))).toMatchObject({ summary: "They walked along the river.", facts: [] });
    expect(calls).toHaveLength(1);
  });
});

describe("what stood in the last summary", () => {
  const walk: Message[] = [user(TALK), agent(TALK), user("How far is it?"), agent("About two miles.")];
  const previous = "## Open requests\n- Write a manual for the ticket printer.\n## Rules and corrections\n- Never restart the billing worker on a Friday.\n- The billing port is 8443.";
  const after = async (messages: Message[], before = previous) => (await scripted([json("They walked along the river.")]).distil(task({ messages, previous: before }))).summary ?? "";

  it("is carried over as long as it holds", async () => {
    const summary = await after(walk);
    for (const kept of ["[open] Write a manual for the ticket printer", "Never restart the billing worker", "8443"]) expect(summary).toContain(kept);
    expect(await after(walk, summary)).toContain("[open] Write a manual for the ticket printer");
  });

  it("leaves when the request was answered", async () => {
    const summary = await after([...walk, user("Do it now."), agent("The manual for the ticket printer is written.")]);
    expect(summary).not.toContain("[open]");
  });

  it("leaves when a correction has replaced it, whichever came with it", async () => {
    const summary = await after([...walk, user("No, the billing port is 9443, not 8443."), agent("Right.")]);
    expect(summary).toContain("9443");
    expect(summary).not.toContain("billing port is 8443.");
    const named = await after([...walk, user("I was wrong: the billing port is 9443, and 8443 is for the tests."), agent("Right.")]);
    expect(named).not.toContain("billing port is 8443.");
  });

  it("is saved as a fact nobody vouches for when it leaves for want of room", async () => {
    const lines = Array.from({ length: 40 }, (_, at) => `- Never restart worker number ${at} of the ${"long ".repeat(6)}chain on day ${at + 100}.`);
    const { summary = "", facts } = await scripted([json("They walked along the river.")]).distil(task({ messages: [...walk, user(TALK.repeat(8))], previous: lines.join("\n"), summaryTokens: 300 }));
    expect(estimateTokens(summary)).toBeLessThanOrEqual(300 * 1.25);
    const gone = lines.filter((line) => !summary.includes(line.slice(2)));
    expect(gone.length).toBeGreaterThan(20);
    expect(facts.length).toBeGreaterThan(20);
    expect(facts.every(({ origin, from }) => from.length > 0 || origin === "untrusted")).toBe(true);
  });
});

describe("the bound of a summary", () => {
  it("holds for a model that writes too much: the least salient lines leave", async () => {
    const long = Array.from({ length: 300 }, (_, at) => `- Point ${at} of the walk along the river, where boats and bridges were.`).join("\n");
    const { distil } = scripted([json(`## Open requests\n- Write a manual for the ticket printer.\n## Along the way\n${long}`)]);
    const { summary = "" } = await distil(task({ messages: [...told, ...Array.from({ length: 30 }, () => user(TALK))], summaryTokens: 400 }));
    expect(estimateTokens(summary)).toBeLessThanOrEqual(500);
    expect(summary).toContain("manual for the ticket printer");
  });

  it("holds for the extractive distiller, and what it cannot hold is saved", async () => {
    const { summary = "", facts } = await extractive(task({ messages: [...told, user(TALK), agent(TALK)], summaryTokens: 120 }));
    expect(estimateTokens(summary)).toBeLessThanOrEqual(120);
    const said = `${summary}\n${facts.map(({ content }) => content).join("\n")}`;
    for (const kept of ["billing worker on a Friday", "/srv/ledger/export.csv", "ticket printer", "Redis"]) expect(said).toContain(kept);
  });

  it("holds whatever was said, and nothing grows past what it replaces", async () => {
    const sentence = fc.constantFrom("Never touch the red lever.", "My boat is called Kestrel.", "Look at src/tide/gauge.ts first.", "Remind me to call Odile.", "No, the price is 4711, not 4712.", "It rained.", "以后都用 pnpm。", "别忘了更新 README。");
    const turn = fc.record({ by: fc.boolean(), words: fc.array(sentence, { minLength: 1, maxLength: 6 }) });
    await fc.assert(
      fc.asyncProperty(fc.array(turn, { minLength: 1, maxLength: 30 }), fc.string(), fc.integer({ min: 40, max: 600 }), fc.constantFrom(anthropic, openaiChat), async (turns, answer, summaryTokens, dialect) => {
        const messages = turns.map(({ by, words }) => (by ? user(words.join(" ")) : agent(words.join(" "))));
        const one = task({ messages, summaryTokens, dialect, previous: answer });
        const { distil } = scripted([json(answer === "" ? "Rain." : answer, [{ content: "It rained.", from: [1] }])]);
        const { summary, facts } = await distil(one);
        const bound = estimateTokens([...messages.map(({ content }) => String(content)), answer].join("\n"));
        if (summary !== undefined) expect(estimateTokens(summary)).toBeLessThanOrEqual(Math.max(summaryTokens * 1.25, 0) + bound);
        if (summary !== undefined) expect(estimateTokens(summary)).toBeLessThanOrEqual(bound + 5);
        for (const { from } of facts) expect(from.every((index) => index >= 0 && index < messages.length)).toBe(true);
        const quoted = await extractive(one);
        expect(estimateTokens(quoted.summary ?? "")).toBeLessThanOrEqual(summaryTokens);
      }),
      { numRuns: 60 },
    );
  });
});

describe("a summary that tells both what was corrected and the correction", () => {
  const both = ["## Decisions", "- The data line is on GPIO 18.", "- No, I was wrong: the data line is on GPIO 21.", "- The strip has 60 lamps."].join("\n");

  it("loses the line that was corrected, and no other", async () => {
    const distilled = await modelDistiller({ complete: async () => ({ text: json(both) }), chunkTokens: 8_000, maxTokens: 2_000 })(task({ previous: both }));
    expect(distilled.summary).toContain("GPIO 21");
    expect(distilled.summary).toContain("60 lamps");
    expect(distilled.summary).not.toContain("GPIO 18");
  });

  it("loses of a paragraph the sentence that was corrected, and no other", async () => {
    const paragraph = "The data line is on GPIO 18 of the board. The strip has 60 lamps, and its power supply stands behind the radiator in the hall. Could you later compare the offers of Brandt and Ohlsen for the wood?";
    const prose = `${paragraph}\n- No, I was wrong: the data line is on GPIO 21 of the board.`;
    const distilled = await modelDistiller({ complete: async () => ({ text: json(prose) }), chunkTokens: 8_000, maxTokens: 2_000 })(task({ previous: prose }));
    expect(distilled.summary).not.toContain("GPIO 18");
    for (const kept of ["GPIO 21", "60 lamps", "behind the radiator", "Brandt and Ohlsen"]) expect(distilled.summary).toContain(kept);
  });

  it("keeps what was said anew since", async () => {
    const again = [...told, user("Sorry, I looked again, the data line is on GPIO 18 after all."), agent("Noted.")];
    const distilled = await modelDistiller({ complete: async () => ({ text: json(both) }), chunkTokens: 8_000, maxTokens: 2_000 })(task({ previous: both, messages: again }));
    expect(distilled.summary).toContain("GPIO 18");
  });
});
