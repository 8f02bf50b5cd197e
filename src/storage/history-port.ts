import type { Entry } from "../core/history.ts";
import type { EndedTurn, TurnInfo } from "../core/turns.ts";

export type SessionsAsked =
  /** In the order asked; those that are gone are left out. */
  | { readonly ids: readonly string[] }
  /** The latest first; `unnoted`: with messages nothing was taken from yet. */
  | {
      readonly root: string;
      readonly label?: string;
      readonly unnoted?: true;
      readonly limit?: number;
    }
  /** Branches, which hold this very entry: the furthest distilled, then the latest; 24 will do. */
  | { readonly holding: Pick<Entry, "chain" | "at"> }
  /**
   * Those that hold some of these digests of words, of the user's or archived replies', those with
   * most first, then the latest, 24 at most; of the label, or without any where none is named.
   * Where no words are asked for, the latest 8 of them.
   */
  | {
      readonly root: string;
      readonly label: string | undefined;
      readonly said: readonly string[];
    };

export type FoldsAsked =
  /** Those that stand, by `upTo`, then `at`. */
  | { readonly session: string }
  /**
   * Each session that holds it, the one that made it first: ids rise with time. Undone ones too.
   */
  | { readonly id: string }
  /** Undone ones too, the latest first, then by session; each session of a shared one. */
  | { readonly root: string };

/** Turns that have ended. Each member that is named narrows them. */
export interface EndedAsked {
  readonly root?: string;
  readonly conversation?: string;
  /** Only those that told or recalled it. */
  readonly memory?: string;
  readonly since?: number;
  /** Without what was told and recalled, which takes as long as all else. */
  readonly bare?: true;
  /** Only what stands behind the turn of this id, in the order asked. */
  readonly after?: string;
  /** By id. Behind the last of the oldest none comes that is older. */
  readonly order: "latest" | "oldest";
  readonly limit: number;
}

/** The latest of a conversation are kept; one in `counted` turns looks whether some must go. */
export const TURNS = { kept: 10_000, counted: 101 } as const;

/** A turn's row: nothing is null; `told` is null where it is as in the last row that has it. */
export interface EndedRow extends Omit<EndedTurn, "conversation" | "limit" | Lists> {
  readonly session: string;
  readonly bound: number;
  readonly told: string;
  readonly recalled: string;
}
type Lists = "told" | "recalled";

export const ENDED =
  "session, at, model, used, bound, mark, read, written, cached, dollars, ms, waited, fold, " +
  "told, recalled";

export const endedRow = (turn: EndedTurn): EndedRow => {
  const { conversation: session, limit: bound, told, recalled, ...rest } = turn;
  const scored = recalled.map(({ id, score }) => `${id} ${score}`);
  return { ...rest, session, bound, told: told.join(" "), recalled: scored.join(" ") };
};

/** Each member is named: a rest and a spread take several times as long. */
export function toTurn(row: EndedRow & { readonly number: number }): TurnInfo {
  const { model, dollars, fold, told } = row;
  const turn: Building = {
    id: String(row.number),
    conversation: row.session,
    at: row.at,
    used: row.used,
    limit: row.bound,
    mark: row.mark,
    read: row.read,
    cached: row.cached,
    written: row.written,
    ms: row.ms,
    waited: row.waited,
    told: told === "" ? [] : told.split(" "),
    recalled: row.recalled === "" ? [] : recalledIn(row.recalled.split(" ")),
  };
  if (typeof model === "string") turn.model = model;
  if (typeof dollars === "number") turn.dollars = dollars;
  if (typeof fold === "string") turn.fold = fold;
  return turn;
}

type Building = { -readonly [Name in keyof TurnInfo]: TurnInfo[Name] };

const recalledIn = (words: readonly string[]): TurnInfo["recalled"] =>
  words.flatMap((id, at) => (at % 2 === 0 ? [{ id, score: Number(words[at + 1]) }] : []));
