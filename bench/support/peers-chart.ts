// A small chart of the figures: plain bars, readable on light and dark ground, with its numbers as text.

export interface Bar {
  readonly name: string;
  /** Share of what the whole history costs with caching; none where the conversation came to an end. */
  readonly cost?: number;
  readonly answerable: number;
  /** ms of the longest wait for a call of memory. */
  readonly wait: number;
  /** The turn that was refused, if one was. */
  readonly refusedAt?: number;
  readonly ours: boolean;
}

const [LEFT, WIDTH, GAP, ROW, TOP] = [244, 150, 24, 26, 62];
const PANELS = ["input cost, full history = 100 %", "canaries answerable", "longest wait for a summary"] as const;
const escaped = (text: string): string => text.replace(/[&<>"]/g, (sign) => `&#${sign.charCodeAt(0)};`);
const percent = (share: number): string => `${Math.round(share * 100)} %`;
const waited = (ms: number): string => (ms >= 1_000 ? `${(ms / 1_000).toFixed(0)} s` : ms >= 1 ? `${Math.round(ms)} ms` : "none");

export function chartOf(bars: readonly Bar[], { title, notes }: { title: string; notes: readonly string[] }): string {
  const height = TOP + bars.length * ROW + 14 + notes.length * 15;
  const width = LEFT + 3 * WIDTH + 2 * GAP + 64;
  const longest = Math.max(...bars.map(({ wait }) => wait), 1);
  const most = Math.max(1, ...bars.map(({ cost = 0 }) => cost));
  const at = (panel: number): number => LEFT + panel * (WIDTH + GAP + 16);
  const bar = (panel: number, y: number, share: number | undefined, label: string, ours: boolean): string => {
    const length = share === undefined ? 0 : Math.max(share > 0 ? 1 : 0, Math.round(share * (WIDTH - 46)));
    const shape = share === undefined ? "" : `<rect class="${ours ? "ours" : "bar"}" x="${at(panel)}" y="${y - 11}" width="${length}" height="14" rx="2"/>`;
    return `${shape}<text class="small" x="${at(panel) + length + (share === undefined ? 0 : 6)}" y="${y}">${escaped(label)}</text>`;
  };
  const rows = bars.map(({ name, cost, answerable, wait, refusedAt, ours }, row) => {
    const y = TOP + row * ROW + 14;
    const ended = refusedAt === undefined ? "–" : `refused at turn ${refusedAt}`;
    return [
      `<text class="${ours ? "name strong" : "name"}" x="${LEFT - 12}" y="${y}" text-anchor="end">${escaped(name)}</text>`,
      bar(0, y, cost === undefined ? undefined : cost / most, cost === undefined ? ended : percent(cost), ours),
      bar(1, y, answerable, percent(answerable), ours),
      bar(2, y, wait / longest, waited(wait), ours),
    ].join("\n");
  });
  const heads = PANELS.map((head, panel) => `<text class="head" x="${at(panel)}" y="${TOP - 14}">${head}</text>`);
  const foot = notes.map((note, line) => `<text class="note" x="12" y="${TOP + bars.length * ROW + 18 + line * 15}">${escaped(note)}</text>`);
  const said = bars.map(({ name, cost, answerable, wait, refusedAt }) => `${name}: ${cost === undefined ? (refusedAt === undefined ? "no cost" : `refused at turn ${refusedAt}`) : `cost ${percent(cost)}`}, ${percent(answerable)} answerable, longest wait for a summary ${waited(wait)}`);
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
