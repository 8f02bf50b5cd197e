import { type Listen } from "../../model/events.ts";
import { type Scope } from "../../model/identity.ts";
import { type Rights } from "../../model/rights.ts";
import { type Origin } from "../../model/memory.ts";
import { type Store } from "../../model/store.ts";
import { type Mask } from "../../secrets/mask.ts";
import { type Journal } from "./commit.ts";
import { type Lifetimes } from "./lifetimes.ts";
import { type Meaning } from "../meaning/meaning.ts";
import { type RankingRule } from "../recalling/rank.ts";

/** Where memories of one identity stand, and what is done with them. */
export interface MemoryRoom {
  readonly store: Store;
  /** All that the identity reads. */
  readonly scopes: readonly Scope[];
  /** What the identity may do where. Default: all of it in `scopes`. Asked anew each time: a team grows. */
  readonly rights?: () => Promise<Rights>;
  /** Where a save goes that names no scope. */
  readonly home: Scope;
  readonly now: () => number;
  readonly newId: () => string;
  readonly journal: Journal;
  readonly listen: Listen;
  readonly countTokens: (text: string) => number;
  readonly lifetimes?: Lifetimes;
  readonly ranking?: RankingRule;
  /** Absent: words only. */
  readonly meaning?: Meaning;
  /** Whose words `save` and `update` carry. Default "host". */
  readonly origin?: Origin;
  /** Takes secrets out of all that is saved. Absent: texts are saved as they come. */
  readonly mask?: () => Promise<Mask>;
  /** Runs what no other process may come in between of, and takes back what it wrote to files where it fails. Absent: as it comes. */
  readonly alone?: <T>(work: () => Promise<T>) => Promise<T>;
}

/** A room in which every choice is made. */
export type CompleteRoom = MemoryRoom &
  Required<Pick<MemoryRoom, "rights" | "lifetimes" | "origin" | "mask" | "alone">>;

export const completed = ({
  rights,
  lifetimes = {},
  origin = "host",
  mask = async () => (text) => text,
  alone = (work) => work(),
  ...room
}: MemoryRoom): CompleteRoom => ({
  ...room,
  rights: rights ?? (async () => allIn(room.scopes)),
  lifetimes,
  origin,
  mask,
  alone,
});

const allIn = (scopes: readonly Scope[]): Rights => ({
  may: (_act, scope) => scopes.includes(scope),
  where: () => [...scopes],
});

/** What is ours, or one of a closed list: no words of a conversation. */
const OURS = new Set(["id", "scope", "kind", "origin", "same"]);

/**
 * A draft, a patch, a fact or a question without the secrets in any of its texts: nothing of them reaches the journal, a database
 * or a file. A field that is new is masked unless it is named above.
 */
export function maskedTexts<T extends object>(given: T, mask: Mask): T {
  const masked = (value: unknown): unknown => {
    if (typeof value === "string") return mask(value);
    return Array.isArray(value) ? value.map(masked) : value;
  };
  return Object.fromEntries(
    Object.entries(given).map(([name, value]) => [name, OURS.has(name) ? value : masked(value)]),
  ) as T;
}
