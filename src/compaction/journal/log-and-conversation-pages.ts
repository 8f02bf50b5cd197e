import { asImported } from "../../conversations/import.ts";
import { breathe, createSerial, isDict, lru } from "../../core/base.ts";
import { degraded, telling } from "../../core/errors-and-events.ts";
import { identityOf, isRestricted, homeOf, type Scope } from "../../core/identity.ts";
import type { Debt } from "../../core/memory.ts";
import type { Message } from "../../core/request.ts";
import { maskSlowly } from "../../core/secrets/mask.ts";
import { head } from "../../core/text/cut.ts";
import { withoutFences } from "../../core/text/fence.ts";
import type { MemoryEvent } from "../../memory/saving/commit.ts";
import { dialectFor } from "../../providers/detect.ts";
import type { Kept, Ports, Who } from "../../session/ports.ts";
import { createIdle, IDLE_MS } from "../../session/options/background.ts";
import type { SaidPart, SaidTogether } from "../../workspace/documents/conversation-pages.ts";
import type { LoggedEvent, LoggedMemory } from "../../workspace/pages/log-and-page-copies.ts";

/**
 * Lines of one process: a host that makes a conversation of each request must not fill the log with
 * them.
 */
const MOST_LINES = 2_000;

/**
 * Tells in the daily log what began or ended, behind whatever is under way: only `close` waits for
 * it. Where that cannot be written, it is missing there and nowhere else.
 */
export function createLog(core: Ports) {
  let lines = 0;
  return {
    note(scope: Scope, event: LoggedEvent): void {
      const { observes, closed, workspace, background } = core;
      if (observes || closed || !workspace.keeps) return;
      lines += 1;
      if (lines <= MOST_LINES)
        background.run(workspace.log([event], scope).catch(telling(core.emit, "daily log")));
    },
  };
}

export type EventLog = ReturnType<typeof createLog>;

/** Characters of a memory that a line of the log is made from. */
const SHOWN = 1_000;

/**
 * The views that are behind once these events are stored: lines of the day's log, with their author
 * where a scope is not one of its `own`, and pages.
 */
export function owedFor(
  { off, now }: Pick<Ports, "off" | "now">,
  events: readonly MemoryEvent[],
  { author, own }: { author: string; own?: readonly Scope[] },
): Debt[] {
  if (off) return [];
  const lines = events.map(({ did, row: { memory } }): Debt => {
    const { id, scope, origin } = memory;
    const at = did === "ended" || did === "forgotten" ? now() : memory.updatedAt;
    const content = did === "forgotten" ? "" : head(memory.content, SHOWN);
    const isAudited = isRestricted(scope) || own?.includes(scope) === false;
    const by = isAudited ? { author } : {};
    const told: LoggedMemory = { did, at, memory: { id, content, origin }, ...by };
    return { kind: "log", scope, at, text: JSON.stringify(told) };
  });
  const scopes = new Set(events.map(({ row }) => row.memory.scope));
  return [...lines, ...[...scopes].map((scope): Debt => ({ kind: "page", scope, at: now() }))];
}

/** Conversations whose rest is waited for. */
const RESTS = 4_096;
/** Messages read at once. */
const ROWS = 32;
/** Characters shown of what a tool answered or was called with. */
const LONGEST_RESULT = 2_000;
/**
 * Of so many conversations, the latest, it is looked whether their pages hold all; of others,
 * whether there is a page.
 */
const LATEST = 64;

/** Pages of conversations, which people read: written when a conversation rests, folds or ends. */
export function createPages(core: Ports) {
  const { store, workspace, background } = core;
  const writes = core.options.archive === true && !core.off && workspace.keeps;
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
    async writeLeft({ root, home }: Who): Promise<void> {
      if (!writes || lookedAt.has(root)) return;
      lookedAt.add(root);
      try {
        const sessions = await store.sessions({ root });
        const latest = new Set(sessions.slice(0, LATEST).map(({ id }) => id));
        const held = await workspace.conversations.held(home, latest);
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
  const { store, workspace } = core;
  const [session] = await store.sessions({ ids: [id] });
  const told = await saidIn(core, id);
  if (session === undefined || told.said.length === 0) return;
  const name = session.label && (await maskSlowly(session.label));
  await workspace.conversations.write(
    // A page stands where the facts of its conversation are kept.
    homeOf(identityOf(session.root) ?? {}),
    { id, began: session.at, ...told, name },
    // Where it went on meanwhile, it is written when it rests again.
    async () => {
      const [now] = await store.sessions({ ids: [id] });
      return now !== undefined && now.length <= told.messages;
    },
  );
}

/** All that was said, without secrets. */
async function saidIn(core: Kept, id: string): Promise<Pick<SaidTogether, "messages" | "said">> {
  const said: SaidPart[] = [];
  let messages = 0;
  for (;;) {
    const rows = await core.store.bodies(id, messages, messages + ROWS);
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
