import type { ProviderRequest } from "../../src/core/request.ts";
import { appendFileSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { isTidemarkError, openTidemark, type Tidemark } from "../../src/index.ts";
import { fences } from "../../src/core/text/fence.ts";
import { UNSEEN } from "../../src/core/text/cut.ts";
import { DOORS, type Door, type Outcome, type Payload } from "./attacks.ts";
import { executeHere } from "./cli-here.ts";

/** What Tidemark makes a model read, by where it stands. */
export interface Surfaces {
  readonly system: string;
  readonly recall: string;
  readonly summary: string;
  readonly tools: string;
  readonly pages: string;
  readonly printed: string;
}

export interface Played {
  readonly surfaces: Surfaces;
  readonly refused: ReadonlyMap<Door, unknown>;
  readonly memories: readonly { content: string; origin: string }[];
}

export const canaryOf = (door: Door): string => `kanari${DOORS.indexOf(door) + 10}x`;
/** A name as a disk takes one. */
const fileName = (text: string): string =>
  Buffer.from(text.replace(/[/\u0000]/g, "_").replace(/\p{Cs}/gu, "_"))
    .subarray(-180)
    .toString("utf8")
    .replace(/^\ufffd+/, "");
/** As much of a payload as a name may have, the canary in it. */
const part = (text: string, canary: string): string =>
  text.slice(Math.max(0, text.indexOf(canary) - 40)).slice(0, 60);
const NOW = Date.UTC(2026, 0, 2, 9);
const marmalade = (text: string): string => `marmalade ${text}`;

/** The payload through every door of one workspace, and all that a model or a person is shown of it afterwards. */
export async function play(payload: Payload, root: string): Promise<Played> {
  const say = (door: Door): string => payload.text(canaryOf(door));
  const refused = new Map<Door, unknown>();
  const attempt = async <T>(door: Door, work: () => Promise<T>): Promise<T | undefined> => {
    try {
      return await work();
    } catch (thrown) {
      refused.set(door, thrown);
      return undefined;
    }
  };
  mkdirSync(join(root, "records", "notes"), { recursive: true });
  mkdirSync(join(root, "memory"), { recursive: true });
  writeFileSync(join(root, "USER.md"), say("user file"));
  writeFileSync(join(root, "MEMORY.md"), `# Memory\n\n- ${say("memory file")}\n`);
  writeFileSync(join(root, "records", "notes", "a.md"), marmalade(say("record")));
  writeFileSync(
    join(root, "records", "notes", `${fileName(say("file name"))}.md`),
    "the marmalade jar in a file of an odd name",
  );

  // A reply that cites what a tool said, what the user said, and nothing.
  const complete = async () => ({
    text: JSON.stringify({
      facts: [
        { content: marmalade(say("reply")), category: "daily", from: [3] },
        { content: marmalade(say("reply of a user")), category: "daily", from: [1] },
        ...(["document", "search result", "frame"] as const).map((of) => ({
          content: marmalade(say(`reply of a ${of}`)),
          category: "daily",
          from: [1],
        })),
        {
          content: "The marmalade has a fact with a category",
          category: part(say("reply category"), canaryOf("reply category")),
          from: [],
        },
      ],
      summary: `They spoke of jam. ${say("summary")}`,
    }),
  });
  const tidemark = await openTidemark({
    workspace: root,
    distil: complete,
    recall: { tokens: 40_000, minScore: 0.05 },
    window: { tokens: 4_000_000, patience: 60_000, keepLast: 2 },
    now: () => NOW,
    cache: false,
  });
  const { memory, history } = tidemark;
  await attempt("content", () => memory.save(marmalade(say("content"))));
  await attempt("category", () =>
    memory.save({ content: "The marmalade is given a category", category: say("category") }),
  );
  await attempt("key", () =>
    memory.save({ content: "The marmalade is given a key", key: say("key") }),
  );
  await attempt("tag", () =>
    memory.save({ content: "The marmalade is given a tag", tags: [say("tag")] }),
  );
  await attempt("import", () =>
    history.import({
      id: "past",
      messages: [
        { role: "user", text: marmalade(say("import")) },
        { role: "tool", text: marmalade(say("imported tool")) },
      ],
    }),
  );
  await attempt("import id", () =>
    history.import({
      id: say("import id"),
      messages: [{ role: "user", text: "the marmalade stands in the cellar" }],
    }),
  );
  await attempt("query", async () => {
    await memory.recall(say("query"));
    await memory.search(say("query"));
  });
  await attempt("identity", () =>
    tidemark.as({ user: say("identity") }).memory.save("The other user's jar."),
  );

  await attempt("ticket", async () => {
    const task = { description: marmalade(say("ticket")), from: "tool", id: "ticket" } as const;
    await (await tidemark.task(task)).done("Looked at the marmalade.");
  });
  await attempt("save of another user", () =>
    worst(tidemark, marmalade(say("save of another user"))),
  );

  const messages: Record<string, unknown>[] = [
    {
      role: "user",
      content: [
        {
          type: "text",
          text: `Look for it, please. ${"The cellar is long and dark. ".repeat(2_000)}`,
        },
        {
          type: "document",
          source: { type: "text", media_type: "text/plain", data: say("reply of a document") },
        },
        {
          type: "search_result",
          source: "https://mallory.example",
          title: "Jam",
          content: [{ type: "text", text: say("reply of a search result") }],
        },
        // What no fold takes away stays as it was sent.
        ...(payload.text("").length < 100_000
          ? [{ type: "text", text: `A customer wrote: ${say("reply of a frame")}` }]
          : []),
      ],
    },
    {
      role: "assistant",
      content: [
        {
          type: "tool_use",
          id: "t1",
          name: part(say("tool name"), canaryOf("tool name")),
          input: {},
        },
        { type: "tool_use", id: "t2", name: "look", input: {} },
      ],
    },
    {
      role: "user",
      content: [
        {
          type: "tool_result",
          tool_use_id: "t1",
          is_error: true,
          content: `Error ${canaryOf("tool error")}: ${say("tool error")}`,
        },
        { type: "tool_result", tool_use_id: "t2", content: marmalade(say("tool result")) },
      ],
    },
  ];
  const request = (extra: readonly Record<string, unknown>[] = []) => ({
    model: "m",
    max_tokens: 100,
    messages: [...messages, ...extra],
  });
  const turn = await tidemark.begin(request());
  const reply = { role: "assistant", content: "Nothing there." };
  await turn.end({
    id: "m1",
    type: "message",
    model: "m",
    stop_reason: "end_turn",
    ...reply,
    usage: { input_tokens: 10, output_tokens: 1 },
  });
  messages.push(reply);
  await tidemark.idle();
  const fold = await tidemark.fold({ request: request() });
  if ("refused" in fold && payload.text("").length < 100_000)
    throw new Error(`The fold was refused: ${fold.refused}`);
  await tidemark.idle();
  appendFileSync(join(root, "memory", "2026-01-02.md"), `${say("log line")}\n`);
  const asked = await tidemark.begin<ProviderRequest>(
    request([{ role: "user", content: "Where is the marmalade?" }]),
  );
  const fresh = await tidemark.begin<ProviderRequest>({
    model: "m",
    max_tokens: 100,
    messages: [{ role: "user", content: "Where is the marmalade?" }],
  });
  const tools = await answers(tidemark, payload);
  const memories = await memory.list({ limit: 1_000 });
  await tidemark.close();
  return {
    refused,
    memories,
    surfaces: {
      system: `${textOf(asked.request.system)}\n\n${textOf(fresh.request.system)}`,
      recall: passagesNamed(
        "recall",
        textsOf([...asked.request.messages, ...fresh.request.messages]),
      ),
      summary: textOf((asked.request.messages[0] as { content?: unknown }).content),
      ...tools,
      ...(await commandLine(root)),
    },
  };
}

/** Every tool in the hands of a model that was told so by somebody else, for one user. */
async function worst(tidemark: Tidemark, content: string): Promise<void> {
  const targets = (await tidemark.memory.list({ limit: 3 })).map(({ id }) => id);
  for (const tool of tidemark.as({ user: "mallory" }).tools())
    for (const id of [...targets, undefined])
      await tool.run({
        ...{ id, content, text: content, name: "a.md", category: "policy", reason: content },
        ...{
          scope: "agent:default",
          version: 1,
          block: "memory",
          key: "given",
          description: content,
        },
      });
}

async function answers(
  tidemark: Tidemark,
  payload: Payload,
): Promise<{ tools: string; pages: string }> {
  const tools = new Map(tidemark.tools({ tokens: 60_000 }).map((tool) => [tool.name, tool]));
  const run = async (name: string, input: unknown): Promise<string> =>
    (await tools.get(name)?.run(input)) ?? "";
  const found = [
    await run("memory_search", { query: "marmalade", limit: 30 }),
    await run("memory_search", { query: canaryOf("record"), limit: 5 }),
    await run("memory_search", { query: canaryOf("tool error"), limit: 5 }),
    await run("memory_list", { limit: 100 }),
  ];
  // What a model may call them with: the answer is text, whatever it is.
  for (const name of tools.keys())
    found.push(
      ...(
        await Promise.all([
          run(name, { query: payload.text("q"), content: payload.text("q") }),
          run(name, payload.text("q")),
        ])
      ).map((answer) => `${answer.slice(0, 300)}\n`),
    );
  const pages = [await run("memory_read", { conversation: "past" })];
  for (const { id } of await tidemark.history.list())
    pages.push(await run("memory_read", { conversation: id }));
  return { tools: found.join("\n\n"), pages: pages.join("\n\n") };
}

/** The verbs that show what was remembered to a person. */
async function commandLine(root: string): Promise<{ printed: string }> {
  let printed = "";
  for (const verb of [["search", "marmalade", "--limit", "50"], ["recall", "marmalade"], ["stats"]])
    printed += (await executeHere([...verb, "--workspace", root])).all;
  return { printed };
}

const textOf = (content: unknown): string =>
  typeof content === "string"
    ? content
    : Array.isArray(content)
      ? content
          .map((block: { text?: unknown }) => (typeof block.text === "string" ? block.text : ""))
          .join("\n\n")
      : "";
const textsOf = (messages: readonly unknown[]): string =>
  messages.map((message) => textOf((message as { content?: unknown }).content)).join("\n\n");
const passagesNamed = (tag: string, text: string): string =>
  fences(text)
    .filter((passage) => passage.tag === tag)
    .map(({ start, end }) => text.slice(start, end))
    .join("\n\n");

/** A text as a model might take it: look-alikes made the same, what is unseen gone. */
const skeleton = (text: string): string =>
  text
    .replace(UNSEEN, "")
    .normalize("NFKC")
    .replace(/&(?:lt|#60|#x3c);?/gi, "<");

/** What is wrong with a text that was made for a model, whatever went into it. */
export function faultsOf(text: string): string[] {
  const passages = fences(text);
  let at = 0;
  let outside = "";
  for (const { start, end } of passages) {
    outside += text.slice(at, start);
    at = end;
  }
  outside += text.slice(at);
  const faults: string[] = [];
  if (/kanari\d/.test(outside))
    faults.push(
      `stands outside of every fence: ${JSON.stringify(/.{0,60}kanari\d+x.{0,60}/s.exec(outside)?.[0])}`,
    );
  const marks = skeleton(text).match(/<[\s/\\]*tidemark/giu)?.length ?? 0;
  if (marks !== 2 * passages.length) faults.push(`${marks} marks of ${passages.length} fences`);
  const hidden =
    text.match(UNSEEN)?.[0] ?? /[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/.exec(text)?.[0];
  if (hidden !== undefined)
    faults.push(`holds the unseen character U+${hidden.codePointAt(0)?.toString(16)}`);
  return faults;
}

/** What became of the words that came in by a door. */
export function outcomeOf(door: Door, { surfaces, refused, memories }: Played): Outcome | string {
  const canary = canaryOf(door);
  const thrown = refused.get(door);
  if (thrown !== undefined)
    return isTidemarkError(thrown) && thrown.code === "config" && !thrown.message.includes("\n")
      ? "refused"
      : `threw ${String(thrown).slice(0, 200)}`;
  const where = Object.entries(surfaces)
    .filter(([, text]) => text.includes(canary))
    .map(([name]) => name);
  if (where.length === 0) return "silent";
  const lines = [surfaces.recall, surfaces.tools]
    .flatMap((text) => text.split("\n"))
    .filter((line) => line.includes(canary));
  const inSystem = surfaces.system.split("\n").filter((line) => line.includes(canary));
  if (door.startsWith("tool") && inSystem.length > 0)
    return `in the system text: ${inSystem[0]?.slice(0, 80)}`;
  const marked = (line: string): boolean => /unverified/.test(line);
  if (
    inSystem.length === 0 &&
    lines.length > 0 &&
    lines.every(marked) &&
    memories.every(
      ({ content, origin }) =>
        !content.includes(canary) || origin === "tool" || origin === "untrusted",
    )
  )
    return "unverified";
  return lines.some(marked)
    ? `marked in some places only: ${lines.map((line) => line.slice(0, 80)).join(" | ")}`
    : "shown";
}
