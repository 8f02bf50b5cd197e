import { type IdentifierKind } from "../../text/identifiers.ts";
import { type Entry, isReference } from "./ledger.ts";

/** What it costs to be without one: a symbol can be looked up again, an address or an id cannot. */
const BY_KIND: Readonly<Record<IdentifierKind, number>> = { url: 1.4, email: 1.4, path: 1.4, hash: 1, version: 0.8, id: 1.2, symbol: 1, number: 0.4 };
/** A time or a price belongs to its sentence; a long number is somebody's number. */
const worthOfNumber = (text: string): number => (/[:$%]/.test(text) ? 0.1 : text.replace(/\D/g, "").length >= 4 ? BY_KIND.number : 0.15);

/**
 * How likely an identifier is to be needed again, times what it costs to be without it. The likelihoods follow how
 * often identifiers of each sort came back after a cut in recorded agent conversations: one that a result showed once,
 * one time in twelve, shown often, one in three; used in a call, one in four; spoken of by user or assistant, one in two.
 */
export function worth(entry: Entry, length: number): number {
  const used = entry.user + entry.said + entry.called > 0;
  return Math.min(used ? whenUsed(entry, length) : whenSeen(entry), 0.95) * (entry.kind === "number" ? worthOfNumber(entry.text) : BY_KIND[entry.kind]);
}

function whenUsed({ user, said, called, seen, count, written, old, used }: Entry, length: number): number {
  let likely = 0.12 + 0.08 * Math.min(Math.max(called - 1, 0), 4) + 0.01 * Math.min(count, 10);
  if (said > 0) likely += 0.15 + 0.04 * Math.min(said - 1, 4);
  if (user > 0) likely += 0.2;
  if (seen > 0) likely += 0.06;
  if (written) likely += 0.15;
  if (old) likely += 0.05;
  const age = (length - 1 - used) / Math.max(length, 1);
  return likely * (0.6 + 0.7 * 0.5 ** (age / 0.2));
}

function whenSeen({ text, kind, label, member, seen, count, crowd }: Entry): number {
  const named = label !== undefined && isReference(label);
  if (named || (kind === "id" && /[a-z]{2,}_\d{3,}$/i.test(text))) return 0.25 * Math.min(1, 5 / crowd);
  if (kind === "number") return label === undefined ? 0 : 0.03;
  if (member) return 0.02;
  const often = 0.04 + 0.03 * Math.min(count - 1, 7) + 0.08 * Math.min(seen - 1, 3);
  return kind === "symbol" && !text.includes(".") ? often * 1.5 : often * 0.7;
}
