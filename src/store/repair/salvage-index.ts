import { asked, valueOf } from "../sqlite/database.ts";

interface Known {
  readonly ownerOf: (session: string) => string | undefined;
  readonly cursor: number;
}

/** What the search index knows of the history beside it: whose a conversation is, and how far it has been read. */
export function knownOfHistory(indexPath: string): Known {
  try {
    return asked(indexPath, (database) => {
      const owners = new Map(
        database
          .prepare(
            "select distinct s.session, r.name from stretch s join root r on r.number = s.root",
          )
          .raw()
          .all() as [string, string][],
      );
      const cursor = valueOf<number | undefined>(
        database,
        "select row from cursor where name = 'history'",
      );
      return { cursor: cursor ?? 0, ownerOf: (session) => owners.get(session) };
    });
  } catch {
    // It may be as damaged as what it is asked about.
    return { cursor: 0, ownerOf: () => undefined };
  }
}
