import { type Connection, SilentDamage } from "./database.ts";

/** Conversations looked at between two turns of the loop. */
const SLICE = 500;

/**
 * Throws where the index does not show a conversation that is there. SQLite notices a broken page, not a row of an index that says
 * something else: every list would lack that conversation, and nothing be said.
 */
export async function checkIndex(database: Connection): Promise<void> {
  const slice = database.prepare(
    `select max(id) as last, sum(not exists (select 1 from session i indexed by session_root where i.root = s.root and i.updated_at = s.updated_at and i.id = s.id)) as lacking
     from (select id, root, updated_at from session where id > ? order by id limit ${SLICE}) s`,
  );
  for (let after: string | null = ""; after !== null;) {
    await new Promise((resolve) => setImmediate(resolve));
    if (!database.open) return;
    const { last, lacking } = slice.get(after) as { last: string | null; lacking: number | null };
    if ((lacking ?? 0) > 0) throw new SilentDamage("its index of conversations lacks some");
    after = last;
  }
}
