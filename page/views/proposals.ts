import { ask, useLoad } from "../api.ts";
import { type Children, h, html } from "../html.ts";
import { useNews } from "../live.ts";
import type { Items, Proposal } from "../types.ts";
import { complain, empty, LongText, Page, say, shown, useWrites, when } from "../ui.ts";

const WISHES = {
  promotion: "would share this memory with",
  skill: "would make this a skill of",
  ending: "would end this memory of",
  note: "would move this note to",
} as const;

export function Proposals(): Children {
  const proposals = useLoad<Items<Proposal>>("/proposals");
  const writes = useWrites();
  useNews(proposals.reload, ({ kind }) => kind === "changed");
  const act = (id: string, verb: "accept" | "decline", body: object): void =>
    void ask(`/proposals/${encodeURIComponent(id)}/${verb}`, { body }).then(() => {
      say(verb === "accept" ? "Accepted." : "Declined.");
      proposals.reload();
    }, complain);
  const card = ({ id, kind, to, by, at, words, digest }: Proposal): Children =>
    html`<li class="panel">
      <h2>${`${by} ${WISHES[kind]} ${to}`}</h2>
      <p class="dim">${when(at)}</p>
      <blockquote><${LongText} text=${words} /></blockquote>
      ${
        writes &&
        html`<div class="actions">
        <button onClick=${() => act(id, "decline", {})}>Decline</button>
        <button class="main" onClick=${() => act(id, "accept", { digest })}>Accept</button>
      </div>`
      }
    </li>`;
  return h(
    Page,
    { title: "Proposals", lead: "What agents want, and may not do by themselves." },
    shown(proposals, ({ items }) =>
      items.length === 0
        ? empty(
            "No proposal waits",
            "An agent that would share a memory with a team, or end what you said, asks here.",
          )
        : html`<ul class="cards-plain">${items.map(card)}</ul>`,
    ),
  );
}
