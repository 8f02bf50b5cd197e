/** Empties a schema for another test: to make one takes ten times as long. */
export const emptied = (schema: string): string => `do $do$ declare _table regclass; begin
  for _table in select c.oid from pg_class c where relkind = 'r' and relname <> 'migration'
    and relnamespace = to_regnamespace('"${schema}"')
    order by not exists (select from pg_constraint where conrelid = c.oid and contype = 'f')
  loop execute format('delete from %s', _table); end loop;
end $do$`;

interface Closing {
  close(): Promise<void>;
}

/** Opens a schema for each test, one that a closed store has left where there is one; again: the last. */
export function reused<Store extends Closing>(
  open: (schema: string) => Promise<Store>,
  { send, schema }: { send: (text: string) => Promise<unknown>; schema: () => string },
): { open: () => Promise<Store>; again: () => Promise<Store> } {
  const free: string[] = [];
  let last = "";
  return {
    async open() {
      const used = free.pop();
      if (used !== undefined) await send(emptied(used));
      const name = (last = used ?? schema());
      const store = await open(name);
      return { ...store, close: () => store.close().finally(() => void free.push(name)) };
    },
    again: () => open(last),
  };
}
