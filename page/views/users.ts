import { useState } from "preact/hooks";
import { ask, useLoad, whoami } from "../api.ts";
import { count, number } from "../format.ts";
import { type Children, h, html } from "../html.ts";
import type { ForgottenUser, Items, User } from "../types.ts";
import { complain, confirming, empty, facts, Page, say, shown, useWrites, when } from "../ui.ts";

const exportOf = (user: string): string => `/api/v1/users/${encodeURIComponent(user)}/export`;

export function Users(): Children {
  const allowed = whoami.use()?.host === true;
  const users = useLoad<Items<User>>(allowed ? "/users" : undefined);
  const [asked, ask_] = useState("");
  const writes = useWrites();
  const forget = (user: string): void =>
    void ask(`/users/${encodeURIComponent(user)}`, { method: "DELETE" }).then(() => {
      say(`${user} is forgotten.`);
      users.reload();
    }, complain);
  const row = ({ user, memories, conversations, updatedAt }: User): Children =>
    html`<li class="panel person">
      <div>
        <h2>${user}</h2>
        <p class="dim">
          ${`${count(memories, "memory", "memories")}, `}
          ${`${count(conversations, "conversation")}, changed `}
          ${when(updatedAt)}
        </p>
      </div>
      <div class="actions">
        <a class="button" download=${`${user}.jsonl`} href=${exportOf(user)}>Export</a>
        ${writes && html`<button class="danger" onClick=${() => ask_(user)}>Forget…</button>`}
      </div>
    </li>`;
  return h(
    Page,
    { title: "Users", lead: "One user at a time, with all that is that user's." },
    html`${
      allowed
        ? shown(users, ({ items }) =>
            items.length === 0
              ? empty(
                  "No user yet",
                  html`Memory has users when a program says who speaks: <code>
                    ${'identity: { user: "ada" }'}</code>`,
                )
              : html`<ul class="cards-plain">${items.map(row)}</ul>`,
          )
        : empty(
            "Users are the host's to see",
            "A token made with --host, or tidemark inspect, opens this view.",
          )
    }
      ${
        asked !== "" &&
        confirming(`Forget ${asked}?`, {
          words: h(Preview, { user: asked }),
          verb: "Forget for good",
          close: () => ask_(""),
          act: () => forget(asked),
        })
      }`,
  );
}

/** Counts of what would go, before it goes. */
function Preview({ user }: { user: string }): Children {
  const preview = useLoad<ForgottenUser>(`/users/${encodeURIComponent(user)}/forget`);
  return shown(
    preview,
    (gone) =>
      html`<p>This goes for good, from the store, pages, logs and backups:</p>
      ${facts(
        ["Memories", count(gone.memories, "memory", "memories")],
        ["Their past values", number(gone.past)],
        ["Conversations", number(gone.conversations)],
        ["Messages", number(gone.messages)],
        ["Files", number(gone.files)],
        ["Copies in backups", number(gone.copies)],
      )}`,
  );
}
