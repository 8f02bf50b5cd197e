import { useRef, useState } from "preact/hooks";
import { ask, type Refused, useLoad, whoami } from "../api.ts";
import { count, minuteOf, share } from "../format.ts";
import { type Children, fieldsOf, h, html } from "../html.ts";
import { useNews } from "../live.ts";
import { patchLists } from "../pages.ts";
import { go, to } from "../place.ts";
import type { Memory, Past, TurnInfo } from "../types.ts";
import {
  complain,
  confirming,
  Dialog,
  facts,
  LongText,
  Page,
  say,
  shown,
  useWrites,
  when,
} from "../ui.ts";

const pathOf = (id: string): string => `/memories/${encodeURIComponent(id)}`;

export function OneMemory({ id }: { id: string }): Children {
  const memory = useLoad<Memory>(pathOf(id));
  const past = useLoad<Past>(`${pathOf(id)}/past`);
  const reload = (): void => {
    memory.reload();
    past.reload();
  };
  // While it ends or is forgotten, what changed is its own end.
  const leaving = useRef(false);
  const hear = (): void => void (leaving.current || reload());
  useNews(hear, ({ kind }) => kind !== "told");
  return shown(memory, (now) =>
    h(
      Page,
      {
        title: "Memory",
        lead: html`<span class="tag">${now.category}</span> ${now.scope}`,
        actions: h(Actions, { memory: now, reload, leaving }),
      },
      html`<blockquote class="memory"><${LongText} text=${now.content} /></blockquote>
        ${facts(
          ["Kind", now.kind],
          ["Key", now.key ?? "none"],
          ["Importance", share(now.importance)],
          ["Came by", `${now.source}, of ${now.origin}`],
          ["First stated", minuteOf(now.at)],
          ["Last changed", when(now.updatedAt)],
          ["Ends", now.expiresAt === undefined ? "not by itself" : minuteOf(now.expiresAt)],
          ["Found", count(now.uses, "time")],
          ["Tags", now.tags.join(", ") || "none"],
        )}
        ${shown(past, (known) => history(known))}`,
    ),
  );
}

function history({ values, said, turns = [] }: Past): Children {
  const value = ({ memory, until }: Past["values"][number]): Children =>
    html`<li><p>${memory.content}</p>
      <p class="dim">
        ${until === undefined ? "holds" : `until ${minuteOf(until)}`}, ${memory.scope}</p></li>`;
  const who = ({ conversation, at, role, text, position }: Past["said"][number]): Children =>
    html`<li><a href=${`${to("conversations", conversation)}?at=${position}`}>
      ${`${role}, ${minuteOf(at)}`}</a><p>${text}</p></li>`;
  const use = (turn: TurnInfo): Children =>
    html`<li><a href=${`${to("conversations", turn.conversation)}?turn=${turn.id}`}>
      ${minuteOf(turn.at)}</a> <span class="dim">${turn.model ?? ""}</span></li>`;
  const list = (name: string, lines: Children[], none: string): Children =>
    html`<section class="panel"><h2>${name}</h2>${
      lines.length === 0
        ? html`<p class="dim">
      ${none}</p>`
        : html`<ul class="lines">${lines}</ul>`
    }</section>`;
  return html`<div class="columns">
    ${list("Who said it", said.map(who), "No message is known for it: a hand or a tool wrote it.")}
    ${list("Values over time", values.map(value), "It has had one value.")}
    ${list("Turns that used it", turns.map(use), "No prompt that is kept held it yet.")}
  </div>`;
}

interface Acting {
  memory: Memory;
  reload: () => void;
  leaving: { current: boolean };
}
function Actions({ memory, reload, leaving }: Acting): Children {
  const [open, setOpen] = useState<"" | "edit" | "promote" | "forget">("");
  if (!useWrites()) return null;
  const { id, version } = memory;
  const close = (): void => setOpen("");
  const took = (text: string, undo?: () => Promise<unknown>) => (next: unknown) => {
    patchLists(id, next);
    reload();
    say(text, undo && (() => undo().then(reload)));
  };
  /** Leaves for the list once the memory is gone. */
  const leave = (path: string, method: string): Promise<void> => {
    leaving.current = true;
    return ask(path, { method, match: version }).then(
      () => {
        patchLists(id);
        go("/memories");
      },
      (refused: Refused) => {
        leaving.current = false;
        throw refused;
      },
    );
  };
  const end = (): void =>
    void leave(`${pathOf(id)}/end`, "POST").then(
      () =>
        say("It holds no more from now on.", () =>
          ask(`${pathOf(id)}/undo`, { method: "POST" }).then(() => go(to("memories", id))),
        ),
      complain,
    );
  const forget = (): void =>
    void leave(pathOf(id), "DELETE").then(() => say("Forgotten for good."), complain);
  return html`<button data-key="e" onClick=${() => setOpen("edit")}>Edit</button>
    <button onClick=${() => setOpen("promote")}>Promote</button>
    <button onClick=${end}>End</button>
    <button class="danger" onClick=${() => setOpen("forget")}>Forget</button>
    ${open === "edit" && h(Edit, { memory, close, took })}
    ${open === "promote" && h(Promote, { memory, close, took })}
    ${
      open === "forget" &&
      confirming("Forget this for good?", {
        words: html`<p>It goes from search, pages, logs and backups, and cannot be brought back.
        To end it and keep the way back for thirty days, choose End.</p>`,
        verb: "Forget it for good",
        close,
        act: forget,
      })
    }`;
}

