import { query, useLoad } from "../api.ts";
import { clockOf, count, duration, money, number, share, short } from "../format.ts";
import { type Children, h, html } from "../html.ts";
import { isOfNone, latest, type News, SLOWLY, useNews, withNews } from "../live.ts";
import { to } from "../place.ts";
import type { Health, Items, Stats, TalkInfo, TurnInfo, TurnSums } from "../types.ts";
import { empty, facts, Page, shown, when } from "../ui.ts";
import { levelOf, tank } from "../water.ts";
import { Name } from "./name.ts";

export const cachedShare = ({ read, cached }: { read: number; cached: number }): number =>
  read > 0 ? cached / read : 0;

/** A conversation's tank, and figures of its last turn. */
function card(talk: TalkInfo): Children {
  const { last } = talk;
  return html`<li class="card">
    <a href=${to("conversations", talk.id)}>
      ${last && tank(last)}
      <span class="name">${h(Name, { talk })}</span>
      ${
        last
          ? html`<span class="level">${share(levelOf(last))}</span>
            <span class="dim">${`${short(last.used)} of ${short(last.limit)} tokens`}</span>
            <span class="dim">${`${share(cachedShare(last))} from the cache`}</span>`
          : html`<span class="dim">${count(talk.messages, "message")}</span>`
      }
      <span class="dim">${last?.model ?? ""} ${when(talk.updatedAt)}</span>
    </a>
  </li>`;
}

/** One line of what just happened. */
function line({ at, news }: { at: number; news: News }): Children {
  const told =
    news.kind === "turn"
      ? html`<a href=${`${to("conversations", news.turn.conversation)}?turn=${news.turn.id}`}>
        ${turnWords(news.turn)}</a>`
      : news.kind === "told" && eventWords(news.told);
  return html`<li><time>${clockOf(at)}</time> <span>${told}</span></li>`;
}

const turnWords = (turn: TurnInfo): string =>
  `A turn at ${share(levelOf(turn))}${turn.fold === undefined ? "" : ", folded"}: ` +
  `${count(turn.recalled.length, "memory", "memories")} recalled, ` +
  `${count(turn.written, "token")} written`;

const eventWords = ({ type, text, error, ...rest }: Record<string, unknown>): string => {
  const said = [text, error].find((words) => typeof words === "string");
  const figures = Object.entries(rest).flatMap(([name, value]) =>
    typeof value === "number" ? [`${name} ${number(value)}`] : [],
  );
  return [type, said ?? figures.join(", ")].filter(Boolean).join(": ");
};

const midnight = (): string => new Date(new Date().setHours(0, 0, 0, 0)).toISOString();

export function Now(): Children {
  const talks = useLoad<Items<TalkInfo>>("/conversations?limit=12");
  const stats = useLoad<Stats & { turns?: TurnSums[] }>(
    query("/stats", { since: midnight(), by: "model" }),
  );
  const health = useLoad<Health>("/health");
  const events = latest.use();
  useNews(talks.reload, (news) => isOfNone(news, talks.data?.items));
  const all = (): void => {
    for (const { reload } of [talks, stats, health]) reload();
  };
  useNews(all, undefined, SLOWLY);
  return h(
    Page,
    {
      title: "Now",
      lead: "Conversations by their last turn; the water is what a request takes of its limit.",
    },
    html`<section aria-labelledby="under-way">
        <h2 id="under-way">Conversations</h2>
        ${shown(talks, ({ items }) =>
          items.length === 0
            ? first
            : html`<ul class="cards">
          ${withNews(items, events).map(card)}</ul>`,
        )}
      </section>
      <div class="columns">
        <section class="panel" aria-labelledby="money">
          <h2 id="money">Since midnight</h2>
          ${shown(stats, ({ turns = [] }) => spent(turns))}
        </section>
        <section class="panel" aria-labelledby="queue">
          <h2 id="queue">Behind the scenes</h2>
          ${shown(stats, ({ queued, memories, folds }) =>
            facts(
              ["Queued", number(queued)],
              ["Memories", number(memories)],
              ["Folds", number(folds)],
            ),
          )}
          ${shown(health, healthy)}
        </section>
        <section class="panel" aria-labelledby="events">
          <h2 id="events">Last events</h2>
          ${
            events.length === 0
              ? html`<p class="dim">What happens while this page is open shows here.</p>`
              : html`<ol class="events">${events.slice(0, 12).map(line)}</ol>`
          }
        </section>
      </div>`,
  );
}

const first = empty(
  "No conversation yet",
  "Put Tidemark between a program and its model, and its turns show here as they happen:",
  html`<code>npx tidemark wrap -- COMMAND</code> for any program, or two lines in your own.`,
);

function spent(turns: TurnSums[]): Children {
  if (turns.length === 0) return html`<p class="dim">No turn today.</p>`;
  const sum = (of: (turn: TurnSums) => number): number =>
    turns.reduce((all, turn) => all + of(turn), 0);
  return html`<p class="big">${money(sum(({ dollars }) => dollars))}</p>
    <table>
      <thead><tr><th>Model</th><th class="n">Turns</th><th class="n">Read</th>
      <th class="n">Cached</th><th class="n">Own time</th></tr></thead>
      <tbody>${turns.map(
        (each) => html`<tr>
            <th scope="row">${each.name || "no name"}</th><td class="n">${number(each.turns)}</td>
          <td class="n">${short(each.read)}</td><td class="n">
          ${share(cachedShare(each))}</td>
          <td class="n">${duration(each.ms)}</td></tr>`,
      )}</tbody>
    </table>`;
}

const healthy = ({ ok, storage, trouble, owed, ms }: Health): Children => html`
  <p class=${ok ? "state good" : "state bad"}>
    ${ok ? `${storage} reads and writes, in ${duration(ms)}.` : "Something is wrong:"}
    ${owed > 0 ? ` ${count(owed, "page")} behind.` : ""}
  </p>
  ${trouble.length > 0 && html`<ul>${trouble.map((words) => html`<li>${words}</li>`)}</ul>`}`;
