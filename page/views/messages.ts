import { useEffect, useState } from "preact/hooks";
import { ask, query, useLoad } from "../api.ts";
import { count, minuteOf, number } from "../format.ts";
import { type Children, h, html } from "../html.ts";
import { to } from "../place.ts";
import type { FoldInfo, Messages, Said } from "../types.ts";
import { complain, empty, LongText, shown } from "../ui.ts";

/** Parts of a message in any provider's format, as texts with a name. */
export function partsOf(content: unknown): { kind: string; text: string }[] {
  if (typeof content === "string") return [{ kind: "text", text: content }];
  if (!Array.isArray(content))
    return content === undefined || content === null
      ? []
      : [{ kind: "data", text: pretty(content) }];
  return content.flatMap((block: unknown): { kind: string; text: string }[] => {
    if (typeof block === "string") return [{ kind: "text", text: block }];
    if (typeof block !== "object" || block === null) return [];
    const {
      type,
      text,
      thinking,
      name,
      input,
      content: inner,
      ...rest
    } = block as Record<string, unknown>;
    const said = text ?? thinking;
    if (typeof said === "string")
      return [{ kind: type === "thinking" ? "thinking" : "text", text: said }];
    if (type === "tool_use") return [{ kind: `calls ${String(name)}`, text: pretty(input) }];
    if (type === "tool_result") {
      const parts = partsOf(inner);
      return parts.length > 0
        ? parts.map(({ text: words }) => ({ kind: "answer of a tool", text: words }))
        : [{ kind: "answer of a tool", text: "" }];
    }
    return [{ kind: String(type ?? "data"), text: pretty({ name, input, ...rest }) }];
  });
}
const pretty = (value: unknown): string =>
  typeof value === "string" ? value : (JSON.stringify(value, null, 2) ?? "");

/** Any message's parts, with calls as OpenAI's format has them. */
export function bodyOf(message: Said["message"]): { kind: string; text: string }[] {
  const calls = Reflect.get(message, "tool_calls") as unknown;
  return [
    ...partsOf(message.content),
    ...(Array.isArray(calls) ? [{ kind: "calls tools", text: pretty(calls) }] : []),
  ];
}

/** A message; `path` leads to the rest of one that was cut. */
export function Message({ said, path = "" }: { said: Said; path?: string }): Children {
  const [whole, read] = useState<Said>();
  const { position, role, at, message, left } = whole ?? said;
  const readAll = (): void =>
    void ask<Messages>(query(path, { from: position, limit: 1 })).then(
      ({ items }) => read(items[0]),
      complain,
    );
  return html`<li class=${`said ${role}`} id=${`m${position}`} value=${position} tabindex="-1">
    <header><span class="role">${role}</span> <span class="dim">
      ${position}${at ? ` · ${minuteOf(at)}` : ""}</span></header>
    ${bodyOf(message).map(({ kind, text }) =>
      kind === "text"
        ? h(LongText, { text })
        : html`<details open=${text.length < 600}><summary>${kind}</summary>
          ${h(LongText, { text })}</details>`,
    )}
    ${
      left &&
      html`<button class="more" onClick=${readAll}>
        ${`Read all of it: ${number(left)} characters more`}</button>`
    }
  </li>`;
}

/** A fold stands behind the last message that its summary speaks for. */
const fold = ({ id, messages, undoneAt }: FoldInfo): Children =>
  html`<li class="seam"><a href=${to("folds", id)}>
    ${`Folded: ${count(messages, "message")} above became a summary`}
    ${undoneAt !== undefined && ", undone since"}</a></li>`;

const PAGE = 50;
/** Characters of each text that are read unasked: a message may have millions. */
const CUT = 20_000;

/** Messages word for word, a page at a time, the latest first shown. */
export function MessageList({ id, at }: { id: string; at: number | undefined }): Children {
  const [from, setFrom] = useState(at === undefined ? undefined : Math.max(0, at - 5));
  const path = `/conversations/${encodeURIComponent(id)}/messages`;
  const size = useLoad<Messages>(
    from === undefined ? query(path, { from: 0, limit: 1, cut: 1 }) : undefined,
  );
  const start = from ?? (size.data === undefined ? undefined : Math.max(0, size.data.total - PAGE));
  const page = useLoad<Messages>(
    start === undefined ? undefined : query(path, { from: start, limit: PAGE, cut: CUT }),
  );
  useEffect(() => {
    if (page.data !== undefined && at !== undefined) document.getElementById(`m${at}`)?.focus();
  }, [page.data === undefined]);
  return shown(size.error ? size : page, ({ items, total, folds }) => {
    if (total === 0) return empty("No message", "What is said in this conversation shows here.");
    const first = start ?? 0;
    const end = first + items.length;
    const step = (name: string, next: number, works: boolean): Children =>
      html`<button disabled=${!works} onClick=${() => setFrom(Math.max(0, next))}>${name}</button>`;
    const pager = html`<nav class="pager" aria-label="Messages">
        ${step("First", 0, first > 0)} ${step("Earlier", first - PAGE, first > 0)}
        <span role="status">${`${first + 1} to ${end} of ${total}`}</span>
        ${step("Later", end, end < total)} ${step("Latest", total - PAGE, end < total)}
      </nav>`;
    return html`${total > PAGE && pager}
      <ol class="messages">
        ${items.map((said) => [
          h(Message, { said, path, key: said.position }),
          folds.filter(({ messages }) => messages === said.position + 1).map(fold),
        ])}
      </ol>`;
  });
}
