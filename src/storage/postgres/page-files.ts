import { lru } from "../../core/base.ts";
import type { FileRow, Files } from "../files.ts";
import { asJson, type Server, type Sql } from "./sql.ts";

/** All or nothing; a digest says what a change was made on. */
export const FILE_FUNCTIONS = `
create function [put_files](_files jsonb, _at bigint) returns boolean language plpgsql as $f$
declare
  _one jsonb;
begin
  for _one in select f from jsonb_array_elements(_files) f order by f->>'path' loop
    if not _one ? 'on' then
      insert into [file] values (_one->>'path', _one->>'text', md5(_one->>'text'), _at)
        on conflict do nothing;
    elsif _one ? 'text' then
      update [file] set text = _one->>'text', digest = md5(_one->>'text'), changed = _at
        where path = _one->>'path' and digest = _one->>'on';
    else
      delete from [file] where path = _one->>'path' and digest = _one->>'on';
    end if;
    if not found then raise sqlstate 'TM000'; end if;
  end loop;
  return true;
exception when sqlstate 'TM000' then return false;
end $f$;
`;

type Held = { readonly text: string; readonly digest: string } | undefined;

/**
 * Pages as rows. They are held while all other processes are heard and none tells of another page:
 * a turn looks whether MEMORY.md was edited. `explained`: what is told where the server cannot be
 * reached.
 */
export function fileRows(
  { rows, run }: Sql,
  { peers, alone }: Server,
  explained: (thrown: unknown) => Error,
): Files {
  const told = async <T>(work: () => Promise<T> | undefined): Promise<T | undefined> => {
    try {
      return await work();
    } catch (thrown) {
      throw explained(thrown);
    }
  };
  const texts = together(async (paths: readonly string[]): Promise<Held[]> => {
    const found = await told(
      () => rows<{ path: string; text: string; digest: string }>`select path, text, digest
        from [file] where path = any(${paths}::text[])`,
    );
    return paths.map((path) => found?.find((one) => one.path === path));
  });
  // "0" is the character behind "/".
  const lists = together(async (unders: readonly string[]): Promise<FileRow[][]> => {
    const found = await told(
      () => rows<FileRow & { n: number }>`select n, path, digest, octet_length(text) as bytes,
          changed from unnest(${unders}::text[]) with ordinality asked (under, n) join [file]
          on under = '' or path = under or path > under || '/' and path < under || '0'
        order by path`,
    );
    return unders.map((_, at) => found?.filter(({ n }) => n === at + 1) ?? []);
  });
  const drop = (): void => [texts, lists].forEach((one) => one.drop());
  const isSure = peers?.hear((what) => what !== "rows" && drop());
  const ask = <T>({ ask, held }: Together<T>, path: string): Promise<T> =>
    isSure?.() === true ? held(path) : ask(path);
  return {
    read: (path) => ask(texts, path),
    list: (under) => ask(lists, under),
    put: async (files, at) => {
      drop();
      const done = await told(
        () => run`select [put_files](${asJson(files)}::jsonb, ${at}::bigint) as stands`,
      );
      drop();
      const isDone = done?.[0]?.stands === true;
      if (isDone) peers?.tell("files");
      return isDone;
    },
    alone: (work) => (alone === undefined ? work() : alone("pages", work)),
  };
}

/** Bounds what is held of a fleet's pages. */
const MOST_HELD = 1_000;

interface Together<T> {
  ask(path: string): Promise<T>;
  held(path: string): Promise<T>;
  drop(): void;
}

/** What is asked at one moment goes in one trip. */
function together<T>(work: (paths: readonly string[]) => Promise<readonly T[]>): Together<T> {
  const known = lru<string, Promise<T>>(MOST_HELD);
  let next: { readonly paths: string[]; readonly told: Promise<readonly T[]> } | undefined;
  const ask = async (path: string): Promise<T> => {
    next ??= {
      paths: [],
      told: new Promise((resolve) => setImmediate(resolve)).then(() => {
        const { paths = [] } = next ?? {};
        next = undefined;
        return work(paths);
      }),
    };
    const at = next.paths.push(path) - 1;
    return (await next.told)[at] as T;
  };
  const held = (path: string): Promise<T> => {
    const before = known.get(path);
    if (before !== undefined) return before;
    const found = ask(path);
    known.set(path, found);
    found.catch(() => known.delete(path));
    return found;
  };
  return { ask, held, drop: known.clear };
}
