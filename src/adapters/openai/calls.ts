import type { Dict } from "../../core/base.ts";
import { openaiChat } from "../../providers/openai/chat.ts";
import { openaiResponses } from "../../providers/responses/responses.ts";
import { callOf, type FetchApi, postedTo } from "../http/fetch.ts";

const LENSES = [
  { path: /\/chat\/completions$/, dialect: openaiChat, member: "messages" },
  { path: /\/responses$/, dialect: openaiResponses, member: "input" },
] as const;

/** `own` knows the object that a text was written from. */
export const callsWith =
  (own?: (text: string) => Dict | undefined): FetchApi["callIn"] =>
  (came, known) => {
    const lens = LENSES.find(({ path }) => path.test(postedTo(came)));
    return lens && callOf(came, known, { ...lens, own });
  };
