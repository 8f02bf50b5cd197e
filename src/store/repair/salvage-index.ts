import { Database } from "../../model/installed.ts";

interface Known {
  readonly ownerOf: (session: string) => string | undefined;
  readonly cursor: number;
}

/** What the search index knows of the history beside it: whose a conversation is, and how far it has been read. */
export function knownOfHistory(indexPath: string): Known {
  const owners = new Map<string, string>();
  try {
    const database = new Database(indexPath, {
      readonly: true,
      fileMustExist: true,
      timeout: 5000,
    });
    try {
      const cursor =
        (database.prepare("select row from cursor where name = 'history'").pluck().get() as
          number | undefined) ?? 0;
      for (const { session, name } of database
        .prepare(
          "select distinct s.session, r.name from stretch s join root r on r.number = s.root",
        )
        .all() as { session: string; name: string }[])
        owners.set(session, name);
      return { cursor, ownerOf: (session) => owners.get(session) };
    } finally {
      database.close();
    }
  } catch {
    // It may be as damaged as what it is asked about.
    return { cursor: 0, ownerOf: (session) => owners.get(session) };
  }
}
