import type { Said } from "./said.ts";

/** What a host sends of all that was said so far; the last question and what came of it is open. */
export type Host = (history: readonly Said[], turn: number) => readonly Said[];

const openFrom = (history: readonly Said[]): number =>
  history.findLastIndex(({ who }) => who === "user");

/** Changes what is behind the user; the open turn goes as it came. */
const stored =
  (change: (closed: readonly Said[]) => readonly Said[]): Host =>
  (history) => {
    const at = openFrom(history);
    return [...change(history.slice(0, at)), ...history.slice(at)];
  };

const replies = (change: (text: string) => string): Host =>
  stored((closed) =>
    closed.map((said) =>
      said.who === "assistant" && said.text !== "" ? { ...said, text: change(said.text) } : said,
    ),
  );

const texts =
  (change: (text: string) => string): Host =>
  (history) =>
    history.map((said) => (said.who === "tool" ? said : { ...said, text: change(said.text) }));

const bare = ({ who, text }: Said): Said => ({ who, text });

const withoutTools = (closed: readonly Said[]): readonly Said[] =>
  closed.filter(({ who, text }) => who !== "tool" && text !== "").map(bare);

/** `pruneMessages` of the AI SDK: calls and results before the last two messages are gone. */
const pruned: Host = (history) => {
  const ends = history.flatMap(({ who }, index) =>
    who === "tool" && history[index + 1]?.who === "tool" ? [] : [index],
  );
  const kept = new Set(
    history
      .slice((ends.at(-3) ?? -1) + 1)
      .flatMap(({ calls = [], id }) => [...calls.map((one) => one.id), id]),
  );
  return history.flatMap((said) => {
    if (said.who === "tool") return kept.has(said.id) ? [said] : [];
    const calls = said.calls?.filter(({ id }) => kept.has(id)) ?? [];
    if (calls.length > 0) return [{ ...said, calls }];
    return said.text === "" ? [] : [bare(said)];
  });
};

const cleaned = (text: string): string =>
  text
    .replace(/<think>[\s\S]*?<\/think>/g, "")
    .replace(/\*\*|`|^#+ |^- /gm, "")
    .replace(/\[\d+\]/g, "")
    .trim();

const escaped = (text: string): string =>
  text
    .replaceAll("&", "&amp;")
    .replaceAll("<", "&lt;")
    .replaceAll(">", "&gt;")
    .replaceAll('"', "&quot;")
    .replaceAll("'", "&#39;");

const curled = (text: string): string => text.replaceAll("'", "’").replace(/"([^"]*)"/g, "“$1”");

/** The replies of a turn as one. */
const joined = stored((closed) =>
  withoutTools(closed).reduce<Said[]>((made, said) => {
    const last = made.at(-1);
    if (said.who === "assistant" && last?.who === "assistant")
      made[made.length - 1] = { ...last, text: `${last.text}\n\n${said.text}` };
    else made.push(said);
    return made;
  }, []),
);

/** Mastra without memory: a step without words joins the one before, calls and results. */
const stepsJoined = stored((closed) =>
  closed.reduce<Said[]>((made, said) => {
    const at = made.findLastIndex(({ who }) => who !== "tool");
    const [step, calls] = [made[at], made[at]?.calls];
    if (step && calls && said.calls && said.text === "" && made.at(-1)?.who === "tool")
      made[at] = { ...step, calls: [...calls, ...said.calls] };
    else made.push(said);
    return made;
  }, []),
);

const split = stored((closed) =>
  closed.flatMap((said) =>
    said.who === "assistant" && said.calls === undefined
      ? said.text
          .split("\n\n")
          .filter((text) => text.trim() !== "")
          .map((text): Said => ({ who: "assistant", text }))
      : [said],
  ),
);

const rendered = (text: string): string =>
  `<p>${escaped(text)
    .replace(/\*\*(.+?)\*\*/g, "<strong>$1</strong>")
    .replaceAll("\n\n", "</p><p>")}</p>`;

const calledInWords = stored((closed) =>
  closed
    .filter(({ who }) => who !== "tool")
    .map(({ who, text, calls = [] }) => ({
      who,
      text: [text, ...calls.map(({ name, input }) => `[${name}(${JSON.stringify(input)})]`)]
        .filter((part) => part !== "")
        .join("\n"),
    })),
);

const PAGES =
  "Use these pages:\n<page>The lighthouse keeper's notes of that year are lost; a copy lies in the archive.</page>\n<page>Of the quarry nothing is known.</page>\n\n";

const withPages: Host = (history, turn) => {
  const at = openFrom(history);
  return history.map((said, index) =>
    index === at ? { ...said, text: `${PAGES}(${turn}) Question: ${said.text}` } : said,
  );
};

/** The last so many messages, from a question on, and the turn before this one at least. */
const lastOf =
  (most: number): Host =>
  (history) => {
    const from = Math.min(history.length - most, openFrom(history) - 1);
    const first = history.findLastIndex(({ who }, index) => index <= from && who === "user");
    return history.slice(Math.max(0, first));
  };

/** Small programs that do what public ones do with a conversation. */
export const HOSTS = {
  unchanged: (history) => history,
  "keeps texts only": stored(withoutTools),
  "prunes calls before the last two messages": pruned,
  "cleans thoughts, Markdown and citations": replies(cleaned),
  "escapes markup": replies(escaped),
  "escapes all markup": texts(escaped),
  "curls quotes": texts(curled),
  "puts a name before": replies((text) => `HelpBot: ${text}`),
  "drops the text beside a call": stored((closed) =>
    closed.map((said) => (said.calls === undefined ? said : { ...said, text: "" })),
  ),
  "keeps 80 characters of a reply": replies((text) => text.slice(0, 80)),
  "keeps 500 characters of a reply": replies((text) => text.slice(0, 500)),
  "joins the replies of a turn": joined,
  "joins the steps of a turn": stepsJoined,
  "splits replies": split,
  "renders replies as a page": replies(rendered),
  "writes calls as text": calledInWords,
  "adds a footer": replies((text) => `${text}\n\n---\nThis assistant makes mistakes.`),
  "sends the last twelve messages": lastOf(12),
  "puts pages into the question": withPages,
} satisfies Record<string, Host>;

export type HostName = keyof typeof HOSTS;

/** Hosts that leave out so much that a conversation fills its window later, or never. */
export const SHRINKING: ReadonlySet<HostName> = new Set<HostName>([
  "keeps texts only",
  "prunes calls before the last two messages",
  "cleans thoughts, Markdown and citations",
  "keeps 80 characters of a reply",
  "keeps 500 characters of a reply",
  "joins the replies of a turn",
  "writes calls as text",
  "sends the last twelve messages",
]);

/** One host behind the other. */
export const mixed =
  (names: readonly HostName[]): Host =>
  (history, turn) =>
    names.reduce<readonly Said[]>((sent, name) => HOSTS[name](sent, turn), history);
