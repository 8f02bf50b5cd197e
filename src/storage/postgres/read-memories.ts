import type { Scope } from "../../core/identity.ts";
import type { Category, OwedDebt } from "../../core/memory.ts";
import type { KeptValue, LookUp, Truth } from "../port.ts";
import { lookedUp, toStored, type ValueRow } from "../rows.ts";
import type { BegunWord, Listing, Narrowing } from "../search-index.ts";
import { asJson, END, part, type Sql } from "./sql.ts";

/** The columns of `memory m` with its scope's name, as the members they fill. */
export const MEMORY = part`m.id, m.version, s.name as scope, m.key, m.content, m.same, m.terms,
  m.kind, m.category, m.importance, m.source, m.origin, m.tags, m.at,
  m.updated_at as "updatedAt", m.stated_at as "statedAt", m.expires_at as "expiresAt", m.uses,
  m.used_at as "usedAt", m.valid_from as "validFrom", m.valid_to as "validTo", m.sorted`;

/** A value holds at the moment asked about: current and unexpired, or valid and unexpired then. */
export const narrowed = ({
  now,
  asOf,
  ever = false,
  category,
  kind,
}: Omit<Narrowing, "scopes" | "limit">) => part`
  (${ever}::boolean or ${asOf}::bigint is null and m.valid_to is null
    or m.valid_from <= ${asOf} and (m.valid_to is null or m.valid_to > ${asOf}))
  and (${ever}::boolean or m.expires_at is null or m.expires_at > ${asOf ?? now})
  and (${category}::text is null or m.category = ${category})
  and (${kind}::text is null or m.kind = ${kind})`;

/** By the numbers that hold all words: common ones are in most rows. */
const holdingAll = (scopes: readonly Scope[], words: readonly BegunWord[]) => {
  const asked = words.flatMap(({ start, term }, word) => [
    { word, term: start, upto: start + END },
    { word, term, upto: term },
  ]);
  return part`m.number in (
    select t.number from jsonb_to_recordset(${asJson(asked)}::jsonb)
        as ask (word integer, term text, upto text)
      join [memory_term] t on t.term between ask.term and ask.upto and t.scope = any(array(
        select number from [scope] where name = any(${scopes}::text[])))
    group by t.number having count(distinct ask.word) = ${words.length}::integer)`;
};

const ORDERS = {
  updated: part`updated_at`,
  stated: part`stated_at`,
  importance: part`importance`,
  used: part`uses`,
};

export function memoryReads({
  rows,
  row,
}: Sql): Pick<Truth, "find" | "values" | "count" | "note" | "debts"> {
  async function lookUp({ scopes, past = false, id, key, source, same }: LookUp) {
    if ([id, key, source, same].every((one) => one === undefined)) return [];
    const found = await rows<ValueRow>`select ${MEMORY} from [memory] m
      join [scope] s on s.number = m.scope
      where s.name = any(${scopes}::text[]) and (${past}::boolean or m.valid_to is null)
        and (${id}::text is null or m.id = ${id}) and (${same}::text is null or m.same = ${same})
        and (${key}::text is null or (md5(m.key) = md5(${key}) and m.key = ${key}))
        and (${source}::text is null or m.source = ${source})
      order by m.number`;
    return lookedUp(found, past);
  }
  /** One scope after the other, so that each is read in the order of its index. */
  async function list({ scopes, limit, after, origins, order, behind, words, ...rest }: Listing) {
    const by = ORDERS[order];
    const found = await rows<ValueRow>`select ${MEMORY} from [scope] s cross join lateral (
        select * from [memory] m where m.scope = s.number and ${narrowed(rest)}
          and ${words?.length ? holdingAll(scopes, words) : part`true`}
          and ${
            behind === undefined
              ? part`true`
              : part`m.${by} <= ${behind.value}
            and (m.${by} < ${behind.value} or m.id > ${behind.id})`
          }
          and (${after}::bigint is null or m.updated_at > ${after})
          and (${origins}::text[] is null or m.origin = any(${origins}::text[]))
        order by m.${by} desc, m.id limit ${limit}
      ) m where s.name = any(${scopes}::text[]) order by m.${by} desc, m.id limit ${limit}`;
    return found.map(toStored);
  }
  return {
    find: (which) => ("order" in which ? list(which) : lookUp(which)),
    values: async ({ scopes, ids, after = { id: "", version: 0 }, limit }) =>
      (
        await rows<ValueRow>`select ${MEMORY} from [memory] m join [scope] s on s.number = m.scope
          where (${scopes}::text[] is null or s.name = any(${scopes}::text[]))
            and (${ids}::text[] is null or m.id = any(${ids}::text[]))
            and (m.id, m.version) > (${after.id}, ${after.version})
          order by m.id, m.version limit ${limit}`
      ).map((one) => ({ stored: toStored(one), until: one.validTo }) as KeptValue),
    async count({ scopes, now, root }) {
      const categories = rows<Category>`select category as name, count(*) as memories
        from [memory] m where valid_to is null and (expires_at is null or expires_at > ${now})
          and scope in (select number from [scope] where name = any(${scopes}::text[]))
        group by category order by memories desc, name`;
      const said = row<{ messages: number }>`select count(distinct e.chain) as messages
        from [entry] e join [session] s on s.id = e.session where s.root = ${root}`;
      return { categories: await categories, messages: (await said)?.messages ?? 0 };
    },
    note: async (name) =>
      (await row<{ text: string }>`select text from [note] where name = ${name}`)?.text,
    debts: () => rows<OwedDebt>`select id, kind, scope, at, text from [debt] order by id`,
  };
}
