import { refuse, shown } from "../../core/errors-and-events.ts";
import type { Scope } from "../../core/identity.ts";
import {
  type ListOptions,
  type Memory,
  type Moment,
  momentOf,
  type Stored,
} from "../../core/memory.ts";
import { categoryName } from "../../core/memory-kinds.ts";
import { narrowing } from "../../core/memory-types.ts";
import { mask } from "../../core/secrets/mask.ts";
import { begunWords } from "../../core/text/terms.ts";
import type { Storage } from "../../storage/port.ts";
import { LISTED_BY, type Listing } from "../../storage/search-index.ts";

export interface PageOptions extends Omit<ListOptions, "after"> {
  text?: string;
  order?: Listing["order"];
  /** The `after` of the page before. */
  after?: string;
  asOf?: Moment;
}

export interface MemoryPage {
  readonly memories: Memory[];
  readonly after?: string;
}

const msOf = (at?: Moment): number | undefined => (at === undefined ? at : momentOf(at));

/** A page of what is remembered; where more follow, the cursor names the last one's place. */
export async function pageOf(
  { store, scopes, now }: { store: Storage; scopes: readonly Scope[]; now: () => number },
  {
    text = "",
    order = "updated",
    limit = 100,
    category,
    kind,
    ...asked
  }: PageOptions & { changedAfter?: Moment | undefined },
): Promise<MemoryPage> {
  const words = begunWords(text);
  const isMeant = narrowing(asked);
  const asking = {
    scopes,
    order,
    kind,
    now: now(),
    limit: limit + 1,
    ...(words.length > 0 && { words }),
    category: category && mask(categoryName(category)),
    after: msOf(asked.changedAfter),
    asOf: msOf(asked.asOf),
  };
  let behind = asked.after === undefined ? undefined : placeIn(asked.after, order);
  const rows: Stored[] = [];
  // A row that is not meant makes room for one behind it.
  for (let full = true; full && rows.length <= limit;) {
    const next = await store.find({ ...asking, behind });
    rows.push(...next.filter(({ memory }) => isMeant?.(memory) ?? true));
    const [last] = next.slice(-1);
    behind = last && { value: LISTED_BY[order](last), id: last.memory.id };
    full = next.length > limit;
  }
  const found = rows.slice(0, limit);
  const last = rows.length > limit ? found.at(-1) : undefined;
  return {
    memories: found.map(({ memory }) => memory),
    ...(last && { after: cursorOf(last, order) }),
  };
}

const cursorOf = (row: Stored, order: Listing["order"]): string =>
  Buffer.from(`${order} ${LISTED_BY[order](row)} ${row.memory.id}`).toString("base64url");

function placeIn(cursor: string, order: Listing["order"]): Listing["behind"] {
  const [of, number, id = ""] = Buffer.from(cursor, "base64url").toString().split(" ");
  const value = Number(number);
  const fits = order === "importance" ? Number.isFinite(value) : Number.isSafeInteger(value);
  if (of === order && fits) return { value, id };
  refuse(
    'memory.page: "after" must be what the page before answered as "after", in the same order, ' +
      `got ${shown(cursor)}.`,
  );
}
