import { readTokens } from "../../model/ports.ts";
import { type Ledger } from "../../engine/options/types.ts";
import { dollarsOf, lasted, money, percent, tokens } from "./numbers.ts";
import { type Paint, titled } from "./paint.ts";
import { table } from "./table.ts";
import { fit, plain, width } from "./text.ts";

type Books = Ledger["conversations"][number];

/** Conversations shown one by one; those kept in the books' list. */
const [MOST, LISTED] = [8, 100];
const HEADS = ["calls", "failed", "tokens", "cached", "time", "money", "net"];
const [WIDEST, NARROWEST, GAP, INDENT] = [100, 6, 2, 2];
/** Columns of a name where the figures stand in parts below each other. */
const IN_PARTS = 14;
/** From here on columns need not stand close. */
const WIDE = 80;

/** Without the columns that say nothing but their name. */
export function filled(rows: readonly (readonly string[])[]): (readonly string[])[] {
  const says = (at: number): boolean =>
    at === 0 || rows.slice(1).some((row) => (row[at] ?? "") !== "");
  return rows.map((row) => row.filter((_, at) => says(at)));
}

/** What memory took in each of the latest conversations, and what is left when that is paid. */
export function conversationLines(
  conversations: readonly Books[],
  { paint, columns }: { paint: Paint; columns: number },
): string[] {
  if (conversations.length === 0) return [];
  const shown = conversations.slice(0, MOST);
  const cells = filled([["", ...HEADS], ...shown.map((one) => ["", ...cellsOf(one)])]).map((row) =>
    row.slice(1),
  );
  const [heads = []] = cells;
  // The name has what the figures leave; long figures stand closer together.
  const figures = heads.reduce(
    (sum, _, at) => sum + Math.max(...cells.map((row) => width(row[at] ?? ""))),
    INDENT,
  );
  const left = Math.min(WIDEST, columns) - figures;
  const gap = columns < WIDE || left - GAP * heads.length < NARROWEST ? 1 : GAP;
  const fits = left - gap * heads.length >= NARROWEST;
  const room = fits ? left - gap * heads.length : IN_PARTS;
  const rows = shown.map((one, at) => {
    const [net = "", ...rest] = (cells[at + 1] ?? []).toReversed();
    return [
      fit(plain(one.label ?? one.conversation.slice(-7)), room),
      ...rest.toReversed(),
      isLoss(one) ? paint.yellow(net) : net,
    ];
  });
  const more = conversations.length - shown.length;
  return [
    "",
    ...titled(
      "Memory's own calls",
      `by conversation, the latest first${more === 0 ? "" : `; ${conversations.length < LISTED ? more : `${more} and perhaps older ones`} more with --json`}`,
      { paint, columns },
    ),
    ...table([["", ...heads].map((cell) => paint.dim(cell)), ...rows], {
      gap,
      indent: INDENT,
      columns: fits ? Infinity : columns,
    }),
  ];
}

function cellsOf({ memoryTotal: spent, saved }: Books): string[] {
  const read = readTokens(spent);
  const net =
    saved.dollars === undefined
      ? `${tokens(Math.abs(saved.tokens))} tokens`
      : money(Math.abs(saved.dollars));
  return [
    ...[String(spent.calls), spent.failed > 0 ? String(spent.failed) : ""],
    ...[tokens(read + spent.output), read === 0 ? "" : percent(spent.cacheRead / read)],
    ...[spent.ms === 0 ? "" : lasted(spent.ms), spent.calls === 0 ? "" : dollarsOf(spent)],
    isEven({ saved }) ? "even" : `${net} ${(saved.dollars ?? saved.tokens) < 0 ? "lost" : "saved"}`,
  ];
}

/** Too little to be told from nothing by the reckoning. A loss is never called so. */
export const isEven = ({
  saved: { dollars, tokens: fewer, within = 0 },
}: Pick<Books, "saved">): boolean =>
  dollars === undefined ? fewer === 0 : dollars >= 0 && dollars <= within;

const isLoss = ({ saved }: Books): boolean => (saved.dollars ?? saved.tokens) < 0;
