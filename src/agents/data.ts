import { defined, type Dict, isDict } from "../core/base.ts";
import { refuse, shown } from "../core/errors-and-events.ts";
import * as s from "../core/schema.ts";
import {
  type DataApi,
  READY,
  type Repository,
  type RepositoryOptions,
} from "../session/options/data-api.ts";
import type { Ports } from "../session/ports.ts";
import type { DataSums } from "../storage/data-port.ts";
import { atBorder, checkOpen, type View } from "./public-calls.ts";

/** Characters of a row as JSON, and of a text that it is found by. */
const [LARGEST, FOUND_BY] = [1_000_000, 500];
/** Rows, or groups of them, in one answer. */
const AT_ONCE = 1_000;
/** Behind every key. */
const END = "\u{10ffff}";

const NAME = s.where(s.name(50), 'letters of a to z, digits and "_"', (name) =>
  /^[a-z_]\w*$/i.test(name),
);
const KEY = s.name(200);
const ROW = s.is<Dict>("an object", isDict);
const LIMIT = s.whole(AT_ONCE, -AT_ONCE);
const MEMBER = s.optional(
  s.is(
    `a number, a boolean, or a text of at most ${FOUND_BY} characters`,
    (value) => !(value instanceof Object) && String(value).length <= FOUND_BY,
  ),
);
const HOW = s.object({
  ...{ name: NAME, key: NAME, appendOnly: s.optional(s.flag) },
  indexes: s.optional(s.list("a list of at most 8 names", NAME, 8)),
});

/**
 * Operational data belong to the workspace, as tasks and budgets are a company's: its programs ask
 * for them, and no agent by itself.
 */
export function dataApi(core: Ports, view: View): DataApi {
  const { store, background, newId } = core;
  const check = (): void => {
    checkOpen(core, view);
    if (store.dataRows === undefined)
      refuse("This `store` keeps no operational data: leave the option out.", "capability");
  };
  function repository(name: string, how: RepositoryOptions<Dict>): Repository<Dict> {
    s.check(HOW, { ...how, name }, "data.repository");
    const { key: id, indexes = [], appendOnly = false } = how;
    const owner = `data.${name}`;
    const members = [id, ...indexes];
    const each = Object.fromEntries(members.map((one) => [one, MEMBER]));
    /** Throws for what cannot be asked. */
    function asked(method: string, given: Dict & Partial<Pick<DataSums, "where">>) {
      const [by, where] = [s.oneOf(...members), s.object(each)];
      const known = { key: KEY, after: KEY, limit: LIMIT, was: ROW, of: NAME };
      s.check(s.options({ ...known, by, where }), given, `${owner}.${method}`);
      return { repository: name, where: defined(given.where ?? {}) };
    }
    /** A row as JSON carries it. */
    function plain(row: Dict): Dict {
      s.check(ROW, row, `${owner}.save`);
      const json = JSON.stringify({ ...row, [id]: row[id] ?? newId() });
      const value = JSON.parse(json) as Dict;
      s.check(s.holding({ ...each, [id]: KEY }), value, `${owner}.save`);
      return json.length > LARGEST
        ? refuse(`${owner}.save: a row has ${LARGEST} characters of JSON at most.`)
        : value;
    }
    return atBorder<Repository<Dict>>({ background, check }, `${owner}.`, {
      async save(row, { was, ...more } = {}) {
        const value = plain(row);
        const { repository } = asked("save", { was, ...more });
        const stood = appendOnly ? null : was && plain(was);
        const data = { repository, key: String(value[id]), value, ...defined({ was: stood }) };
        if (await store.commit({ data }, { durable: true })) return value;
        const why = appendOnly ? "is there already, and stays" : "is no longer what it `was`";
        refuse(`${owner}.save: ${shown(data.key)} ${why}.`, "conflict");
      },
      get: async (key) =>
        (await store.dataRows?.({ ...asked("get", { key }), at: "=", key, limit: 1 }))?.[0],
      async list(where, limit = 100, after) {
        const isLast = limit < 0;
        const found = await store.dataRows?.({
          ...asked("list", { where, limit, after }),
          ...{ at: isLast ? "<" : ">", key: after ?? (isLast ? END : ""), limit: Math.abs(limit) },
        });
        return (isLast ? found?.reverse() : found) ?? [];
      },
      async delete(key) {
        if (appendOnly) refuse(`${owner} is append-only: no row is taken out.`);
        const { repository } = asked("delete", { key });
        return store.commit({ data: { repository, key } }, { durable: true });
      },
      aggregate: async (sums = {}) =>
        (await store.dataSums?.({ limit: AT_ONCE, ...sums, ...asked("aggregate", sums) })) ?? [],
    });
  }
  const ready = Object.entries(READY).map(([name, indexes]) => {
    const how = { key: "id", indexes: indexes.split(" "), appendOnly: name === "audit" };
    return [name, repository(name, how)];
  });
  return { repository, ...Object.fromEntries(ready) } as unknown as DataApi;
}
