import MiniSearch from "minisearch";
import { useMemo, useRef, useState } from "preact/hooks";
import { ask, query, useLoad, whoami } from "../api.ts";
import { count, number, share } from "../format.ts";
import { type Children, fieldsOf, h, html, valueOf } from "../html.ts";
import { SLOWLY, useNews } from "../live.ts";
import { usePages } from "../pages.ts";
import { asking, go, place, to } from "../place.ts";
import { Rows, useNarrow } from "../rows.ts";
import type { Category, Items, Memory } from "../types.ts";
import { bar, complain, Dialog, empty, Page, say, useWrites, when } from "../ui.ts";

const KINDS = ["fact", "learning", "record", "procedure", "episode", "policy"];
const ORDERS = [
  ["", "last changed"],
  ["stated", "last stated"],
  ["importance", "importance"],
  ["used", "most used"],
] as const;
const PAGE = 200;
/** Rows found at once: a key later they are others. */
const FOUND = 50;
/** ms behind a change elsewhere. */
const LISTED = 1_000;
/** Rows' heights in pixels, as style.css has them. */
const WIDE_ROW = 38;
const NARROW_ROW = 68;

const row = (memory: Memory): Children => html`
  <span class="text">${memory.content}</span>
  <span class="tag">${memory.category}</span>
  <span class="dim scope">${memory.scope}</span>
  ${bar(memory.importance, `importance ${share(memory.importance)}`)}
  <span class="dim uses">${count(memory.uses, "use")}</span>
  <span class="dim time">${when(memory.updatedAt)}</span>`;

/** An index in the page of what was read; what was not is searched by the server. */
function useFound(items: readonly Memory[], text: string): Memory[] {
  const index = useRef({
    words: new MiniSearch<Memory>({
      fields: ["content", "category", "key", "tags"],
      extractField: (memory, field) => {
        const value: unknown = Reflect.get(memory, field);
        return Array.isArray(value) ? value.join(" ") : String(value ?? "");
      },
      searchOptions: { prefix: true, combineWith: "AND", boost: { content: 2 } },
    }),
    read: new Map<string, Memory>(),
  }).current;
  return useMemo(() => {
    if (text === "") return [];
    for (const memory of items) {
      const was = index.read.get(memory.id);
      if (was === memory) continue;
      if (was === undefined) index.words.add(memory);
      else index.words.replace(memory);
      index.read.set(memory.id, memory);
    }
    const here = new Map(items.map((memory) => [memory.id, memory]));
    return index.words.search(text).flatMap(({ id }) => here.get(id) ?? []);
  }, [items, text]);
}

export function Memories(): Children {
  const asked = place.use().query;
  const [text, setText] = useState(asked.get("text") ?? "");
  const filter = {
    category: asked.get("category") ?? "",
    kind: asked.get("kind") ?? "",
    scope: asked.get("scope") ?? "",
    order: asked.get("order") ?? "",
    asOf: asked.get("asOf") ?? "",
  };
  const day = filter.asOf === "" ? "" : `${filter.asOf}T23:59:59Z`;
  const path = query("/memories", { ...filter, asOf: day, limit: PAGE });
  const words = text.trim();
  const searching = words !== "";
  const all = usePages<Memory>(path);
  const found = useFound(all.items, words);
  const asks = searching && !all.done;
  const there = usePages<Memory>(
    asks && query("/memories", { ...filter, asOf: day, limit: FOUND, text: words }),
  );
  const seen = asks ? there : all;
  const counted = useLoad<Items<Category>>("/categories");
  const categories = counted.data?.items ?? [];
  const changed = (): void => {
    all.refresh();
    counted.reload();
  };
  useNews(seen.refresh, ({ kind }) => kind === "changed", LISTED);
  useNews(counted.reload, ({ kind }) => kind === "changed", SLOWLY);
  const rows = useMemo(() => {
    if (!searching) return all.items;
    const known = new Set(found.map(({ id }) => id));
    return [...found, ...(asks ? there.items : []).filter(({ id }) => !known.has(id))];
  }, [searching, asks, all.items, found, there.items]);
  const begun = seen.begun || rows.length > 0;
  // Rows of the text before stay until there is an answer: between two keys nothing flickers.
  const last = useRef(rows);
  if (begun) last.current = rows;
  const shows = last.current.length > 0;
  const narrow = useNarrow();
  const spot = useMemo(
    () => (searching ? { top: 0, active: 0 } : all.spot),
    [searching, path, text],
  );
  const typed = (event: Event): void => {
    setText(valueOf(event));
    go(asking({ text: valueOf(event) }), { quiet: true });
  };
  return h(
    Page,
    {
      title: "Memories",
      lead: known({ shown: rows.length, done: seen.done, searching, categories }),
      actions: h(Adding, { added: changed }),
    },
    html`<div class="search" role="search">
        <input type="search" data-key="/" placeholder="Search as you type"
          aria-label="Search memories"
          value=${text} onInput=${typed} />
        <details open=${!narrow}>
          <summary>Filters</summary>
          <div class="filters">${h(Filters, { filter, categories })}</div>
        </details>
      </div>
      ${seen.error && html`<p class="trouble" role="alert">${seen.error.message}</p>`}
      ${!begun && !shows && !seen.error && html`<p class="wait" role="status">Loading…</p>`}
      ${begun && rows.length === 0 && !seen.error && nothing(asked.size > 0)}
      ${
        shows &&
        h(Rows<Memory>, {
          ...{ rows: last.current, label: "Memories", spot, show: row, key: `${path}${searching}` },
          heads: ["What is remembered", "Category", "Scope", "Importance", "Used", "Changed"],
          height: narrow ? NARROW_ROW : WIDE_ROW,
          href: ({ id }) => to("memories", id),
          end: () => void seen.more(),
        })
      }`,
  );
}

