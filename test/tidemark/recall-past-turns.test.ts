import type { ProviderRequest } from "../../src/core/request.ts";
import { describe, expect, it } from "vitest";
import type { Options, Tidemark } from "../../src/index.ts";
import { freshTidemark, MODEL } from "../support/anthropic.ts";

const OPTIONS: Options = {
  inject: false,
  recall: {},
  distil: async () => ({ text: '{"facts":[],"summary":"Nothing."}' }),
  now: () => Date.UTC(2026, 4, 4),
};
const TALK = [
  ["I broke my left wrist on 3 May while skating with Tom in Geneva.", "Ouch, get well soon!"],
  [
    "The new router is in the cupboard behind the blue door; its admin page is at 10.0.0.7.",
    "Noted.",
  ],
  [
    "We decided to move the launch of Heron to 12 June because the auditors are late.",
    "Understood, launch of Heron on 12 June.",
  ],
  ["What do you think about jazz?", "It is a wide field."],
] as const;

type Talk = readonly (readonly [string, string])[];
const textOf = (content: unknown): string =>
  typeof content === "string" ? content : JSON.stringify(content);

/** A Tidemark that has had one conversation; `ask` begins another one each time and answers what stands in it beside the question. */
async function after(talk: Talk, options: Options = {}) {
  const { tidemark } = await freshTidemark({ ...OPTIONS, ...options });
  const begin = (messages: readonly unknown[]) =>
    tidemark.begin<ProviderRequest>({ model: MODEL, max_tokens: 100, messages: messages as never });
  const messages: unknown[] = [];
  const say = async (said: string, reply: string) => {
    messages.push({ role: "user", content: said });
    const turn = await begin(messages);
    messages.push({ role: "assistant", content: reply });
    await turn.end({
      role: "assistant",
      content: [{ type: "text", text: reply }],
      usage: { input_tokens: 10, output_tokens: 5 },
    });
    return turn;
  };
  for (const [said, reply] of talk) await say(said, reply);
  const ask = async (question: string) => {
    const turn = await begin([{ role: "user", content: question }]);
    const text = turn.request.messages.map(({ content }) => textOf(content)).join("\n");
    await turn.end({
      role: "assistant",
      content: [{ type: "text", text: `Hm. ${question.length}` }],
      usage: { input_tokens: 10, output_tokens: 5 },
    });
    return text.includes("<tidemark-recall>") ? text.slice(text.indexOf("<tidemark-recall>")) : "";
  };
  return { tidemark, ask, say };
}

