import { useMemo } from "preact/hooks";
import { count, share } from "../format.ts";
import { type Children, h, html } from "../html.ts";
import { isOfNone, latest, SLOWLY, useNews, withNews } from "../live.ts";
import { usePages } from "../pages.ts";
import { to } from "../place.ts";
import { Rows, useNarrow } from "../rows.ts";
import type { TalkInfo } from "../types.ts";
import { bar, empty, Page, when } from "../ui.ts";
import { levelOf } from "../water.ts";
import { Name } from "./name.ts";

const row = (talk: TalkInfo): Children => {
  const { last } = talk;
  return html`
    <span class="text">${h(Name, { talk })}</span>
    <span class="dim">${count(talk.messages, "message")}</span>
    <span class="dim">${count(talk.folds, "fold")}</span>
    ${
      last
        ? bar(levelOf(last), `level ${share(levelOf(last))}`, last.mark)
        : html`<span class="dim">no turn kept</span>`
    }
    <span class="dim uses">${last ? share(levelOf(last)) : ""}</span>
    <span class="dim time">${when(talk.updatedAt)}</span>`;
};

const none = empty(
  "No conversation yet",
  "Each one that goes through Tidemark is listed here, the latest first.",
  html`Logs of earlier ones can be read in: <code>npx tidemark import FILE</code>`,
);

export function Conversations(): Children {
  const pages = usePages<TalkInfo>("/conversations?limit=100");
  const narrow = useNarrow();
  const spot = useMemo(() => pages.spot, []);
  const rows = withNews(pages.items, latest.use());
  useNews(pages.refresh, (news) => isOfNone(news, pages.items));
  useNews(pages.refresh, undefined, SLOWLY);
  return h(
    Page,
    { title: "Conversations", lead: "Every message is kept word for word, behind folds too." },
    html`${pages.error && html`<p class="trouble" role="alert">${pages.error.message}</p>`}
      ${!pages.begun && !pages.error && html`<p class="wait" role="status">Loading…</p>`}
      ${pages.begun && pages.items.length === 0 && none}
      ${
        pages.items.length > 0 &&
        h(Rows<TalkInfo>, {
          ...{ rows, label: "Conversations", spot, show: row },
          heads: ["Conversation", "Messages", "Folds", "Level", "", "Last turn"],
          height: narrow ? 68 : 38,
          href: ({ id }) => to("conversations", id),
          end: () => void pages.more(),
        })
      }`,
  );
}