const nothing = (asked: boolean): Children =>
  asked
    ? empty("No memory is like that", "Take away a word or a filter. A word's beginning is enough.")
    : empty(
        "Nothing is remembered yet",
        "Memories come of conversations at 60 % of the window, of agents' tools, and of you.",
        html`Add one here, or type <code>npx tidemark save "Invoices are in euro."</code>`,
      );

interface Counted {
  shown: number;
  done: boolean;
  searching: boolean;
  categories: readonly Category[];
}
function known(given: Counted): Children {
  const total = given.categories.reduce((sum, { memories }) => sum + memories, 0);
  const ends = given.done ? "" : "+";
  return html`<span role="status">
    ${
      given.searching
        ? `${number(given.shown)}${ends} found`
        : `${number(given.shown)} shown of ${number(Math.max(total, given.shown))}`
    }
  </span>`;
}

interface Filtering {
  filter: Record<string, string>;
  categories: readonly Category[];
}
function Filters({ filter, categories }: Filtering): Children {
  const named = categories.map(
    ({ name, memories }) => [name, `${name} (${number(memories)})`] as const,
  );
  const scopes = whoami.use()?.scopes ?? [];
  const set = (name: string) => (event: Event) =>
    go(asking({ [name]: valueOf(event) }), { quiet: true });
  const select = (name: string, label: string, options: (readonly [string, string])[]): Children =>
    html`<label>${label} <select value=${filter[name]} onChange=${set(name)}>
      ${options.map(
        ([value, shown]) =>
          html`<option value=${value} selected=${value === filter[name]}>${shown}</option>`,
      )}
    </select></label>`;
  const all = (names: string[]): (readonly [string, string])[] => [
    ["", "all"],
    ...names.map((name) => [name, name] as const),
  ];
  return html`
    ${select("category", "Category", [["", "all"], ...named])}
    ${select("kind", "Kind", all(KINDS))}
    ${select("scope", "Scope", all(scopes))}
    ${select("order", "Order", [...ORDERS])}
    <label>As of <input type="date" value=${filter.asOf} onChange=${set("asOf")} /></label>`;
}

function Adding({ added }: { added: () => void }): Children {
  const [open, setOpen] = useState(false);
  const scopes = whoami.use()?.scopes ?? [];
  if (!useWrites()) return null;
  const save = (event: Event): void => {
    const { content = "", category = "", scope = "" } = fieldsOf(event);
    const body = { content, ...(category ? { category } : {}), ...(scope ? { scope } : {}) };
    setOpen(false);
    ask<Memory>("/memories", { body }).then(({ id }) => {
      say("Remembered.", () => ask(`/memories/${id}`, { method: "DELETE" }).then(added));
      added();
    }, complain);
  };
  const form = html`<form onSubmit=${save}>
    <label>What is to be remembered <textarea name="content" rows="4" required></textarea></label>
    <label>Category <input name="category" placeholder="found by itself" /></label>
    <label>Scope <select name="scope">
      <option value="">who asks</option>
      ${scopes.map((scope) => html`<option>${scope}</option>`)}
    </select></label>
    <div class="actions">
      <button type="button" onClick=${() => setOpen(false)}>Cancel</button>
      <button class="main">Remember</button>
    </div>
  </form>`;
  return html`<button class="main" onClick=${() => setOpen(true)}>Add a memory</button>
    ${open && h(Dialog, { title: "Add a memory", close: () => setOpen(false) }, form)}`;
}
