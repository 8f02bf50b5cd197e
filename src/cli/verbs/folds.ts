import { shown } from "../../model/errors.ts";
import { type FoldInfo } from "../../model/folds.ts";
import { shortId, Failure, UsageError } from "../input/failure.ts";
import { type Flags, type Given } from "../input/flags.ts";
import { roomOf, type Io } from "../render/io.ts";
import { didYouMean } from "../../model/checks.ts";
import { withWorkspace } from "../input/open.ts";
import { json, fit, plain, width, wrap } from "../render/text.ts";
import { ago, count, tokens } from "../render/numbers.ts";
import { table } from "../render/table.ts";

export const flags: Flags = {
  conversation: { takes: "NAME", says: "only those of one conversation, by its label or id" },
  json: { says: "as a JSON list" },
};
export const examples = ["tidemark folds", "tidemark folds --user ada --conversation desk"];

/** Columns of a conversation's name where a person looks. */
const NAME = 24;
/** Of what stands below an id. */
const INDENT = 10;

/** The folds that were made, latest first. */
export async function run(given: Given, io: Io): Promise<number> {
  if (given.words.length > 0)
    throw new UsageError("folds takes no words; --conversation names one conversation.");
  const conversation = given.text("conversation");
  const folds = await withWorkspace(given, io, async ({ history }) => {
    // A name that was mistyped is not a conversation without folds.
    if (conversation !== undefined)
      known(conversation, await history.list(), '"tidemark folds" alone lists the folds of all.');
    return history.folds(conversation === undefined ? {} : { conversation });
  });
  if (given.on("json")) {
    io.say(json(folds, 2));
    return 0;
  }
  if (folds.length === 0) {
    io.say("Nothing was folded yet.");
    return 0;
  }
  const room = roomOf(io);
  for (const line of foldLines(folds, room, io)) io.say(line);
  for (const line of wrap(
    '"tidemark diff ID" shows what became of a fold\'s messages, "tidemark undo ID" brings them back.',
    room,
  ))
    io.say(io.paint.dim(line));
  return 0;
}

const GAPS = [3, 2, 1] as const;

/** One line each, or several where one has no room. */
export function foldLines(
  folds: readonly FoldInfo[],
  room: number,
  { paint }: Pick<Io, "paint">,
): string[] {
  const rows = folds.map(
    ({ id, at, messages, before, after, label, conversation: session, undoneAt }) => [
      paint.cyan(shortId(id)),
      count(messages, "message"),
      `${tokens(before)} → ${tokens(after)} tokens`,
      fit(plain(label ?? shortId(session)), room === Infinity ? room : NAME),
      ago(at, Date.now()),
      ...(undoneAt === undefined ? [] : [paint.yellow("undone")]),
    ],
  );
  const fits = GAPS.map((gap) => table(rows, { gap })).find((lines) =>
    lines.every((line) => width(line) <= room),
  );
  if (fits !== undefined) return fits;
  const below = (text: string): string[] =>
    wrap(text, room - INDENT).map((line) => " ".repeat(INDENT) + line);
  return rows.flatMap(([id = "", messages = "", size = "", ...about]) => {
    const [first = "", ...more] = below(`${messages}, ${size}`);
    return [`  ${id} ${first.trimStart()}`, ...more, ...below(about.join(" · "))];
  });
}

/** Refuses a name there is no conversation of. */
export function known(
  conversation: string,
  listed: readonly { readonly id: string; readonly label?: string }[],
  otherwise: string,
): void {
  const names = listed.flatMap(({ id, label }) => (label === undefined ? [id] : [id, label]));
  if (names.includes(conversation)) return;
  throw new Failure(
    `there is no conversation ${shown(conversation)}.${didYouMean(conversation, names) || ` ${otherwise}`}`,
  );
}
