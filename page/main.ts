import { render } from "preact";
import { useEffect, useState } from "preact/hooks";
import { enter, locked, type Refused, whoami } from "./api.ts";
import { type Children, fieldsOf, h, html } from "./html.ts";
import { hearKeys, KEYS, keyList, keysOff, switchKeys, VIEWS } from "./keys.ts";
import { connected, listen } from "./live.ts";
import { followLinks, place } from "./place.ts";
import { Dialog, empty, Page, said, undoLast } from "./ui.ts";
import { Conversation } from "./views/conversation.ts";
import { Conversations } from "./views/conversations.ts";
import { Files } from "./views/files.ts";
import { Fold } from "./views/fold.ts";
import { Memories } from "./views/memories.ts";
import { OneMemory } from "./views/memory.ts";
import { Now } from "./views/now.ts";
import { Playground } from "./views/playground.ts";
import { Proposals } from "./views/proposals.ts";
import { Users } from "./views/users.ts";

/** The view of an address. */
function viewAt([first = "now", ...rest]: string[]): Children {
  const id = rest[0];
  if (first === "now") return h(Now, {});
  if (first === "conversations")
    return id === undefined ? h(Conversations, {}) : h(Conversation, { id, key: id });
  if (first === "folds" && id !== undefined) return h(Fold, { id, key: id });
  if (first === "memories")
    return id === undefined ? h(Memories, {}) : h(OneMemory, { id, key: id });
  if (first === "playground") return h(Playground, {});
  if (first === "files") return h(Files, {});
  if (first === "proposals") return h(Proposals, {});
  if (first === "users") return h(Users, {});
  return h(
    Page,
    { title: "Nothing is here" },
    empty("No view has this address", html`<a href="/now">See what happens now</a>`),
  );
}

const who = (identity: Record<string, string>): string =>
  Object.entries(identity)
    .filter(([name]) => name !== "role")
    .map(([name, value]) => `${name}:${value}`)
    .join(" ");

function Side(): Children {
  const me = whoami.use();
  const live = connected.use();
  const first = place.use().parts[0] ?? "now";
  const [open, setOpen] = useState(false);
  useEffect(() => setOpen(false), [first]);
  const current = first === "folds" ? "conversations" : first;
  return html`<header class="side">
    <a class="brand" href="/now">
      <svg viewBox="0 0 24 24" aria-hidden="true">
        <rect width="24" height="24" rx="6" />
        <path d="M0 13q3-3 6 0t6 0 6 0 6 0v5a6 6 0 0 1-6 6H6a6 6 0 0 1-6-6z" />
      </svg>
      Tidemark
    </a>
    <button class="menu" aria-expanded=${open} aria-controls="views"
      onClick=${() => setOpen(!open)}>Menu</button>
    <nav id="views" class=${open ? "open" : ""} aria-label="Views">
      ${VIEWS.filter(([, view]) => view !== "users" || me?.host).map(
        ([, view, name]) =>
          html`<a href=${`/${view}`} aria-current=${view === current ? "page" : undefined}>
            ${name}</a>`,
      )}
    </nav>
    <div class="who">
      <p>${me && who(me.identity)}</p>
      ${
        me?.write === false &&
        html`<p>Reading only. Start it with <code>--write</code> to change things.</p>`
      }
      <p class=${live ? "live on" : "live"}>${live ? "Live" : "Not connected: trying again"}</p>
      <button class="quiet" onClick=${() => keyList.set(true)}>Keys <kbd>?</kbd></button>
    </div>
  </header>`;
}

function KeyList(): Children {
  const off = keysOff.use();
  const rows = KEYS.map(
    ([keys, does]) => html`<div><dt><kbd>${keys}</kbd></dt><dd>${does}</dd></div>`,
  );
  return h(
    Dialog,
    { title: "Keys", close: () => keyList.set(false) },
    html`<dl class="keys">${rows}</dl>
      <label class="check">
        <input type="checkbox" checked=${off} onChange=${() => switchKeys(!off)} />
        Leave single letters alone
      </label>
      <div class="actions"><button onClick=${() => keyList.set(false)}>Close</button></div>`,
  );
}

/** Live regions stay where they are, so that a reader hears what is put into them. */
function Saying(): Children {
  const saying = said.use();
  return html`<div class="saying" role="status">
    ${
      saying &&
      html`<div class=${saying.bad ? "toast bad" : "toast"}>
      <span>${saying.text}</span>
      ${saying.undo && html`<button onClick=${() => void undoLast()}>Undo</button>`}
      <button class="quiet" aria-label="Close this message"
        onClick=${() => said.set(undefined)}>✕</button>
    </div>`
    }
  </div>`;
}

function Door(): Children {
  const [trouble, setTrouble] = useState("");
  const open = (event: Event): void => {
    const { secret = "" } = fieldsOf(event);
    enter(secret.trim()).then(listen, (refused: Refused) => setTrouble(refused.message));
  };
  return html`<main class="door">
    <h1>Tidemark</h1>
    <p>This page opens by the address that <code>tidemark inspect</code> printed, with all that
      stands behind its #. Or give the secret or a token here.</p>
    <form onSubmit=${open}>
      <label>Secret or token <input name="secret" type="password" autocomplete="off" required />
      </label>
      <button class="main">Open</button>
    </form>
    <p role="alert">${trouble}</p>
  </main>`;
}

function App(): Children {
  const { parts } = place.use();
  const keys = keyList.use();
  const me = whoami.use();
  if (locked.use()) return h(Door, {});
  return html`<a class="skip" href="#main">To the content</a>
    ${h(Side, {})}
    <main id="main">${me && viewAt(parts)}</main>
    ${h(Saying, {})} ${keys && h(KeyList, {})}`;
}

/** A secret behind # is taken out of the address at once. */
async function start(root: HTMLElement): Promise<void> {
  const secret = location.hash.slice(1);
  if (secret.length > 8) history.replaceState(null, "", location.pathname + location.search);
  followLinks();
  hearKeys();
  const trouble = await enter(secret.length > 8 ? secret : undefined).catch(
    (refused: Refused) => refused,
  );
  if (trouble !== undefined && trouble.status !== 401) {
    root.textContent = trouble.message;
    return;
  }
  root.textContent = "";
  render(h(App, {}), root);
  if (trouble === undefined) listen();
}

const root = document.getElementById("app");
if (root !== null) void start(root);