interface Changing {
  memory: Memory;
  close: () => void;
  took: (text: string, undo?: () => Promise<unknown>) => (next: unknown) => void;
}

/** An edit that meets a newer text, or none any more, shows what there is and asks what stands. */
function Edit({ memory: newest, close, took }: Changing): Children {
  // News may bring another value while this one is edited: what was read is what is changed.
  const [memory] = useState(newest);
  const [newer, setNewer] = useState<Memory>();
  const [gone, setGone] = useState(false);
  const [mine, setMine] = useState(memory.content);
  const send = (content: string, category: string, on: Memory): void => {
    const undo = (): Promise<unknown> =>
      ask(pathOf(memory.id), {
        method: "PATCH",
        body: { content: on.content, category: on.category },
      });
    ask<Memory>(pathOf(memory.id), {
      method: "PATCH",
      body: { content, category },
      match: on.version,
    }).then(
      (next) => {
        close();
        took("Changed.", undo)(next);
      },
      (refused: Refused) => {
        setMine(content);
        if (refused.status === 404) return setGone(true);
        if (refused.status !== 412) return complain(refused);
        // The server answers what stands now with its refusal.
        setNewer(refused.current as Memory);
      },
    );
  };
  const anew = (): void => {
    const { category, scope } = memory;
    ask<Memory>("/memories", { body: { content: mine, category, scope } }).then(({ id }) => {
      say("Remembered anew.");
      go(to("memories", id));
    }, complain);
  };
  if (gone)
    return h(
      Dialog,
      { title: "Gone in another tab", close },
      html`<p>It was forgotten or ended in another tab, or by a program, while you wrote:</p>
        <blockquote>${mine}</blockquote>
        <div class="actions">
          <button onClick=${close}>Leave it</button>
          <button class="main" onClick=${anew}>Remember mine anew</button>
        </div>`,
    );
  const form = html`<form onSubmit=${(event: Event) => {
    const { content = "", category = "" } = fieldsOf(event);
    send(content, category, memory);
  }}>
    <label>Text <textarea name="content" rows="6" required>${mine}</textarea></label>
    <label>Category <input name="category" value=${memory.category} required /></label>
    <div class="actions">
      <button type="button" onClick=${close}>Cancel</button>
      <button class="main">Save</button>
    </div>
  </form>`;
  const both =
    newer &&
    html`<p>It was changed in another tab, or by a program, while you wrote.</p>
    <div class="columns two">
      <section><h3>As it is now</h3><blockquote>${newer.content}</blockquote></section>
      <section><h3>As you wrote it</h3><blockquote>${mine}</blockquote></section>
    </div>
    <div class="actions">
      <button onClick=${() => (close(), took("The other text stands.")(newer))}>
        Keep what is there</button>
      <button class="main" onClick=${() => send(mine, newer.category, newer)}>
        Replace it with mine</button>
    </div>`;
  return h(
    Dialog,
    { title: newer ? "Changed in another tab" : "Edit this memory", close },
    both ?? form,
  );
}

function Promote({ memory, close, took }: Changing): Children {
  const scopes = (whoami.use()?.scopes ?? []).filter((scope) => scope !== memory.scope);
  const path = `${pathOf(memory.id)}/promote`;
  const send = (event: Event): void => {
    const { scope = "" } = fieldsOf(event);
    ask<Memory & { proposal?: string }>(path, { body: { to: scope } }).then(
      ({ proposal, ...next }) => {
        close();
        if (proposal === undefined)
          took(`It is now ${scope}'s.`, () => ask(path, { body: { to: memory.scope } }))(next);
        else say("Its move waits under Proposals.");
      },
      (refused: Refused) => (close(), complain(refused)),
    );
  };
  return h(
    Dialog,
    { title: "Promote this memory", close },
    scopes.length === 0
      ? html`<p>You have one scope only. A team, project or user in the identity gives more.</p>
          <div class="actions"><button onClick=${close}>Close</button></div>`
      : html`<form onSubmit=${send}>
          <label>To <select name="scope">${scopes.map(
            (scope) => html`<option>
          ${scope}</option>`,
          )}</select></label>
          <div class="actions">
            <button type="button" onClick=${close}>Cancel</button>
            <button class="main">Promote</button>
          </div>
        </form>`,
  );
}
