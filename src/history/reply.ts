import { defined } from "../base/guards.ts";
import { type Dialect } from "../dialect/common/dialect.ts";
import {
  type Aside,
  type Entry,
  type NewEntry,
  type Session,
  type SessionState,
} from "../model/history.ts";
import { type LedgerLine } from "../model/ledger.ts";
import { type Message } from "../model/request.ts";
import { digest } from "../text/hash.ts";
import { boundTo, withoutBody } from "./entries.ts";
import { rootChain } from "./find.ts";
import { headOf } from "./readings.ts";
import { thoughtOf } from "./thought.ts";
import { type History, writeSession } from "./write.ts";

export interface Reply {
  readonly dialect: Dialect;
  readonly message: Message;
  /** The conversation it answers, and the session's line as it was when that was sent. */
  readonly before: readonly Message[];
  readonly line: readonly Entry[];
  /** Digest of everything that was sent, for a reply with thinking. */
  readonly prefix?: string;
  /** What the reply teaches, given what is known by now, and what it adds to the books. */
  readonly learn?: (state: SessionState) => {
    readonly state: Partial<SessionState>;
    readonly ledger: readonly LedgerLine[];
  };
}

/** Writes the reply behind the request it answers. A line that has gone on without it, or another way, keeps it aside. */
export async function archiveReply(history: History, id: string, reply: Reply): Promise<void> {
  const { cache, now } = history;
  const conversation = cache.last(id) ?? (await cache.load(id));
  if (!conversation) return;
  const { dialect, message, before, line, learn } = reply;
  const { session, entries, read } = conversation;
  const at = line.length;
  const { content, skeleton } = dialect.canon([...before, message], before.length);
  const bound = boundTo({ prefix: reply.prefix, thought: thoughtOf(dialect, message) });
  const learnt = learn?.(session.state);
  const ledger = learnt?.ledger ?? [];
  const next: Session = { ...session, updatedAt: now(), revision: session.revision + 1 };
  if (!isNext(line, entries)) {
    const aside: Aside = { before: at, content, kind: "replaced", body: message, ...bound };
    const change = { from: entries.length, entries: [], asides: [aside], ledger };
    await writeSession(history, { ...conversation, session: next }, change);
    return;
  }
  const entry: NewEntry = {
    chain: digest(entries[at - 1]?.chain ?? rootChain(session), content),
    content,
    skeleton,
    role: "assistant",
    reply: true,
    head: headOf(dialect, message),
    ...bound,
    at: now(),
    body: message,
  };
  const result = {
    ...conversation,
    session: { ...next, state: { ...session.state, ...learnt?.state } },
    entries: [...entries.slice(0, at), withoutBody(entry)],
    ...defined({ read: read && read.length > at ? read.slice(0, at) : undefined }),
  };
  await writeSession(history, result, { from: at, entries: [entry], ledger });
}

/** Does the session still end with the line that was sent, or with that and another reply? */
function isNext(line: readonly Entry[], entries: readonly Entry[]): boolean {
  const at = line.length;
  const free = entries.length === at || (entries.length === at + 1 && entries[at]?.reply === true);
  return free && entries[at - 1]?.chain === line[at - 1]?.chain;
}
