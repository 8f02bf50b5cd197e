import { type Dialect } from "../dialect/dialect.ts";
import { type HistoryStore, type Session } from "../model/history.ts";
import { type Message } from "../model/request.ts";
import { digest } from "../text/hash.ts";
import { type Cache, type Conversation } from "./cache.ts";
import { choose, isCertain, type Match } from "./choose.ts";
import { continues } from "./joined.ts";
import { type Reading } from "./line.ts";
import { findPieces, piecesAt, type Pieces } from "./pieces.ts";

export interface PlaceInput {
  readonly dialect: Dialect;
  /** The conversation without a preamble of instructions. */
  readonly messages: readonly Message[];
  readonly root: string;
  readonly label?: string;
  /** Digest of what the caller sends before a message: what the thinking of a reply that nobody archived was made behind. */
  readonly prefixBefore?: (index: number) => string;
  /** The digest of what stands before the next message, from that of what stands before this one. */
  readonly prefixBehind?: (prefix: string, message: Message) => string;
}

/** A request's last messages tell best where it belongs; what stands before them need not be looked up. */
const CHAINS = 400;
const REPLIES = 8;

/** What the first message of a conversation is chained to: the identity and the host's label, never system, tools or model. */
export const rootChain = ({ root, label }: Pick<Session, "root" | "label">): string => digest("root", root, label ?? "");

/** Where a request belongs, and whether it says the replies that give way in other pieces. */
export type Found = Match & { readonly pieces?: Pieces };

/** The session a request belongs to, recognised by its messages, or by its replies in other pieces. */
export async function findSession(stores: { store: HistoryStore; cache: Cache }, input: PlaceInput, readings: readonly Reading[]): Promise<Found | undefined> {
  const { store } = stores;
  let met: Promise<Conversation[]> | undefined;
  const others = (): Promise<Conversation[]> => (met ??= candidates(stores, { input, readings }));
  const match = await findWhole(stores, input, { readings, others });
  if (match !== undefined) {
    const { conversation, laid } = match;
    const pieces = laid.keep < conversation.entries.length ? await piecesAt(store, input, { conversation, at: laid.keep, index: laid.positions.length }) : undefined;
    return pieces ? { ...match, pieces } : match;
  }
  if (!readings.some(({ assistant }) => assistant)) return undefined;
  const found = await findPieces(store, input, { conversations: await others(), readings });
  if (found === undefined) return undefined;
  const { conversation, at, pieces } = found;
  const same = at >= conversation.session.confirmed && at + pieces.entries === conversation.entries.length;
  const positions = Array.from({ length: at }, (_, index) => index);
  return { conversation, pieces, akin: true, laid: { kind: same ? "same" : "branch", positions, keep: at, matched: at, leaf: false, straight: true, unanswered: false } };
}

/** Among those met lately if that is certain, else among all that share something with it. */
async function findWhole({ store, cache }: { store: HistoryStore; cache: Cache }, input: PlaceInput, { readings, others }: { readings: readonly Reading[]; others: () => Promise<Conversation[]> }): Promise<Match | undefined> {
  const labelled = input.label !== undefined;
  const near = choose(cache.recent(input.root, input.label), readings, { labelled, trimmed: false });
  if (isCertain(near)) return near;
  let match = choose(await others(), readings, { labelled });
  if (match?.laid.revised && !(await saysMore(store, input, match))) match = choose(await others(), readings, { labelled, revised: false });
  if (!match?.laid.unanswered || match.laid.positions.length !== input.messages.length - 1) return match;
  // A call that failed leaves its message unanswered; the caller joins the next words to it.
  const { conversation, laid } = match;
  const [waiting] = await store.bodies(conversation.session.id, laid.keep, laid.keep + 1);
  const last = input.messages.at(-1);
  return waiting && last && continues(input.dialect, waiting.body, last) ? { ...match, laid: { ...laid, kind: "same" } } : match;
}

/** Does the message that would give way hold the whole of what the caller now sends in its place, or that the whole of it? */
async function saysMore(store: HistoryStore, { dialect, messages }: PlaceInput, { conversation, laid }: Match): Promise<boolean> {
  const [before] = await store.bodies(conversation.session.id, laid.keep, laid.keep + 1);
  const now = messages[laid.positions.length];
  if (before === undefined || now === undefined) return false;
  const read = (message: Message) => ({ text: dialect.text(message).trim(), results: dialect.results(message).map(({ text }) => text) });
  const [one, other] = [read(before.body), read(now)];
  if (one.results.length !== other.results.length || one.results.some((text, index) => text !== other.results[index])) return false;
  const [shorter = "", longer = ""] = [one.text, other.text].sort((a, b) => a.length - b.length);
  return longer.includes(shorter) && (shorter !== "" || one.results.length > 0);
}

async function candidates({ store, cache }: { store: HistoryStore; cache: Cache }, { input, readings }: { input: PlaceInput; readings: readonly Reading[] }): Promise<Conversation[]> {
  const chains: string[] = [];
  let chain = rootChain(input);
  for (const { content } of readings) chains.push((chain = digest(chain, content)));
  const replies = readings.filter(({ assistant }) => assistant).slice(-REPLIES);
  const ids = new Set([
    ...(await store.byChain(chains.slice(-CHAINS))).map(({ session }) => session),
    ...(replies.length > 0 ? await store.byReply(input.root, input.label, replies.map(({ content }) => content)) : []),
  ]);
  const found = await Promise.all([...ids].map((id) => cache.load(id)));
  return found.filter((one) => one !== undefined);
}
