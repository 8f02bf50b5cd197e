import { useState } from "preact/hooks";
import { ask, useLoad } from "../api.ts";
import { count } from "../format.ts";
import { type Children, h, html } from "../html.ts";
import { SLOWLY, useNews } from "../live.ts";
import { asking, go, place } from "../place.ts";
import { usePages } from "../pages.ts";
import type { TalkInfo, TurnInfo } from "../types.ts";
import { complain, confirming, Page, say, shown, useWrites, when } from "../ui.ts";
import { Chart, legend } from "./chart.ts";
import { MessageList } from "./messages.ts";
import { useName } from "./name.ts";
import { turnPanel } from "./turn.ts";

export function Conversation({ id }: { id: string }): Children {
  const path = `/conversations/${encodeURIComponent(id)}`;
  const talk = useLoad<TalkInfo>(path);
  const name = useName(talk.data ?? { id });
  const turns = usePages<TurnInfo>(`${path}/turns?limit=200`);
  const asked = place.use().query;
  const at = asked.get("at");
  const again = (): void => {
    talk.reload();
    turns.refresh();
  };
  useNews(again, (news) => news.kind === "turn" && news.turn.conversation === id);
  useNews(again, ({ kind }) => kind === "changed", SLOWLY);
  return shown(talk, (info) =>
    h(
      Page,
      {
        title: name,
        lead: html`${`${count(info.messages, "message")}, ${count(info.folds, "fold")}, last `}
          ${when(info.updatedAt)}`,
        actions: h(Actions, { id, reload: talk.reload }),
      },
      html`<section aria-labelledby="level">
          <h2 id="level">Level over turns</h2>
          ${levels(turns, asked.get("turn") ?? undefined)}
        </section>
        <section aria-labelledby="messages">
          <h2 id="messages">Messages</h2>
          ${h(MessageList, { id, at: at === null ? undefined : Number(at), key: `${at}` })}
        </section>`,
    ),
  );
}

function levels(pages: ReturnType<typeof usePages<TurnInfo>>, asked: string | undefined): Children {
  if (pages.error) return html`<p class="trouble" role="alert">${pages.error.message}</p>`;
  if (!pages.begun) return html`<p class="wait" role="status">Loading…</p>`;
  if (pages.items.length === 0)
    return html`<p class="dim">No turn of it is kept: it was read in,
      or had before turns were written down.</p>`;
  const turns = pages.items.toReversed();
  const chosen = turns.find(({ id }) => id === asked) ?? turns.at(-1);
  const ordinal = chosen === undefined ? 0 : turns.indexOf(chosen) + 1;
  const last = pages.done ? "" : "the last ";
  const choose = (turn: string): void => go(asking({ turn, at: undefined }), { quiet: true });
  return html`${h(Chart, { turns, chosen: chosen?.id, choose })}
    <div class="under">${legend}
      ${
        !pages.done &&
        html`<button class="quiet" onClick=${() => void pages.more()}>Read earlier turns</button>`
      }
    </div>
    ${chosen && turnPanel(chosen, `Turn ${ordinal} of ${last}${turns.length}`)}`;
}

function Actions({ id, reload }: { id: string; reload: () => void }): Children {
  const [asking, ask_] = useState(false);
  if (!useWrites()) return null;
  const path = `/conversations/${encodeURIComponent(id)}`;
  const fold = (): void =>
    void ask<{ refused?: string }>(`${path}/fold`, { method: "POST" }).then(({ refused }) => {
      say(refused ?? "Folded.");
      reload();
    }, complain);
  const forget = (): void =>
    void ask(path, { method: "DELETE" }).then(() => {
      say("The conversation is forgotten.");
      go("/conversations");
    }, complain);
  return html`<button onClick=${fold}>Fold now</button>
    <button class="danger" onClick=${() => ask_(true)}>Forget</button>
    ${
      asking &&
      confirming("Forget this conversation?", {
        words: html`<p>Its messages, folds and turns are deleted for good.
        Memories that came of it stay.</p>`,
        verb: "Forget it for good",
        close: () => ask_(false),
        act: forget,
      })
    }`;
}
