import { share } from "./format.ts";
import { type Children, html } from "./html.ts";
import type { TurnInfo } from "./types.ts";

/** Marks where nobody set others, as shares of the limit. */
export const MARKS = { flush: 0.6, compact: 0.7, brim: 0.9 } as const;

export const levelOf = ({ used, limit }: { used: number; limit: number }): number =>
  limit > 0 ? used / limit : 0;

/** Do these turns agree with a mark at its default? One that a host moved is not drawn. */
export function marksOf(turns: readonly TurnInfo[]): [name: string, at: number][] {
  const order = ["below", "flush", "compact", "brim"];
  return Object.entries(MARKS).filter(([name, at]) =>
    turns.every((turn) => {
      const above = order.indexOf(turn.mark) >= order.indexOf(name);
      const level = levelOf(turn);
      // The turn's own fold brought it below the mark it had reached.
      return turn.fold !== undefined || (above ? level > at - 0.02 : level < at + 0.02);
    }),
  );
}

const WIDTH = 64;
const HEIGHT = 84;

/** A tank with the water as high as the request, and ticks at the marks. */
export function tank(turn: TurnInfo): Children {
  const level = Math.min(1, levelOf(turn));
  const top = HEIGHT * (1 - level);
  return html`<svg class=${`tank ${turn.mark}`} viewBox=${`0 0 ${WIDTH} ${HEIGHT}`} role="img"
    aria-label=${`Level ${share(levelOf(turn))} of the limit, mark ${turn.mark}`}>
    <rect class="glass" width=${WIDTH} height=${HEIGHT} rx="8" />
    <svg width=${WIDTH} height=${HEIGHT} viewBox=${`0 0 ${WIDTH} ${HEIGHT}`}>
      <g class="water" transform=${`translate(0 ${top})`}>
        <path class="back" d=${wave(-3, HEIGHT)} />
        <path d=${wave(3, HEIGHT)} />
      </g>
    </svg>
    ${marksOf([turn]).map(
      ([name, at]) =>
        html`<path class=${`tick ${name}`} d=${`M${WIDTH - 12} ${HEIGHT * (1 - at)}h12`} />`,
    )}
    <rect class="rim" x="0.5" y="0.5" width=${WIDTH - 1} height=${HEIGHT - 1} rx="8" />
  </svg>`;
}
const wave = (lift: number, height: number): string =>
  `M0 0q8 ${-lift} 16 0t16 0 16 0 16 0V${height}H0z`;
