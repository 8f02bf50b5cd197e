// A program of its own with a memory: the page looks on while it works. Its parent tells it what to do.
import { openTidemark, type Message } from "../../src/index.ts";

const WINDOW = 6_000;
const FACTS: [said: string, content: string, category: string][] = [
  ["francs", "Invoices are in Swiss francs.", "decision"],
  ["blue vault", "The deploy key lives in the blue vault.", "codebase-knowledge"],
  ["short answers", "Ada prefers short answers.", "preference"],
  ["by tag", "Rollbacks are done by tag, never by branch.", "procedure"],
];
const TALK = [
  "Our invoices are in francs, please keep to that.",
  "The deploy key lives in the blue vault, in case the build asks for it.",
  "I like short answers with the command first.",
  "Rollbacks are done by tag, as we said after the outage.",
  "What does the billing service read at start?",
  "Why was the nightly build red on Tuesday?",
  "Please look at the rates of the last quarter.",
  "Which of the two servers is the slower one?",
];
const PROSE = "It reads its rates from a file, and says so in its log when it has begun. ";

/** What a model would keep of the messages it is shown. */
function distilled(asked: string): string {
  const told = FACTS.filter(([said]) => asked.includes(said));
  return JSON.stringify({
    facts: told.map(([, content, category]) => ({ content, category, importance: 0.8, from: [1] })),
    summary: told.map(([, content]) => `- ${content}`).join("\n"),
  });
}

const tidemark = await openTidemark({
  workspace: process.argv[2] ?? "workspace",
  identity: { user: "ada", team: "crew" },
  window: { tokens: WINDOW, reserve: 500 },
  distil: ({ messages }) => Promise.resolve({ text: distilled(JSON.stringify(messages)) }),
  listen: false,
});
const messages: Message[] = [];

async function turn(text: string, reply = `Noted. ${PROSE.repeat(18)}`): Promise<void> {
  messages.push({ role: "user", content: text });
  const begun = await tidemark.begin(
    { model: "claude-sonnet-5-5", max_tokens: 500, messages: [...messages] },
    { conversation: "desk" },
  );
  const tokens = Math.round(JSON.stringify(begun.request).length / 4);
  const cached = Math.round(tokens * 0.8);
  const content = [{ type: "text", text: reply }];
  messages.push({ role: "assistant", content });
  await begun.end({
    ...{ id: `m${messages.length}`, type: "message", role: "assistant", stop_reason: "end_turn" },
    ...{ model: "claude-sonnet-5-5", content },
    usage: {
      ...{ input_tokens: tokens - cached, cache_read_input_tokens: cached },
      ...{ cache_creation_input_tokens: 0, output_tokens: 60 },
    },
  });
  await tidemark.idle();
}

/** A story with folds, memories of several hands, a proposal, another user and pages. */
async function story(): Promise<void> {
  await tidemark.workspace.write("USER.md", "# Ada\n\nShe keeps the books.\n", "user:ada");
  await tidemark.memory.save({
    content: "Invoices are in euro.",
    key: "currency",
    source: "manual",
  });
  await tidemark.memory.save({ content: "Invoices are in dollars.", key: "currency" });
  for (let round = 0; round < 2; round++) for (const text of TALK) await turn(text);
  await tidemark.memory.save({
    content: "The staging database is called Nixe.",
    scope: "user:ada",
  });
  await turn("What is our staging database called?");
  const scout = tidemark.as({ agent: "scout", role: "worker" });
  const { id } = await scout.memory.save({
    content: "Tests run before every push.",
    scope: "user:ada",
  });
  await scout.memory.promote(id, { to: "team:crew" });
  const bob = tidemark.as({ user: "bob" });
  await bob.memory.save("Bob's door is the red one.");
}

const WORK: Record<string, (text: string) => Promise<unknown>> = {
  story,
  turn: (text) => turn(text),
  /** A message of a million lines. */
  flood: (text) =>
    turn(text, Array.from({ length: 1_000_000 }, (_, at) => `line ${at}`).join("\n")),
  save: (content) => tidemark.memory.save({ content, scope: "user:ada" }),
  many: async (count) => {
    for (let at = 0; at < Number(count); at++)
      await tidemark.memory.save({
        content: `Shelf ${at} holds box ${at * 7}.`,
        scope: "user:ada",
      });
  },
  memories: async () => (await tidemark.memory.list({ limit: 500 })).map(({ content }) => content),
  idOf: async (text) =>
    (await tidemark.memory.list({ limit: 500 })).find(({ content }) => content === text)?.id,
  forget: async (text) => {
    const id = await WORK.idOf?.(text);
    return tidemark.memory.forget(String(id));
  },
  change: async (text) => {
    const [from = "", to = ""] = text.split(" → ");
    const found = (await tidemark.memory.list({ limit: 500 })).find(
      ({ content }) => content === from,
    );
    return found && tidemark.memory.update(found.id, { content: to });
  },
  users: () => tidemark.users.list(),
  proposals: () => tidemark.as({ role: "human" }).proposals.list(),
  "page:USER.md": () => tidemark.workspace.read("USER.md", "user:ada"),
  folds: () => tidemark.history.folds(),
};

process.on("message", async ({ id, work, text }: { id: number; work: string; text: string }) => {
  const answer = await WORK[work]?.(text).catch((thrown: unknown) => ({ failed: String(thrown) }));
  process.send?.({ id, answer });
});
process.on("disconnect", () => void tidemark.close());
process.send?.({ id: 0 });