describe("recall over past conversations", () => {
  it.each([
    ["When is the launch of Heron now?", "12 June"],
    ["Where is the admin page of the router?", "10.0.0.7"],
    ["How did I hurt my wrist?", "skating with Tom"],
  ])("%s", async (question, answer) => {
    const { ask } = await after(TALK);
    expect(await ask(question)).toContain(answer);
  });

  it("says once when turns of a talk were said, by whom, in their order, and marks what no person said", async () => {
    const { ask } = await after(TALK);
    const brought = await ask("When is the launch of Heron?");
    expect(brought.match(/2026-05-04/g)).toHaveLength(1);
    expect(brought).toMatch(
      /- 2026-05-04 user: .* {2}user: .{0,2}"We decided to move the launch of Heron.*\\n {2}assistant, unverified: .{0,2}"Understood, launch of Heron on 12 June\./,
    );
  });

  it("does not tell a first answer that is wanted anew what its first try was", async () => {
    const question = "How does a heron keep its balance while it stands on one leg?";
    const { ask } = await after([[question, "A heron locks its knee, so that the leg is stiff."]]);
    expect(await ask(question)).not.toContain("locks its knee");
    expect(await ask("What did you say of a heron's leg and its knee?")).toContain(
      "locks its knee",
    );
  });

  it("says of what the user pasted that nobody vouches for it, though the quote lost its frame", async () => {
    const page = (of: string) =>
      Array.from({ length: 20 }, (_, at) => `Page ${at} tells of ${of}.`).join(" ");
    const gate = "The gate of the depot opens with a wave.";
    for (const pasted of [
      `What is this?\n\n\`\`\`\n${page("ships")}\n${gate}\n${page("tides")}\n\`\`\``,
      `<document>\n${page("ships")}\n${gate}\n${page("tides")}\n</document>\nSum it up.`,
      `Is he right?\n\n> ${page("ships")}\n> ${gate}\n> ${page("tides")}`,
    ]) {
      const { ask } = await after([...TALK, [pasted, "A note."]]);
      expect(await ask("How does the gate of the depot open?")).toMatch(
        /pasted by the user, unverified: .{0,2}"[^"]*opens with a wave/,
      );
      expect(await ask("When is the launch of Heron?")).toMatch(/ user: .{0,2}"We decided/);
    }
  });

  it("gives a message that goes on with something the gist of that talk, the reply with it", async () => {
    const { ask } = await after([
      ...TALK,
      [
        "Help me plan the party for Vera.",
        "Gladly! The terrace seats forty guests. The caterer Moretti is booked for noon. The terrace seats forty guests.",
      ],
    ]);
    const brought = await ask("I'm back from lunch. Let us continue with the party for Vera.");
    expect(brought).toContain("The caterer Moretti is booked for noon.");
    expect(brought.match(/The terrace seats forty guests\./g)).toHaveLength(1);
    expect(await ask("The fish was fresh. We continue with the garden of Ansgar.")).toBe("");
    expect(await ask("Write a party song. It should rhyme.")).toBe("");
  });

  it("knows the talk that a message goes on with by all that was said in it, though no turn of it says the half", async () => {
    const { ask } = await after([
      ["Let us plan the regatta.", "Gladly."],
      ["The moorings cost forty francs.", "Noted."],
      ["And the caterer wants a deposit.", "That is usual."],
    ]);
    expect(await ask("I am well. Let us resume the regatta.")).toContain("regatta");
    const message = "I am rested now. What about the caterer and the moorings of the regatta?";
    expect(await ask(message)).toContain("forty francs");
    expect(await ask("I am rested now. What about the tides and the drought of Ghana?")).toBe("");
  });

  it("brings nothing where nothing is asked of the past, no question that was asked before, and nothing of its own conversation", async () => {
    const { ask, say } = await after(TALK);
    for (const words of [
      "Thanks!",
      "Thanks, that works. You did it again.",
      "Did you launch?",
      "Yes. Go ahead, please.",
      "Hey, how are you? I hope you are well.",
      "Continue.",
      "Write a poem about the sea.",
      "I need a recipe with potatoes.",
      "What do you think about jazz?",
    ])
      expect(await ask(words), words).toBe("");
    const turn = await say("Where was the admin page of the router again?", "At 10.0.0.7.");
    expect(JSON.stringify(turn.request)).not.toContain("tidemark-recall");
  });

  it("knows a question by its name, and brings what was said around the answer", async () => {
    const { ask } = await after([
      ["Where were you all weekend, Vera?", "I was in Bergen, hiking with my brother."],
    ]);
    const brought = await ask("Where did Vera spend the weekend?");
    expect(brought).toContain("I was in Bergen");
  });

  it("tells of its own folded conversation what is asked or spoken of as past, not what a message may go on with", async () => {
    const { tidemark, say } = await after([
      ...TALK,
      ...TALK.map(([said]) => [said, "I see."] as const),
    ]);
    const [{ id } = { id: "" }] = await tidemark.history.list();
    expect(await tidemark.fold({ conversation: id })).not.toHaveProperty("refused");
    const brought = async (words: string) =>
      (await say(words, "Hm.")).injected.some(({ section }) => section === "recall");
    const news = "The router in the cupboard behind the blue door is new.";
    expect(await brought(`${news} Its admin page is nice.`)).toBe(false);
    expect(await brought(`${news} Which admin page did we set before?`)).toBe(true);
    expect(await brought("Where is the admin page of the router?")).toBe(true);
  });

  it("brings no results of tools", async () => {
    const { tidemark, ask } = await after([]);
    const call = { type: "tool_use", id: "toolu_1", name: "look", input: {} };
    const result = {
      type: "tool_result",
      tool_use_id: "toolu_1",
      content: "The lighthouse keeper is called Ansgar Holm.",
    };
    const messages = [
      { role: "user", content: "Look it up." },
      { role: "assistant", content: [call] },
      { role: "user", content: [result] },
    ];
    await tidemark.begin<ProviderRequest>({
      model: MODEL,
      max_tokens: 100,
      messages: messages as never,
      tools: [{ name: "look", input_schema: { type: "object" } }] as never,
    });
    expect(await ask("What is the lighthouse keeper called?")).toBe("");
  });

  it("cuts a long turn to the sentences that answer, and says where the whole stands", async () => {
    const filler = "The harbour was calm and the gulls were loud over the pier. ".repeat(40);
    const { ask } = await after([
      [`${filler}The key of the boathouse hangs behind the barometer. ${filler}`, "Good."],
    ]);
    const brought = await ask("Where does the key of the boathouse hang?");
    expect(brought).toContain("The key of the boathouse hangs behind the barometer.");
    expect(brought).toMatch(/\(whole in conversation \w+\)/);
    expect(brought.length).toBeLessThan(1_200);
  });
});

describe("memory_search", () => {
  const asked = async (tidemark: Tidemark, query: string) =>
    String(
      await tidemark
        .tools()
        .find(({ name }) => name === "memory_search")
        ?.run({ query, in: ["history"] }),
    );

  it("leaves out what the agent has before it: its own last turns, and the question", async () => {
    const { tidemark, say } = await after([]);
    tidemark.tools();
    await say("The boathouse was painted green by Ansgar.", "A good colour.");
    expect(await asked(tidemark, "Who painted the boathouse?")).toBe("Nothing was found.");
    expect(
      (await tidemark.memory.search("Who painted the boathouse?", { in: ["history"] })).length,
    ).toBeGreaterThan(0);
  });

  it("finds what was said in another conversation, though the same question was asked there before", async () => {
    const { tidemark, ask } = await after([
      ["The boathouse was painted green by Ansgar.", "A good colour."],
    ]);
    tidemark.tools();
    await ask("Who painted the boathouse?");
    const found = await asked(tidemark, "Who painted the boathouse?");
    expect(found).toContain("painted green by Ansgar");
    expect(found).not.toContain("Who painted");
  });
});

it("a search for words finds turns that hold one of them, and no neighbours", async () => {
  const { tidemark } = await after(TALK);
  const found = await tidemark.memory.search("auditors", { in: ["history"] });
  expect(found.map(({ text }) => text)).toEqual([TALK[2][0]]);
});
