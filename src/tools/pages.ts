import { type Dialect } from "../dialect/dialect.ts";
import { type Message } from "../model/request.ts";
import { cleaned } from "../text/cut.ts";
import { splitText } from "../distil/chunks.ts";
import { estimateTokens } from "../tokens/estimate.ts";

/** A message as a person would read it: what was said, called and answered, all of it. */
function written(dialect: Dialect, message: Message): string {
  const parts = [
    dialect.text(message).trim(),
    ...dialect.calls(message).map(({ name, input }) => `calls ${name} ${typeof input === "string" ? input : (JSON.stringify(input) ?? "")}`),
    ...dialect.results(message).map(({ failed, text }) => `${failed ? "failed" : "result"}: ${text}`),
    ...dialect.pieces(message).flatMap(({ kind }) => (kind === "text" ? [] : [`(${kind})`])),
  ].filter((part) => part !== "");
  return parts.length === 0 ? "(no text)" : cleaned(parts.join("\n"));
}

/** The whole range in pages of at most `tokens`; a message that is longer goes on on the next. */
export function pagesOf(dialect: Dialect, messages: readonly Message[], tokens: number): string[] {
  const pages: string[] = [];
  let page: string[] = [];
  let used = 0;
  messages.forEach((message, index) => {
    for (const part of splitText(`#${index + 1} ${dialect.speaker(message)}: ${written(dialect, message)}`, tokens)) {
      const size = estimateTokens(part) + 1;
      if (page.length > 0 && used + size > tokens) {
        pages.push(page.join("\n\n"));
        page = [];
        used = 0;
      }
      page.push(part);
      used += size;
    }
  });
  if (page.length > 0) pages.push(page.join("\n\n"));
  return pages;
}
