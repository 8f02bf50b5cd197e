import type { Owner, Whole } from "../whole.ts";
import { archivePortions, takeRows } from "./archive-rows.ts";
import { forgetNames } from "./backup.ts";
import { asked, type DatabaseAt } from "./database-file.ts";
import { patiently } from "./shared-file.ts";

/** A conversation is of the user it was had with, else of the agent, as what it taught is. */
const OWNERS = `
  select scope, sum(memory) as memories, sum(conversation) as conversations,
    max(at) as updatedAt from (
      select name as scope, (select count(*) from memory where scope = number
          and valid_to is null and (expires_at is null or expires_at > ?)) as memory,
        0 as conversation, (select max(updated_at) from memory where scope = number
          and valid_to is null) as at
        from scope where memory > 0
      union all
      select coalesce('user:' || (root ->> 3), 'agent:' || (root ->> 0)), 0, 1, updated_at
        from session
    ) group by scope order by updatedAt desc, scope`;

/** The owners of what a sound file holds, the latest first. */
export const ownersOf = (at: DatabaseAt, now: number): Owner[] =>
  asked(at, ({ rows }) => rows(OWNERS, now));

export const noteOf = (at: DatabaseAt, name: string): string | undefined =>
  asked(at, ({ value }) => value`select text from note where name = ${name}`);

/** A file as a whole, by connections of its own. */
export const wholeFile = (at: DatabaseAt): Whole => ({
  where: at.path,
  owners: async (now) => ownersOf(at, now),
  conversations: async (isOwn) =>
    asked(at, ({ value, values }) => {
      const roots = values<string>`select distinct root from session`.filter(isOwn);
      const sessions = values<string>`select id from session
        where root in (select value from json_each(${roots})) order by id`;
      const messages = value<number>`select count(*) from entry
        where session in (select value from json_each(${sessions}))`;
      return { sessions, messages: messages ?? 0 };
    }),
  reading: (of, work) =>
    work({
      async *rows() {
        yield* archivePortions(at, of);
      },
    }),
  take: (rows) => patiently(() => takeRows(at, rows)),
  forgetNames: (of) => patiently(() => forgetNames(at, of)),
});
