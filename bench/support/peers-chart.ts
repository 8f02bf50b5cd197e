// A small chart of the figures: plain bars, readable on light and dark ground, with its numbers as text.

export interface Bar {
  readonly name: string;
  /** Share of what the whole history costs with caching; a sentence where a conversation came to an end. */
  readonly cost: number | string;
  /** From the request or by one search, and from the request alone. */
  readonly answerable: number;
  readonly inRequest: number;
  /** What else is to be known of it: how many conversations were refused before, or that it never folds. */
  readonly besides?: string;
  /** ms of the longest wait for a call of memory. */
  readonly wait: number;
  readonly ours: boolean;
}

const [LEFT, BAR, ROW, TOP] = [236, 100, 26, 62];
/** Columns of the panels: a bar and its words. */
const WIDTHS = [226, 262, 160] as const;
const PANELS = [
  "input cost, full history = 100 %",
  "answerable: request or one search",
  "longest wait for a summary",
] as const;
const escaped = (text: string): string =>
  text.replace(/[&<>"]/g, (sign) => `&#${sign.charCodeAt(0)};`);
const percent = (share: number): string => `${Math.round(share * 100)} %`;
const waited = (ms: number): string =>
  ms >= 1_000 ? `${(ms / 1_000).toFixed(0)} s` : ms >= 1 ? `${Math.round(ms)} ms` : "none";

const known = ({
  answerable,
  inRequest,
  besides,
}: Pick<Bar, "answerable" | "inRequest" | "besides">): string =>
  [
    percent(answerable),
    ...(percent(inRequest) === percent(answerable) ? [] : [`${percent(inRequest)} in the request`]),
    ...(besides === undefined ? [] : [besides]),
  ].join(", ");

export function chartOf(
  bars: readonly Bar[],
  { title, notes }: { title: string; notes: readonly string[] },
): string {
  const height = TOP + bars.length * ROW + 14 + notes.length * 15;
  const width = LEFT + WIDTHS.reduce((sum, one) => sum + one, 0);
  const longest = Math.max(...bars.map(({ wait }) => wait), 1);
  const most = Math.max(1, ...bars.map(({ cost }) => (typeof cost === "number" ? cost : 0)));
  const at = (panel: number): number =>
    LEFT + WIDTHS.slice(0, panel).reduce((sum, one) => sum + one, 0);
  const bar = (
    panel: number,
    y: number,
    share: number | undefined,
    label: string,
    ours: boolean,
  ): string => {
    const length = share === undefined ? 0 : Math.max(share > 0 ? 1 : 0, Math.round(share * BAR));
    const shape =
      share === undefined
        ? ""
        : `<rect class="${ours ? "ours" : "bar"}" x="${at(panel)}" y="${y - 11}" width="${length}" height="14" rx="2"/>`;
    return `${shape}<text class="small" x="${at(panel) + length + (share === undefined ? 0 : 6)}" y="${y}">${escaped(label)}</text>`;
  };
  const rows = bars.map((one, row) => {
    const { name, cost, answerable, wait, ours } = one;
    const y = TOP + row * ROW + 14;
    return [
      `<text class="${ours ? "name strong" : "name"}" x="${LEFT - 12}" y="${y}" text-anchor="end">${escaped(name)}</text>`,
      typeof cost === "string"
        ? bar(0, y, undefined, cost, ours)
        : bar(0, y, cost / most, percent(cost), ours),
      bar(1, y, answerable, known(one), ours),
      bar(2, y, wait / longest, waited(wait), ours),
    ].join("\n");
  });
  const heads = PANELS.map(
    (head, panel) => `<text class="head" x="${at(panel)}" y="${TOP - 14}">${head}</text>`,
  );
  const foot = notes.map(
    (note, line) =>
      `<text class="note" x="12" y="${TOP + bars.length * ROW + 18 + line * 15}">${escaped(note)}</text>`,
  );
  const said = bars.map(
    (one) =>
      `${one.name}: ${typeof one.cost === "string" ? one.cost : `cost ${percent(one.cost)}`}; answerable ${known(one)}; longest wait for a summary ${waited(one.wait)}`,
  );
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img" aria-labelledby="t d">
<title id="t">${escaped(title)}</title>
<desc id="d">${escaped(said.join(". "))}.</desc>
<style>
text{font:12px system-ui,-apple-system,"Segoe UI",Helvetica,Arial,sans-serif;fill:#1f2328}
.title{font-size:14px;font-weight:600}.strong{font-weight:600}.head,.note{fill:#59636e}.head,.small,.note{font-size:11px}
.bar{fill:#9aa4af}.ours{fill:#0969da}
@media (prefers-color-scheme:dark){text{fill:#e6edf3}.head,.note{fill:#9198a1}.bar{fill:#6e7681}.ours{fill:#4493f8}}
</style>
<text class="title" x="12" y="22">${escaped(title)}</text>
${[...heads, ...rows, ...foot].join("\n")}
</svg>
`;
}
