import { useState } from "preact/hooks";
import { ask, query, type Refused, useLoad } from "../api.ts";
import { count } from "../format.ts";
import { type Children, fieldsOf, h, html } from "../html.ts";
import { SLOWLY, useNews } from "../live.ts";
import { place } from "../place.ts";
import type { Items, PageFile } from "../types.ts";
import { complain, empty, LongText, Page, say, shown, useWrites } from "../ui.ts";

/** A path has a dot, and would be taken for a file of the page itself. */
const addressOf = ({ path }: PageFile): string => query("/files", { path });
const callOf = ({ path }: Pick<PageFile, "path">): string =>
  `/files/${path.split("/").map(encodeURIComponent).join("/")}`;
/** Files that are written as a whole; others have a view or a verb of their own. */
const WRITTEN = /^(?:SOUL|USER|AGENTS|MEMORY|HEARTBEAT)\.md$/;

export function Files(): Children {
  const files = useLoad<Items<PageFile>>("/files");
  const path = place.use().query.get("path") ?? "";
  useNews(files.reload, ({ kind }) => kind === "changed", SLOWLY);
  if (path !== "") return h(OneFile, { path, key: path });
  return h(
    Page,
    {
      title: "Files",
      lead: "Markdown that people and agents edit; lines that were learnt are marked.",
    },
    shown(files, ({ items }) =>
      items.length === 0
        ? empty(
            "No file yet",
            "The workspace gets its pages when a program first opens it.",
            html`Or make them now: <code>npx tidemark init</code>`,
          )
        : listed(items),
    ),
  );
}

function listed(items: PageFile[]): Children {
  const scopes = Map.groupBy(items, ({ scope }) => scope);
  return html`${[...scopes].map(
    ([scope, files]) => html`<section class="panel" aria-label=${scope}>
      <h2>${scope}</h2>
      <ul class="lines">${files.map(
        (file) => html`<li><a href=${addressOf(file)}>${file.path}</a>
          ${
            file.learnt &&
            file.learnt.length > 0 &&
            html` <span class="tag learnt">
            ${`${count(learntLines(file), "line")} learnt`}</span>`
          }</li>`,
      )}</ul>
    </section>`,
  )}`;
}
const learntLines = ({ learnt = [] }: PageFile): number =>
  learnt.reduce((sum, [from, end]) => sum + end - from + 1, 0);

function OneFile({ path }: { path: string }): Children {
  const file = useLoad<PageFile>(callOf({ path }));
  const [editing, edit] = useState(false);
  const writes = useWrites() && WRITTEN.test(path.split("/").at(-1) ?? "");
  useNews(file.reload, ({ kind }) => kind === "changed" && !editing);
  const saved = (): void => {
    edit(false);
    file.reload();
  };
  return h(
    Page,
    {
      title: path,
      lead: html`<a href="/files">All files</a>`,
      actions:
        writes && !editing && html`<button data-key="e" onClick=${() => edit(true)}>Edit</button>`,
    },
    shown(file, (now) =>
      editing
        ? h(Edit, { page: now, saved, close: () => edit(false) })
        : h(Lines, { text: now.text ?? "", learnt: now.learnt ?? [] }),
    ),
  );
}

const FIRST_LINES = 1_000;

const one = (line: string, learnt: boolean): Children =>
  learnt
    ? html`<li class="learnt"><span class="unseen">learnt: </span>${line}</li>`
    : html`<li>${line}</li>`;

/** A file by its lines; what was learnt has a bar of water beside it. */
function Lines({ text, learnt }: { text: string; learnt: [number, number][] }): Children {
  const [all, showAll] = useState(false);
  if (text === "") return html`<p class="dim">The file is empty.</p>`;
  const lines = text.split("\n");
  const isLearnt = (line: number): boolean =>
    learnt.some(([from, end]) => line >= from && line <= end);
  const seen = all ? lines : lines.slice(0, FIRST_LINES);
  return html`${
    learnt.length > 0 &&
    html`<p class="legend">
    <span class="learnt">Learnt by Tidemark</span></p>`
  }
    <ol class="file">${seen.map((line, index) => one(line || " ", isLearnt(index + 1)))}</ol>
    ${
      seen.length < lines.length &&
      html`<button class="more" onClick=${() => showAll(true)}>
      ${`Show all ${count(lines.length, "line")}`}</button>`
    }`;
}

interface Editing {
  page: PageFile;
  saved: () => void;
  close: () => void;
}
function Edit({ page, saved, close }: Editing): Children {
  const [newer, setNewer] = useState<PageFile>();
  const [mine, setMine] = useState("");
  const put = (text: string, on: PageFile): void => {
    const path = callOf(page);
    ask<{ digest: string }>(path, { method: "PUT", body: { text }, match: on.digest }).then(
      ({ digest }) => {
        saved();
        say(`${page.path} is saved.`, () =>
          ask(path, { method: "PUT", body: { text: on.text ?? "" }, match: digest }).then(saved),
        );
      },
      (refused: Refused) => {
        if (refused.status !== 412) return complain(refused);
        setMine(text);
        // The server answers what stands now with its refusal.
        setNewer({ ...page, ...(refused.current as Partial<PageFile>) });
      },
    );
  };
  if (newer)
    return html`<section class="panel" role="alert">
      <h2>Changed in another tab</h2>
      <p>The file was changed, here or by a program, while you wrote.</p>
      <div class="columns two">
        <section><h3>As it is now</h3>${h(LongText, { text: newer.text ?? "" })}</section>
        <section><h3>As you wrote it</h3>${h(LongText, { text: mine })}</section>
      </div>
      <div class="actions">
        <button onClick=${saved}>Keep what is there</button>
        <button class="main" onClick=${() => put(mine, newer)}>Replace it with mine</button>
      </div>
    </section>`;
  return html`<form onSubmit=${(event: Event) => put(fieldsOf(event).text ?? "", page)}>
    <label>Text of ${page.path} <textarea class="whole" name="text" spellcheck=${false}>
      ${page.text}</textarea></label>
    <div class="actions">
      <button type="button" onClick=${close}>Cancel</button>
      <button class="main">Save</button>
    </div>
  </form>`;
}
