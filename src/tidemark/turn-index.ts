import { dialectFor } from "../dialect/detect.ts";
import { asText, isDict } from "../model/guards.ts";
import { type Message } from "../model/request.ts";
import { type TurnRow } from "../model/store.ts";
import { withoutFences } from "../text/fence.ts";
import { head } from "../text/cut.ts";
import { type Core } from "./core.ts";

/** Rows read and indexed at once. */
const BATCH = 500;
/** A turn's searchable text: a tool's page beyond this is found by its beginning. */
const LONGEST = 8_000;

/** Brings the search index up to what history holds. Done before a search, so that no turn of the chat pays for it. */
export async function indexTurns(core: Core): Promise<void> {
  for (;;) {
    const after = await core.store.turns.cursor();
    const rows = await core.history.unindexed(after, BATCH);
    const last = rows.at(-1);
    if (last === undefined) return;
    const turns = rows.map(({ session, root, position, role, body, name, ref, at }): TurnRow => ({
      id: `${session}#${position}`,
      session,
      root,
      position,
      role,
      text: textOf(body),
      at,
      ...(name === undefined ? {} : { name }),
      ...(ref === undefined ? {} : { ref }),
    }));
    await core.store.turns.add(turns.filter(({ text }) => text !== ""), last.row);
  }
}

/** What was said and answered; not what was injected, thought or asked of a tool. */
function textOf(body: Message): string {
  // An object that says it is nothing (toJSON) was kept as nothing; one such row must not end the search for good.
  if (!isDict(body)) return "";
  if (typeof body.text === "string" && body.content === undefined) return head(body.text, LONGEST);
  const dialect = dialectFor({ messages: [body] });
  const said = withoutFences(dialect.text(body)).trim();
  const results = dialect.results(body).map(({ text }) => text);
  return head([said, ...results].map(asText).filter((part) => part !== "").join("\n"), LONGEST);
}
