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

/** Bounds what is held of a fleet's pages. */
const MOST_HELD = 1_000;

/**
 * Pages as rows. They are held while all other processes are heard and none tells of another page:
 * a turn looks whether MEMORY.md was edited. `explained`: what is told where the server cannot be
 * reached.
 */
export function fileRows(
  { rows, row, run }: Sql,
  { peers, alone }: Server,
  explained: (thrown: unknown) => Error,
): Files {
  const told = <T>(answer: Promise<T>): Promise<T> =>
    answer.catch((thrown: unknown) => {
      throw explained(thrown);
    });
  const isHeard = (): boolean => isSure?.() === true;
  const read = holding<Awaited<ReturnType<Files["read"]>>>(isHeard, (path) =>
    told(row`select text, digest from [file] where path = ${path}`),
  );
  // "0" is the character behind "/".
  const list = holding<FileRow[]>(isHeard, (under) =>
    told(rows`select path, digest, octet_length(text) as bytes, changed from [file]
      where ${under} = '' or path = ${under}
        or path > ${under} || '/' and path < ${under} || '0' order by path`),
  );
  const drop = (): void => [read, list].forEach((one) => one.drop());
  const isSure = peers?.hear((what) => what !== "rows" && drop());
  return {
    read: read.ask,
    list: list.ask,
    put: async (files, at) => {
      drop();
      const done = await told(
        run`select [put_files](${asJson(files)}::jsonb, ${at}::bigint) as stands`,
      );
      drop();
      const isDone = done[0]?.stands === true;
      if (isDone) peers?.tell("files");
      return isDone;
    },
    alone: (work) => (alone === undefined ? work() : told(alone("pages", work))),
  };
}

/** Answers are held as long as it is heard when they are no longer so. */
function holding<T>(isHeard: () => boolean, work: (path: string) => Promise<T>) {
  const known = lru<string, Promise<T>>(MOST_HELD);
  const ask = (path: string): Promise<T> => {
    const found = (isHeard() ? known.get(path) : undefined) ?? work(path);
    known.set(path, found);
    found.catch(() => known.delete(path));
    return found;
  };
  return { ask, drop: known.clear };
}
