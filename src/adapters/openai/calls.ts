import { dictIn, type Dict } from "../../core/base.ts";
import type { Dialect } from "../../providers/common/dialect.ts";
import { openaiChat } from "../../providers/openai/chat.ts";
import { openaiResponses } from "../../providers/responses/responses.ts";
import { UNREAD } from "../http/calls.ts";
import { bodyText, type FetchApi } from "../http/fetch.ts";

const LENSES: readonly (readonly [RegExp, Dialect])[] = [
  [/\/chat\/completions$/, openaiChat],
  [/\/responses$/, openaiResponses],
];

/** `own` knows the object that a text was written from. */
export const callsWith =
  (own?: (text: string) => Dict | undefined): FetchApi["callIn"] =>
  (url, init = {}, known) => {
    if ((init.method ?? "GET").toUpperCase() !== "POST") return undefined;
    const { pathname } = new URL(url instanceof Request ? url.url : url, "http://localhost");
    const dialect = LENSES.find(([path]) => path.test(pathname))?.[1];
    if (dialect === undefined) return undefined;
    const text = bodyText(init);
    const body = text === undefined ? undefined : (own?.(text) ?? dictIn(text));
    if (text === undefined || body === undefined) return UNREAD;
    const name = dialect.envelope ? "input" : "messages";
    const isText = name === "input" && typeof body.input === "string";
    if (!isText && !Array.isArray(body[name])) return UNREAD;
    return { url, init, dialect, text, body: { ...body, [name]: known(body[name]) } };
  };
