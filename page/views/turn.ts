import { useEffect, useState } from "preact/hooks";
import { ask } from "../api.ts";
import { duration, money, number, share } from "../format.ts";
import { type Children, h, html } from "../html.ts";
import { heard } from "../live.ts";
import { to } from "../place.ts";
import type { Memory, TurnInfo } from "../types.ts";
import { bar, facts } from "../ui.ts";
import { minuteOf } from "../format.ts";
import { cachedShare } from "./now.ts";
import { levelOf } from "../water.ts";

/** Memories that turns name, by id; undefined for what is no longer there. */
const known = new Map<string, Memory | undefined>();

heard.add(({ kind }) => void (kind === "changed" && known.clear()));

const FIRST_TOLD = 12;

function MemoryLines({
  ids,
  scores,
}: {
  ids: readonly string[];
  scores?: Map<string, number>;
}): Children {
  const [all, showAll] = useState(false);
  const [, again] = useState(0);
  const seen = all ? ids : ids.slice(0, FIRST_TOLD);
  useEffect(() => {
    let here = true;
    const missing = seen.filter((id) => !known.has(id));
    const asked = missing.map(async (id) => {
      known.set(
        id,
        await ask<Memory>(`/memories/${encodeURIComponent(id)}`).catch(() => undefined),
      );
    });
    void Promise.all(asked).then(() => here && again((times) => times + 1));
    return () => void (here = false);
  }, [seen.join()]);
  const line = (id: string): Children => {
    const memory = known.get(id);
    const score = scores?.get(id);
    return html`<li>
      ${
        score !== undefined &&
        html`<span class="score">
        ${bar(score, `score ${score.toFixed(2)}`)} ${score.toFixed(2)}</span>`
      }
      ${
        memory === undefined
          ? html`<span class="dim">
            ${known.has(id) ? "forgotten since, or not yours to see" : "…"}</span>`
          : html`<a href=${to("memories", id)}>${memory.content}</a> <span class="tag">
            ${memory.category}</span>`
      }
    </li>`;
  };
  return html`<ul class="lines">${seen.map(line)}</ul>
    ${
      seen.length < ids.length &&
      html`<button class="more" onClick=${() => showAll(true)}>
        Show all ${number(ids.length)}</button>`
    }`;
}

/** Shows a turn: what it was told and recalled, by which score, and what it cost. */
export function turnPanel(turn: TurnInfo, ordinal: string): Children {
  const scores = new Map(turn.recalled.map(({ id, score }) => [id, score]));
  return html`<section class="panel turn-panel" aria-labelledby="turn-title">
    <h2 id="turn-title">${ordinal}</h2>
    <p class="dim">${minuteOf(turn.at)}${turn.model ? `, ${turn.model}` : ""}</p>
    ${facts(
      ["Level", `${share(levelOf(turn))}: ${number(turn.used)} of ${number(turn.limit)} tokens`],
      ["Mark", turn.mark],
      ["Read", `${number(turn.read)}, ${share(cachedShare(turn))} from the cache`],
      ["Written", number(turn.written)],
      ["Cost", turn.dollars === undefined ? "no price is known" : money(turn.dollars)],
      [
        "Tidemark's own time",
        duration(turn.ms) + (turn.waited > 0 ? `, ${duration(turn.waited)} of it for a model` : ""),
      ],
    )}
    ${
      turn.fold !== undefined &&
      html`<p>
      <a class="button" href=${to("folds", turn.fold)}>See what its fold dropped</a></p>`
    }
    <h3>Recalled into this prompt (${turn.recalled.length})</h3>
    ${
      turn.recalled.length === 0
        ? html`<p class="dim">Nothing came near enough to the message.</p>`
        : h(MemoryLines, { ids: [...scores.keys()], scores })
    }
    <h3>Told in the system text (${turn.told.length})</h3>
    ${
      turn.told.length === 0
        ? html`<p class="dim">No memory stood there.</p>`
        : h(MemoryLines, { ids: turn.told })
    }
  </section>`;
}
