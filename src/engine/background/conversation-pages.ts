import { breathe, createSerial } from "../../base/async.ts";
import { lru } from "../../base/cache.ts";
import { isDict } from "../../base/guards.ts";
import { dialectFor } from "../../dialect/detect.ts";
import { asImported } from "../../history/import.ts";
import { degraded } from "../../model/errors.ts";
import { identityOf, learningScope } from "../../model/identity.ts";
import type { Message } from "../../model/request.ts";
import { maskSlowly } from "../../secrets/mask.ts";
import { head } from "../../text/cut.ts";
import { withoutFences } from "../../text/fence.ts";
import type { SaidPart, SaidTogether } from "../../workspace/documents/conversation-page.ts";
import { createIdle, IDLE_MS } from "../runtime/background.ts";
import type { Kept, Who, Ports } from "../session/core.ts";

/** Conversations whose rest is waited for. */
const RESTS = 4_096;
/** Messages read at once. */
const ROWS = 32;
/** Characters shown of what a tool answered or was called with. */
const LONGEST_RESULT = 2_000;
/** How often a page is made anew where its conversation goes on meanwhile. */
const ATTEMPTS = 3;
/**
 * Of so many conversations, the latest, it is looked whether their pages hold all; of others,
 * whether there is a page.
 */
const LATEST = 64;

/** Pages of conversations, which people read: written when a conversation rests, folds or ends. */
export function createPages(core: Ports) {
  const { history, workspace, background } = core;
  const writes = core.options.archive === true && !core.off && workspace.root !== undefined;
  const pauses = createIdle(core.timer, IDLE_MS, RESTS);
  /** Conversations that went on since their pages were written. */
  const unwritten = lru<string, string>(RESTS);
  const lookedAt = new Set<string>();
  const inTurn = createSerial();

  async function write(id: string): Promise<void> {
    if (!unwritten.delete(id)) return;
    try {
      await inTurn(() => writePage(core, id));
    } catch (thrown) {
      unwritten.set(id, id);
      core.emit(degraded("archive", thrown));
    }
  }

  /** A conversation went on: its page is written when it rests, and at close at the latest. */
  function spoken(id: string): void {
    if (!writes) return;
    unwritten.set(id, id);
    pauses.touch(id, () => background.run(write(id)));
  }

  return {
    spoken,
    /** It was folded: what left the request stands on its page soon. */
    folded(id: string): void {
      spoken(id);
      if (writes) background.run(write(id));
    },
    /** Writes the pages that are left at a close; those without time are left to the next start. */
    async writeAtClose(isTime: () => boolean): Promise<void> {
      for (const id of unwritten.values()) if (isTime()) await write(id);
    },
    /** Once an identity: the pages that earlier processes did not come to write. */
    async writeLeft({ root, learns }: Who): Promise<void> {
      if (!writes || lookedAt.has(root)) return;
      lookedAt.add(root);
      try {
        const sessions = await history.sessions({ root });
        const latest = new Set(sessions.slice(0, LATEST).map(({ id }) => id));
        const held = await workspace.conversations.held(learns, latest);
        for (const { id, length } of sessions) {
          const on = held(id);
          if (core.closed || unwritten.get(id) !== undefined) continue;
          if (on === undefined || (latest.has(id) && on.messages !== length))
            await writePage(core, id);
          await breathe();
        }
      } catch (thrown) {
        core.emit(degraded("archive", thrown));
      }
    },
    stop: pauses.stop,
  };
}

export type ConversationPages = ReturnType<typeof createPages>;

/** Reads the conversation without the lock of the folder, which turns may wait for. */
async function writePage(core: Kept, id: string): Promise<void> {
  const { history, workspace } = core;
  for (let attempt = 1; attempt <= ATTEMPTS; attempt += 1) {
    const [session] = await history.sessions({ ids: [id] });
    if (session === undefined) return;
    const told = await saidIn(core, id);
    if (told.said.length === 0) return;
    let length: number | undefined;
    await workspace.conversations.write(
      // A page stands where the facts of its conversation are kept.
      learningScope(identityOf(session.root) ?? {}),
      {
        id,
        began: session.at,
        ...told,
        name: session.label && (await maskSlowly(session.label)),
      },
      async () => {
        length = (await history.sessions({ ids: [id] }))[0]?.length;
        // Another process may have written more of it by now.
        return length !== undefined && length <= told.messages;
      },
    );
    if (length === undefined || length <= told.messages) return;
  }
}

/** All that was said, without secrets. */
async function saidIn(core: Kept, id: string): Promise<Pick<SaidTogether, "messages" | "said">> {
  const said: SaidPart[] = [];
  let messages = 0;
  for (;;) {
    const rows = await core.history.bodies(id, messages, messages + ROWS);
    for (const { body, at } of rows) {
      messages += 1;
      if (!isDict(body)) continue;
      const whole = `history.read({ conversation: "${id}" }), message ${messages}`;
      for (const { speaker, words, long } of partsOf(body)) {
        const texts = words === "" ? [] : [await maskSlowly(words)];
        for (const text of long) texts.push(cut(await maskSlowly(text), whole));
        said.push({ speaker: await maskSlowly(speaker), at, text: texts.join("\n\n") });
      }
    }
    if (rows.length < ROWS) return { messages, said };
  }
}

/** A text is masked whole before it is cut. */
const cut = (text: string, whole: string): string =>
  text.length <= LONGEST_RESULT
    ? text
    : `${head(text, LONGEST_RESULT)}…\n(${text.length - LONGEST_RESULT} characters more: ${whole})`;

/**
 * What a stored message says, without what was injected or thought: its words, what tools answered,
 * what they are asked.
 */
export function readStored(body: Message) {
  const { speaker, text } = asImported(body) ?? {};
  if (text !== undefined) return { imported: speaker, words: text, results: [], calls: () => [] };
  const dialect = dialectFor({ messages: [body] });
  const results = dialect.results(body);
  return {
    speaker: dialect.speaker(body),
    words: withoutFences(dialect.text(body)).trim(),
    results: results.map(({ text, failed }) => ({ text: withoutFences(text), failed })),
    calls: () => dialect.calls(body),
  };
}

/**
 * What tools answered apart from the words: it is not vouched for. That, and what they were called
 * with, is `long`: it is cut.
 */
function partsOf(body: Message) {
  const { imported, speaker = "tool", words, results, calls } = readStored(body);
  if (imported !== undefined)
    return [{ speaker: body.role === "tool" ? "Tool" : imported, words, long: [] }];
  const answered = results.map(({ text, failed }) => `${failed ? "failed: " : ""}${text}`);
  const asked = calls().map(({ name, input }) => `→ ${name} ${JSON.stringify(input) ?? ""}`);
  // A message of a tool's alone has no other words.
  return [
    { speaker: "Tool", words: "", long: answered },
    { speaker: capital(speaker), words, long: asked },
  ].filter((part) => part.words !== "" || part.long.length > 0);
}

const capital = (word: string): string => word.slice(0, 1).toUpperCase() + word.slice(1);
