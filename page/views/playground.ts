import { useEffect, useState } from "preact/hooks";
import { ask, type Loading, type Refused, useLoad } from "../api.ts";
import { number } from "../format.ts";
import { type Children, fieldsOf, h, html } from "../html.ts";
import { asking, go, place, to } from "../place.ts";
import type { Brief, Hit, Hits, Prompt } from "../types.ts";
import { bar, empty, LongText, Page, shown } from "../ui.ts";

/** An answer to a question in a body, asked again when it changes. */
function useAnswer<T>(path: string, question: string): Loading<T> {
  const [state, set] = useState<Omit<Loading<T>, "reload">>({});
  const reload = (): void => {
    set({});
    ask<T>(path, { body: { query: question } }).then(
      (data) => set({ data }),
      (error: Refused) => set({ error }),
    );
  };
  useEffect(() => {
    if (question !== "") reload();
  }, [question]);
  return { ...state, reload };
}

const PARTS = ["words", "meaning", "recency", "use", "importance"] as const;

/** A hit with what each part of its score said. */
function hit({ id, from, content, score, why, memory, ref, source, role }: Hit): Children {
  const place = from === "history" ? to("conversations", source) : undefined;
  const link = from === "memory" && memory ? to("memories", id) : place;
  const said = from === "history" ? `${role ?? "somebody"} said` : source;
  const name = from === "files" ? (ref ?? "a file") : said;
  return html`<li class="hit">
    <div class="hit-head">
      <span class="score">${bar(score, `score ${score.toFixed(2)}`)} ${score.toFixed(2)}</span>
      <span class="tag">${from}</span> <span class="dim">${name}</span>
    </div>
    <p>${link === undefined ? content : html`<a href=${link}>${content}</a>`}</p>
    <dl class="why">${PARTS.map(
      (part) => html`<div><dt>${part}</dt><dd>
      ${bar(why[part], `${part} ${why[part].toFixed(2)}`)} ${why[part].toFixed(2)}</dd></div>`,
    )}
        </dl>
  </li>`;
}

const first = empty(
  "Ask something",
  "Hits show the parts of their scores: words, meaning, recency, use, importance.",
  "The brief is what a task with these words would begin with.",
);

export function Playground(): Children {
  const question = place.use().query.get("question") ?? "";
  const send = (event: Event): void =>
    go(asking({ question: (fieldsOf(event).question ?? "").trim() }), { quiet: true });
  return h(
    Page,
    {
      title: "Playground",
      lead: "A question, and what memory would answer. Nothing that is asked here is kept.",
    },
    html`<form class="question" role="search" onSubmit=${send}>
        <input name="question" type="search" data-key="/" value=${question} required
          aria-label="Question" placeholder="Which currency are invoices in?" />
        <button class="main">Ask</button>
      </form>
      ${
        question === ""
          ? html`${first}
            ${h(NextPrompt, {})}`
          : h(Answers, { question })
      }`,
  );
}

function Answers({ question }: { question: string }): Children {
  const hits = useAnswer<Hits>("/search", question);
  const brief = useAnswer<Brief>("/brief", question);
  return html`<div class="columns wide-left">
    <section aria-labelledby="hits">
      <h2 id="hits">Hits</h2>
      ${shown(hits, ({ items }) =>
        items.length === 0
          ? html`<p class="dim">Nothing that was remembered, written or said is about this.</p>`
          : html`<p class="dim" role="status">${`${items.length} found`}</p><ol class="hits">
            ${items.map(hit)}</ol>`,
      )}
    </section>
    <div>
      <section class="panel" aria-labelledby="brief">
        <h2 id="brief">The brief</h2>
        ${shown(brief, ({ text, tokens }) =>
          text === ""
            ? html`<p class="dim">It would be empty.</p>`
            : html`<p class="dim">${`${number(tokens)} tokens`}</p>${h(LongText, { text })}`,
        )}
      </section>
      ${h(NextPrompt, {})}
    </div>
  </div>`;
}

/** Shows the system text of a conversation that would begin now. */
function NextPrompt(): Children {
  const prompt = useLoad<Prompt>("/prompt");
  return html`<section class="panel" aria-labelledby="prompt">
    <h2 id="prompt">What the next prompt would be told</h2>
    ${shown(prompt, ({ text, sections }) =>
      text === ""
        ? html`<p class="dim">Nothing yet: rules of the workspace's files and facts stand here.</p>`
        : html`<table>
              <thead><tr><th>Section</th><th class="n">Tokens</th></tr></thead>
              <tbody>${sections.map(
                ({ section, tokens }) => html`<tr><th scope="row">
              ${section}</th><td class="n">${number(tokens)}</td></tr>`,
              )}</tbody>
            </table>
            ${h(LongText, { text })}`,
    )}
  </section>`;
}
