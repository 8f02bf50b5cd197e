import { contentWords } from "../../text/content-words.ts";
import { terms } from "../../text/terms.ts";

/** Politeness, deixis and times of requests: no answer repeats them, and what does is not about them. */
const EMPTY: ReadonlySet<string> = new Set(
  terms(
    "need want help thing one two also later something anything time give take put let tell know show look find bit still next end day week weekend month year today tomorrow tonight morning afternoon evening night soon first last " +
      "rush hurry urgent wait moment minute chance now please whenever leisure convenience eventually some " +
      "monday tuesday wednesday thursday friday saturday sunday mich mir uns bitte noch kannst könntest morgen heute eilt eile irgendwann gelegenheit",
  ),
);

/** The same where no gaps part the words. */
const EMPTY_ZH = /(?:有空|有时间|得空|抽空|方便)(?:的(?:时候|话))?|不(?:着|用)?急|一下|帮[我忙]|麻烦|[请的了吗吧呢把我你您]/gu;

/** The words a request is about. */
export const stems = (text: string): Set<string> => new Set(contentWords(text.replace(EMPTY_ZH, " ")).flatMap((word) => terms(word)).filter((word) => !EMPTY.has(word)));
