import { useEffect, useState } from "preact/hooks";
import { ask } from "../api.ts";
import { duration, money, number, share } from "../format.ts";
import { type Children, h, html } from "../html.ts";
import { heard } from "../live.ts";
import { to } from "../place.ts";
import type { Memory, Messages, TurnInfo } from "../types.ts";
import { bar, facts } from "../ui.ts";
import { minuteOf } from "../format.ts";
import { bodyOf } from "./messages.ts";
import { cachedShare } from "./now.ts";
import { levelOf } from "../water.ts";

interface ToldLine {
  readonly href: string;
  readonly text: string;
  readonly tag: string;
}

/** Memories and past turns that turns name, by id; undefined for what is no longer there. */
const known = new Map<string, ToldLine | undefined>();
const SHOWN = 240;

async function find(id: string): Promise<ToldLine | undefined> {
  const [conversation = "", position] = id.split("#");
  const place = encodeURIComponent(conversation);
  if (position === undefined) {
    const { content: text, category: tag } = await ask<Memory>(`/memories/${place}`);
    return { href: to("memories", id), text, tag };
  }
  const range = `from=${position}&limit=1&cut=${SHOWN}`;
  const { items } = await ask<Messages>(`/conversations/${place}/messages?${range}`);
  const [said] = items;
  if (said === undefined) return undefined;
  const text = bodyOf(said.message)
    .map((part) => part.text)
    .join(" ")
    .slice(0, SHOWN);
  return { href: `${to("conversations", conversation)}?at=${position}`, text, tag: said.role };
}

heard.add(({ kind }) => void (kind === "changed" && known.clear()));

const FIRST_TOLD = 12;

function NamedLines({
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
      known.set(id, await find(id).catch(() => undefined));
    });
    void Promise.all(asked).then(() => here && again((times) => times + 1));
    return () => void (here = false);
  }, [seen.join()]);
  const line = (id: string): Children => {
    const found = known.get(id);
    const score = scores?.get(id);
    return html`<li>
      ${
        score !== undefined &&
        html`<span class="score">
        ${bar(score, `score ${score.toFixed(2)}`)} ${score.toFixed(2)}</span>`
      }
      ${
        found === undefined
          ? html`<span class="dim">
            ${known.has(id) ? "forgotten since, or not yours to see" : "…"}</span>`
          : html`<a href=${found.href}>${found.text}</a> <span class="tag">${found.tag}</span>`
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
        : h(NamedLines, { ids: [...scores.keys()], scores })
    }
    <h3>Told in the system text (${turn.told.length})</h3>
    ${
      turn.told.length === 0
        ? html`<p class="dim">No memory stood there.</p>`
        : h(NamedLines, { ids: turn.told })
    }
  </section>`;
}
