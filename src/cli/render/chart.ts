import type { Marks } from "../../window/limits-and-marks.ts";
import type { TextPage } from "./layout.ts";

/**
 * One request: how full the window was when it came, and as it was sent. Both as fractions of the
 * limit.
 */
export interface Sample {
  readonly came: number;
  readonly sent: number;
  readonly flushed: boolean;
  readonly folded: boolean;
}

const FILL = ["", "▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"] as const;
/** Rows 0 to 10; row r stands for r tenths, so that a mark runs through the middle of its row. */
const TOP = 10;
const LABEL = 6;
const WIDEST = 4;

/** The water level over the requests of a conversation: at most 80 columns, thirteen lines. */
export function chart(
  samples: readonly Sample[],
  {
    columns,
    marks,
    paint,
  }: TextPage & { readonly marks: Pick<Marks, "flush" | "compact" | "brim"> },
): string[] {
  if (samples.length === 0) return [];
  const room = Math.min(80, columns) - LABEL - 1;
  const points = samples.length > room ? squeezed(samples, room) : samples;
  const wide = Math.min(WIDEST, Math.floor(room / points.length));
  const lines = new Set(
    [marks.flush, marks.compact, marks.brim].map((mark) => Math.round(mark * TOP)),
  );

  const event = (point: Sample): string => {
    const flushed = paint.green(point.flushed ? "F" : " ");
    return (point.folded ? paint.magenta("▼") : flushed) + " ".repeat(wide - 1);
  };
  const cell = ({ came, sent }: Sample, tenth: number): string => {
    const filled = share(sent, tenth);
    const calm = sent >= marks.compact ? paint.yellow : paint.cyan;
    const water = sent >= marks.brim ? paint.red : calm;
    if (filled > 0) return water((FILL[filled] ?? "").repeat(wide));
    if (share(came, tenth) >= 4) return paint.dim("░".repeat(wide));
    return lines.has(tenth) ? paint.dim("┄".repeat(wide)) : " ".repeat(wide);
  };
  const row = (tenth: number): string => {
    const top = tenth === TOP ? "100 %" : "";
    const label = lines.has(tenth) || tenth === 0 ? `${tenth * 10} %` : top;
    const cells = points.map((point) => cell(point, tenth));
    return paint.dim(`${label.padStart(LABEL - 1)} │`) + cells.join("");
  };
  const axis = `${" ".repeat(LABEL)}${paint.dim(`└${"─".repeat(points.length * wide)}`)}`;
  const events = points.some(({ flushed, folded }) => flushed || folded)
    ? [`${" ".repeat(LABEL + 1)}${points.map(event).join("")}`]
    : [];
  return [...events, ...Array.from({ length: TOP + 1 }, (_, index) => row(TOP - index)), axis].map(
    (line) => line.trimEnd(),
  );
}

/** Eighths of the row that lie under the level; the lowest row is half as high as the others. */
function share(level: number, tenth: number): number {
  const bottom = tenth === 0 ? 0 : (tenth - 0.5) / TOP;
  const height = (tenth === 0 ? 0.5 : 1) / TOP;
  const part = Math.min(1, Math.max(0, (level - bottom) / height));
  return part === 0 ? 0 : Math.max(1, Math.round(part * 8));
}

/**
 * As many points as there is room for: the highest level of each stretch, and all that happened in
 * it.
 */
function squeezed(samples: readonly Sample[], room: number): Sample[] {
  return Array.from({ length: room }, (_, index) => {
    const part = samples.slice(
      Math.floor((index * samples.length) / room),
      Math.floor(((index + 1) * samples.length) / room),
    );
    return {
      came: Math.max(...part.map(({ came }) => came)),
      sent: Math.max(...part.map(({ sent }) => sent)),
      flushed: part.some(({ flushed }) => flushed),
      folded: part.some(({ folded }) => folded),
    };
  });
}
