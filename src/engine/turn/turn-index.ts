import { defined, asText, isDict } from "../../base/guards.ts";
import { setImmediate } from "node:timers/promises";
import { dialectFor } from "../../dialect/detect.ts";
import { asImported } from "../../history/import.ts";
import type { Message } from "../../model/request.ts";
import type { TurnRow } from "../../model/store.ts";
import { withoutFences } from "../../text/fence.ts";
import { head } from "../../text/cut.ts";
import type { Core } from "../session/core.ts";

/** Rows read at once. */
const BATCH = { least: 8, most: 100 } as const;
/** Characters indexed before others get their turn: some 10 ms. */
const SLICE = 30_000;
/** A turn's searchable text: a tool's page beyond this is found by its beginning. */
const LONGEST = 8_000;

/** Brings the search index up to what history holds. Done before a search, so that no turn of the chat pays for it. */
export const indexTurns = (core: Core): Promise<void> => core.process.indexing(() => bringUp(core));

/** To be called when history has let go of these sessions. Behind the indexing under way, which may have read them before. */
export const forgetTurns = (core: Core, sessions: readonly string[]): Promise<void> =>
  core.process.indexing(async () => void (await core.store.turns.remove({ session: sessions })));

async function bringUp(core: Core): Promise<void> {
  let batch: number = BATCH.most;
  for (;;) {
    const rows = await core.history.unindexed(await core.store.turns.cursor(), batch);
    const turns: TurnRow[] = [];
    let size = 0;
    let read = 0;
    for (const { row, session, root, position, role, body, name, ref, at, aside } of rows) {
      const { speaker = role, text } = readTurn(body);
      read += 1;
      size += text.length;
      if (text !== "")
        turns.push({
          id: `${session}#${position}${aside ? `.${row}` : ""}`,
          session,
          root,
          position,
          role: speaker,
          text,
          at,
          ...defined({ name, ref }),
        });
      if (size >= SLICE) break;
    }
    const last = rows[read - 1];
    if (last === undefined) return;
    await core.store.turns.add(turns, last.row);
    // Another process may have forgotten a session between our reading and our writing.
    const gone: string[] = [];
    for (const session of new Set(turns.map((turn) => turn.session)))
      if ((await core.history.session(session)) === undefined) gone.push(session);
    if (gone.length > 0) await core.store.turns.remove({ session: gone });
    // What stands behind the slice is read anew: it may be forgotten by then.
    if (read === rows.length && rows.length < batch) return;
    batch = Math.min(BATCH.most, Math.max(BATCH.least, 2 * read));
    await setImmediate();
  }
}

/** What was said and answered, and by whom ("tool": answers are part of it); not what was injected, thought or asked of a tool. */
function readTurn(body: Message): { speaker?: string; text: string } {
  // An object that says it is nothing (toJSON) was kept as nothing; one such row must not end the search for good.
  if (!isDict(body)) return { text: "" };
  const imported = asImported(body);
  if (imported !== undefined) return { text: head(imported.text, LONGEST) };
  const dialect = dialectFor({ messages: [body] });
  const said = withoutFences(dialect.text(body)).trim();
  const results = dialect.results(body).map(({ text }) => withoutFences(text));
  const text = [said, ...results]
    .map(asText)
    .filter((part) => part !== "")
    .join("\n");
  return {
    speaker: results.length > 0 ? "tool" : dialect.speaker(body),
    text: head(text, LONGEST),
  };
}
