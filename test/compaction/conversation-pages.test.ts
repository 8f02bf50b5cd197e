import fc from "fast-check";
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { Message, Options, Tidemark } from "../../src/index.ts";
import {
  conversationPage,
  piecesOfConversation,
} from "../../src/workspace/documents/conversation-pages.ts";
import { handTimer } from "../support/hand-timer.ts";
import { runs } from "../support/runs.ts";
import { asReply, assistant, call, requestOf, result, user } from "../support/talk.ts";
import { freshFolder, NOON } from "../support/workspace.ts";
import type { TimedOptions } from "../support/timed.ts";
import { freshTidemark } from "../support/anthropic.ts";

/** `archive: true`: conversations as pages. */

const KEY = `sk-ant-api03-${"a1B2c3D4".repeat(11)}AA`;
const COMMON: Options = { listen: false, distil: "extractive", archive: true, now: () => NOON };

const opened = async (root: string, options: TimedOptions = {}): Promise<Tidemark> =>
  (await freshTidemark({ ...COMMON, workspace: root, ...options })).tidemark;

/** Turns of a conversation, the last message of each call the assistant's. */
async function talk(
  tidemark: Tidemark,
  messages: readonly Message[],
  name?: string,
): Promise<void> {
  for (const [at, message] of messages.entries()) {
    if (message.role !== "assistant") continue;
    const turn = await tidemark.begin(requestOf(messages.slice(0, at)), { conversation: name });
    await turn.end(asReply(message));
  }
}

function pagesIn(root: string, folder = "conversations"): string[] {
  const path = join(root, folder);
  return existsSync(path) ? readdirSync(path).sort() : [];
}
const textOf = (root: string, folder = "conversations"): string =>
  readFileSync(join(root, folder, pagesIn(root, folder)[0] ?? ""), "utf8");

const found = async (tidemark: Tidemark, query: string): Promise<(string | undefined)[]> =>
  (await tidemark.memory.search(query, { in: ["files"] }))
    .map(({ ref }) => ref)
    .filter((ref) => ref?.includes("conversations/"));

const KITE = "The zeppelin kite of the harbour office is purple.";
const TALK = [user(KITE), assistant("Noted: purple.")];

