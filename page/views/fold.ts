import { useState } from "preact/hooks";
import { ask, useLoad } from "../api.ts";
import { count, minuteOf, number, share } from "../format.ts";
import { type Children, h, html } from "../html.ts";
import { to } from "../place.ts";
import type { FoldDiff, Glance, Items, Said } from "../types.ts";
import { bar, complain, LongText, Page, say, shown, useWrites } from "../ui.ts";
import { Message } from "./messages.ts";

const glance = ({ ordinal, role, words, shortened }: Glance): Children =>
  html`<li value=${ordinal}><span class="role">
    ${role}</span> ${words}${shortened && html` <span class="tag">sent shortened</span>`}</li>`;

/** Hundreds of messages are kept or dropped; as many are shown at first. */
const FIRST = 30;
function Glances({ of, none }: { of: readonly Glance[]; none: string }): Children {
  const [all, showAll] = useState(false);
  if (of.length === 0) return html`<p class="dim">${none}</p>`;
  return html`<ol class="glances">${(all ? of : of.slice(0, FIRST)).map(glance)}</ol>
    ${
      !all &&
      of.length > FIRST &&
      html`<button class="more" onClick=${() => showAll(true)}>
      ${`Show all ${number(of.length)}`}</button>`
    }`;
}

/** Before and after as two bars of one measure. */
function sizes({ before, after }: FoldDiff["tokens"]): Children {
  const most = Math.max(before, after, 1);
  const line = (name: string, tokens: number): Children =>
    html`<div><dt>${name}</dt><dd>${bar(tokens / most, `${name} ${number(tokens)} tokens`)} <span>
      ${number(tokens)} tokens</span></dd></div>`;
  return html`<dl class="sizes">${line("Before", before)}${line("After", after)}</dl>`;
}

const saved = ({ before, after }: FoldDiff["tokens"]): number => 1 - after / Math.max(1, before);

export function Fold({ id }: { id: string }): Children {
  const path = `/folds/${encodeURIComponent(id)}`;
  const diff = useLoad<FoldDiff>(path);
  const writes = useWrites();
  const undo = (): void =>
    void ask<{ messages: number }>(`${path}/undo`, { method: "POST" }).then(({ messages }) => {
      say(`Undone: ${count(messages, "message")} go word for word with the next call.`);
      diff.reload();
    }, complain);
  return shown(diff, ({ fold, kept, dropped, earlier, remembered, tokens }) =>
    h(
      Page,
      {
        title: `Fold of ${count(fold.messages, "message")}`,
        lead: html`<a href=${to("conversations", fold.conversation)}>
          ${fold.label ?? "Its conversation"}</a>
            ${`, ${minuteOf(fold.at)}, ${share(saved(tokens))} less`}`,
        actions:
          fold.undoneAt === undefined
            ? writes &&
              html`<button class="main" data-key="z" onClick=${undo}>Undo this fold</button>`
            : html`<p class="state good">${`Undone ${minuteOf(fold.undoneAt)}`}</p>`,
      },
      html`${sizes(tokens)}
        <section class="panel" aria-labelledby="summary">
          <h2 id="summary">The summary that stands in their place</h2>
          ${h(LongText, { text: remembered.summary })}
          ${
            remembered.pins.length > 0 &&
            html`<h3>Pinned beside it</h3><ul class="lines">
            ${remembered.pins.map(
              ({ text, pinned }) => html`<li>
              ${text}${!pinned && html` <span class="tag">no longer pinned</span>`}</li>`,
            )}</ul>`
          }
        </section>
        <section class="panel" aria-labelledby="remembered">
          <h2 id="remembered">Remembered of them (${remembered.memories.length})</h2>
          ${
            remembered.memories.length === 0 &&
            html`<p class="dim">No memory came of these messages.</p>`
          }
          <ul class="lines">${remembered.memories.map(
            (memory) => html`<li>
          <a href=${to("memories", memory.id)}>${memory.content}</a> <span class="tag">
          ${memory.category}</span></li>`,
          )}</ul>
          ${
            remembered.gone > 0 &&
            html`<p class="dim">
            ${`${number(remembered.gone)} more were forgotten, ended or replaced since.`}</p>`
          }
        </section>
        <div class="columns two">
          <section class="panel" aria-labelledby="dropped">
            <h2 id="dropped">Dropped (${dropped.length})</h2>
            ${
              earlier > 0 &&
              html`<p class="dim">
              ${`The first ${number(earlier)} an earlier fold had replaced.`}</p>`
            }
            ${h(Glances, { of: dropped, none: "Nothing was dropped." })}
          </section>
          <section class="panel" aria-labelledby="kept">
            <h2 id="kept">Kept word for word (${kept.length})</h2>
            ${h(Glances, { of: kept, none: "Nothing was kept." })}
          </section>
        </div>
        ${h(WordForWord, { path })}`,
    ),
  );
}

/** The dropped messages themselves, read when somebody asks. */
function WordForWord({ path }: { path: string }): Children {
  const [open, setOpen] = useState(false);
  const messages = useLoad<Items<Said>>(open ? `${path}/messages` : undefined);
  return html`<section aria-labelledby="words">
    <h2 id="words">What was dropped, word for word</h2>
    ${
      open
        ? shown(
            messages,
            ({ items }) =>
              html`<ol class="messages">${items.map((said) =>
                h(Message, { said, key: said.position }),
              )}</ol>`,
          )
        : html`<button onClick=${() => setOpen(true)}>Show the messages</button>`
    }
  </section>`;
}
