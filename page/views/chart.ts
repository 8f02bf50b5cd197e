import { useEffect, useRef, useState } from "preact/hooks";
import { clockOf, share } from "../format.ts";
import { type Children, html } from "../html.ts";
import type { TurnInfo } from "../types.ts";
import { levelOf, marksOf } from "../water.ts";

const HEIGHT = 190;
const LEFT = 48;
const RIGHT = 58;
const TOP = 14;
const FOOT = 8;
const DEEP = HEIGHT - TOP - FOOT;
/** Pixels of a turn, at least and at most. */
const NARROWEST = 5;
const WIDEST = 34;

const y = (level: number): number => TOP + DEEP * (1 - Math.min(1, level));

/** The level over turns; arrows go from turn to turn, as on a slider. */
export function Chart(given: {
  /** The oldest first. */
  turns: readonly TurnInfo[];
  chosen: string | undefined;
  choose: (id: string) => void;
}): Children {
  const box = useRef<HTMLDivElement>(null);
  const [width, setWidth] = useState(0);
  useEffect(() => {
    if (box.current === null) return;
    const watch = new ResizeObserver(([entry]) =>
      setWidth(Math.floor(entry?.contentRect.width ?? 0)),
    );
    watch.observe(box.current);
    return () => watch.disconnect();
  }, []);
  const { turns, chosen, choose } = given;
  const room = Math.max(1, Math.floor((width - LEFT - RIGHT) / NARROWEST));
  const at = Math.max(
    0,
    chosen === undefined ? turns.length - 1 : turns.findIndex(({ id }) => id === chosen),
  );
  // The window of turns that fits holds the chosen one.
  const from = Math.max(0, Math.min(turns.length - room, at - Math.floor(room / 2)));
  const seen = turns.slice(from, from + room);
  const step = Math.min(
    WIDEST,
    Math.max(NARROWEST, (width - LEFT - RIGHT) / Math.max(1, seen.length)),
  );
  const turn = turns[at];
  const key = (event: KeyboardEvent): void => {
    const steps: Record<string, number> = {
      ArrowLeft: at - 1,
      ArrowRight: at + 1,
      Home: 0,
      End: turns.length - 1,
      PageUp: at - 10,
      PageDown: at + 10,
    };
    const next = steps[event.key];
    if (next === undefined) return;
    event.preventDefault();
    const id = turns[Math.max(0, Math.min(turns.length - 1, next))]?.id;
    if (id !== undefined) choose(id);
  };
  return html`<div class="chart" ref=${box} tabindex="0" role="slider" aria-label="Turns"
    onKeyDown=${key}
    aria-valuemin="1" aria-valuemax=${turns.length} aria-valuenow=${at + 1}
    aria-valuetext=${turn && `Turn ${at + 1} of ${turns.length}, ${spoken(turn)}`}>
    ${
      width > 0 &&
      html`<svg width=${width} height=${HEIGHT} aria-hidden="true">
      ${[0, 0.5, 1].map(
        (level) => html`<text class="axis" x=${LEFT - 6} y=${y(level) + 4}>${share(level)}</text>
        <path class="grid" d=${`M${LEFT} ${y(level)}H${width - RIGHT}`} />`,
      )}
      <path class="water" d=${surface(seen, step, levelOf)} />
      <path class="deep" d=${surface(seen, step, cachedOf)} />
      ${marksOf(seen).map(
        ([
          name,
          level,
        ]) => html`<path class=${`mark ${name}`} d=${`M${LEFT} ${y(level)}H${width - RIGHT}`} />
        <text class="markname" x=${width - RIGHT + 5} y=${y(level) + 4}>${name}</text>`,
      )}
      ${seen.map((each, index) =>
        column(each, { x: LEFT + index * step, step, chosen: each === turn, choose }),
      )}
    </svg>`
    }
  </div>`;
}

export const spoken = (turn: TurnInfo): string =>
  [
    clockOf(turn.at),
    `level ${share(levelOf(turn))}`,
    turn.mark === "below" ? "" : `mark ${turn.mark}`,
    turn.fold === undefined ? "" : "folded",
  ]
    .filter(Boolean)
    .join(", ");

/** The part of the request that was read from the cache, as a share of the limit. */
const cachedOf = ({ cached, used, limit }: TurnInfo): number =>
  limit > 0 ? Math.min(cached, used) / limit : 0;

/** A line of steps over turns, down to the floor. */
function surface(turns: readonly TurnInfo[], step: number, of: (turn: TurnInfo) => number): string {
  if (turns.length === 0) return "";
  const tops = turns.map((turn) => `V${y(of(turn)).toFixed(1)}h${step.toFixed(2)}`);
  return `M${LEFT} ${y(0)}${tops.join("")}V${y(0)}z`;
}

interface Column {
  x: number;
  step: number;
  chosen: boolean;
  choose: (id: string) => void;
}
function column(turn: TurnInfo, { x, step, chosen, choose }: Column): Children {
  const middle = x + step / 2;
  const top = y(levelOf(turn));
  return html`<g class=${chosen ? "turn chosen" : "turn"} onClick=${() => choose(turn.id)}>
    <rect x=${x} y=${TOP} width=${step} height=${DEEP} />
    <title>${spoken(turn)}</title>
    ${
      chosen &&
      html`<path class="pick" d=${`M${x} ${top}h${step}M${middle} ${HEIGHT - FOOT + 2}l-4 6h8z`} />`
    }
    ${
      turn.fold !== undefined &&
      html`<path class="fold" 
        d=${`M${x} ${TOP - 4}V${HEIGHT - FOOT}M${x - 5} ${TOP - 10}h10l-5 8z`} />`
    }
    ${
      turn.mark === "flush" &&
      html`<circle class="flush" cx=${middle} cy=${top} r=${Math.min(4, step / 2)} />`
    }
  </g>`;
}

export const legend = html`<ul class="legend" aria-label="Legend">
  <li class="water">request</li>
  <li class="deep">of it from the cache</li>
  <li class="flush">flush: distilling began</li>
  <li class="fold">fold: old messages became a summary</li>
</ul>`;