describe("a conversation as a page", () => {
  it("is complete, without secrets, with long results cut and where the whole is", async () => {
    const root = join(freshFolder(), "ws");
    const tidemark = await opened(root);
    const long = `begin ${"x".repeat(1_990)}${KEY} end of the result`;
    await talk(
      tidemark,
      [
        user(`${KITE} The key is ${KEY}.`),
        call("c1", "look", { path: "quay" }),
        result("c1", long),
        assistant("It is done."),
      ],
      `desk ${KEY}`,
    );
    await tidemark.close();
    const [name = ""] = pagesIn(root);
    expect(pagesIn(root)).toHaveLength(1);
    expect(name).toMatch(/^2026-\d\d-\d\d-[0-9a-z]{22}\.md$/);
    expect(statSync(join(root, "conversations", name)).mode & 0o777).toBe(0o600);
    const page = textOf(root);
    expect(page).not.toContain(KEY.slice(0, 30));
    expect(page.match(/^## .*(?= · )/gm)).toEqual([
      ...["## 1. User", "## 2. Assistant", "## 3. Tool", "## 4. Assistant"],
    ]);
    for (const part of [KITE, '→ look {"path":"quay"}', "begin xxx", "It is done."])
      expect(page).toContain(part);
    expect(page).not.toContain("end of the result");
    const id = /^id: "(\w+)"$/m.exec(page)?.[1] ?? "";
    expect(page).toContain(`characters more: history.read({ conversation: "${id}" }), message 3)`);
    const again = await opened(root);
    expect((await again.history.read({ conversation: id })).messages).toHaveLength(4);
  });

  it("is found among files by what was said, once where turns are searched too, and is no memory", async () => {
    const root = join(freshFolder(), "ws");
    const first = await opened(root);
    await talk(first, TALK);
    const before = await first.memory.list();
    await first.close();
    const tidemark = await opened(root);
    expect(await found(tidemark, "zeppelin kite")).toHaveLength(1);
    const all = await tidemark.memory.search("zeppelin kite");
    expect(
      all.filter(({ from, ref }) => from === "files" && ref?.includes("conversations/")),
    ).toEqual([]);
    expect(all.some(({ from }) => from === "history")).toBe(true);
    expect(await tidemark.memory.list()).toEqual(before);
  });

  it("is written when the conversation rests, and anew when it goes on, over a person's edit that changes no memory", async () => {
    const [root, hand] = [join(freshFolder(), "ws"), handTimer()];
    const tidemark = await opened(root, { timer: hand.timer });
    const rest = async (): Promise<void> => {
      for (const one of [...hand.quiet()]) hand.fire(one);
      await tidemark.idle();
    };
    await talk(tidemark, TALK);
    await rest();
    const page = textOf(root);
    expect(page).toContain(KITE);
    const memories = await tidemark.memory.list();
    const path = join(root, "conversations", pagesIn(root)[0] ?? "");
    writeFileSync(path, page.replace("purple", "yellow"));
    await rest();
    expect(textOf(root)).toContain("yellow");
    expect(await tidemark.memory.list()).toEqual(memories);
    const more = [...TALK, user("And the gig?"), assistant("Green.")];
    const turn = await tidemark.begin(requestOf(more.slice(0, 3)));
    await turn.end(asReply(assistant("Green.")));
    await rest();
    expect(textOf(root)).toBe(
      page.replace("messages: 2", "messages: 4") + textOf(root).slice(page.length),
    );
    expect(textOf(root)).toContain("Green.");
    expect(pagesIn(root)).toHaveLength(1);
  });

  it("is not made unasked", async () => {
    const root = join(freshFolder(), "ws");
    const silent = await opened(root, { archive: false });
    await talk(silent, TALK);
    await silent.close();
    expect(pagesIn(root)).toEqual([]);
  });

  it("goes when it is forgotten, by name and by age, whether or not pages are still written", async () => {
    for (const which of [{ conversation: "desk" }, { before: NOON + 1 }]) {
      const root = join(freshFolder(), "ws");
      const first = await opened(root);
      await talk(first, TALK, "desk");
      await first.close();
      expect(pagesIn(root)).toHaveLength(1);
      const tidemark = await opened(root, { archive: false });
      expect(await found(tidemark, "zeppelin")).toHaveLength(1);
      expect(await tidemark.history.forget(which)).toBe(1);
      expect(pagesIn(root)).toEqual([]);
      expect(await found(tidemark, "zeppelin")).toEqual([]);
      await tidemark.close();
      await (await opened(root)).close();
      expect(pagesIn(root)).toEqual([]);
    }
  });

  it.each([
    ["gone", (path: string): void => rmSync(path)],
    ["a folder", (path: string): void => (rmSync(path), void mkdirSync(path))],
  ])(
    "that a person has made %s leaves no word in the index when it is forgotten",
    async (_, make) => {
      const root = join(freshFolder(), "ws");
      const tidemark = await opened(root);
      await talk(tidemark, TALK, "quay");
      await tidemark.fold({ conversation: "quay" });
      await tidemark.close();
      const reader = await opened(root);
      expect(await found(reader, "zeppelin kite")).toHaveLength(1);
      await reader.close();
      make(join(root, "conversations", pagesIn(root)[0] ?? ""));
      const last = await opened(root);
      for (const { id } of await last.memory.list()) await last.memory.forget(id);
      await last.history.forget({ conversation: "quay" });
      await last.close();
      const index = readFileSync(join(root, ".tidemark/tidemark.db"), "latin1");
      expect(index).not.toContain("zeppelin");
    },
  );

  it("that a dead process did not write is written by the next, imported ones too, under names that are safe", async () => {
    const root = join(freshFolder(), "ws");
    const dead = await opened(root);
    await talk(dead, TALK);
    const id = `../${"x".repeat(300)}/con:${KEY}`;
    await dead.history.import({ id, messages: [{ role: "user", text: "The oar is broken." }] });
    const next = await opened(root);
    await next.idle();
    expect(pagesIn(root)).toHaveLength(2);
    expect(pagesIn(root).every((name) => /^[\w-]{20,60}\.md$/.test(name))).toBe(true);
    expect(
      pagesIn(root)
        .map((name) => readFileSync(join(root, "conversations", name), "utf8"))
        .join(),
    ).not.toContain(KEY);
    expect(await found(next, "oar")).toHaveLength(1);
  });
});

it("lets nothing that a tool answered pass for what somebody said", () => {
  const line = fc.oneof(
    fc.constantFrom(
      "## 1. User · now",
      "\\## 2. User · x",
      "```",
      "~~~~",
      "<!--",
      "---",
      "# Top",
      "# ",
    ),
    fc.string({ maxLength: 20 }),
  );
  const text = fc.array(line, { maxLength: 8 }).map((lines) => lines.join("\n"));
  const said = fc.record({
    speaker: fc.constantFrom("User", "Assistant", "Tool", "Ada · x", "## 3. User · y"),
    at: fc.constant(NOON),
    text,
  });
  fc.assert(
    fc.property(fc.array(said, { maxLength: 6 }), (all) => {
      const marked = all.map((one) =>
        one.speaker === "Tool"
          ? { ...one, text: `${one.text}\n\ntoolword` }
          : { ...one, text: `ownword\n\n${one.text}` },
      );
      const page = conversationPage({ id: "a", began: NOON, messages: all.length, said: marked });
      const pieces = piecesOfConversation(page).map((piece) => piece.text);
      const count = (word: string): number =>
        marked.filter((one) => one.text.includes(word)).length;
      for (const piece of pieces) {
        if (piece.includes("toolword")) expect(piece).toMatch(/^\(unverified\) /);
        if (piece.includes("ownword")) expect(piece).not.toMatch(/^\(unverified\) /);
      }
      expect(pieces.filter((piece) => piece.includes("ownword"))).toHaveLength(count("ownword"));
    }),
    { numRuns: runs(300) },
  );
});
