import { dictIn } from "../../core/base.ts";
import { refuse } from "../../core/errors-and-events.ts";
import { head } from "../../core/text/cut.ts";
import type { Message } from "../../core/request.ts";
import { internalsFor } from "../../session/options/internals.ts";
import type { ConversationInfo, Tidemark } from "../../session/options/tidemark-api.ts";
import type { ApiCall } from "./fields.ts";
import { paged } from "./route.ts";

const TRAITS = "category kind importance tags until";

export const MEMORIES: readonly ApiCall[] = [
  [
    "GET /memories",
    "Memories; text: those that hold all of its words",
    "text order category kind scope asOf limit after",
    async ({ memory }, input) => {
      const { memories: items, after } = await memory.page(input);
      return { items, after };
    },
  ],
  ["POST /memories", "Remembers a text", `content! key scope source at ${TRAITS}`, "memory.save *"],
  ["GET /memories/:id", "One memory", "", "memory.get id"],
  ["PATCH /memories/:id", "Changes a memory", `content ${TRAITS}`, "memory.update id * if"],
  ["DELETE /memories/:id", "Deletes a memory for good", "", "memory.forget id if"],
  ["GET /memories/:id/past", "Its values, sources, uses", "", "memory.past id"],
  [
    "POST /memories/:id/end",
    "It holds no more; undo brings it back for thirty days",
    "",
    "memory.end id if",
  ],
  ["POST /memories/:id/undo", "Brings it back", "", "memory.undo id"],
  ["POST /memories/:id/promote", "Moves it to another scope", "to!", "memory.promote id *"],
  ["GET /categories", "The fullest first", "", "memory.categories"],
  [
    "POST /search",
    "Finds memories, pages and past turns",
    "query! in limit",
    "memory.search query *",
  ],
  [
    "POST /recall",
    "Finds memories",
    "query! limit category kind scope tokens asOf",
    "memory.recall query *",
  ],
  ["POST /brief", "What is known on a task, in one text", "query! tokens format", "brief query *"],
  [
    "GET /prompt",
    "What the next new conversation would be told",
    "conversation",
    (view, which) => internalsFor(view.as(which), "api").prompt(),
  ],
];

/** One of the identity by its id or the host's name of it. */
const conversation = async ({ history }: Tidemark, id: string) =>
  (await history.list({ conversation: id }))[0];

/** With its newest turn, which says how full it is. */
const withLast = async (view: Tidemark, info: ConversationInfo) => {
  const newest = { conversation: info.id, order: "latest", limit: 1 } as const;
  return { ...info, last: (await internalsFor(view, "api").ended(newest))[0] };
};

/** A fold stands for messages: there is no such fold where there are none. */
const behind = async ({ history }: Tidemark, fold: string) =>
  (await history.read({ fold })).messages;

/** Messages, each with what is known of its place, and their texts to `most` characters. */
const said = (messages: readonly Message[], places: readonly object[] = [], most = Infinity) =>
  messages.map((message, at) => {
    let left = 0;
    const short = JSON.stringify(message, (_, value: unknown) => {
      if (typeof value !== "string") return value;
      const cut = head(value, most);
      left += value.length - cut.length;
      return cut;
    });
    const shown = left > 0 ? { message: dictIn(short), left } : { message };
    return { position: at, role: message.role, ...places[at], ...shown };
  });

export const HISTORY: readonly ApiCall[] = [
  [
    "GET /conversations",
    "The latest first, each with its newest turn",
    "limit after",
    async (view, page) => {
      const { limit = 100, after: seen } = page;
      // One more says whether there are others; behind a cursor all are looked through.
      const first = seen === undefined ? { limit: limit + 1 } : {};
      const { items, after } = paged(await view.history.list(first), page);
      return { items: await Promise.all(items.map((info) => withLast(view, info))), after };
    },
  ],
  [
    "GET /conversations/:id",
    "One, with its newest turn",
    "",
    async (view, { id }) => {
      const info = await conversation(view, id);
      return info && withLast(view, info);
    },
  ],
  [
    "GET /conversations/:id/messages",
    "Word for word, behind folds too; cut: of each text so many characters",
    "from limit cut",
    async (view, { id, from = 0, limit = 100, cut }) => {
      const info = await conversation(view, id);
      if (info === undefined) return undefined;
      const of = { conversation: info.id };
      const { messages, places } = await view.history.read({ ...of, from, limit });
      const folds = await view.history.folds(of);
      return { items: said(messages, places, cut), total: info.messages, folds };
    },
  ],
  [
    "GET /conversations/:id/turns",
    "Each turn: what it held, took and was told",
    "limit after",
    async (view, { id, limit = 100, after }) => {
      const info = await conversation(view, id);
      const items = info && (await view.history.turns(info.id, { limit, after }));
      return items && { items, after: items.length < limit ? undefined : items.at(-1)?.id };
    },
  ],
  [
    "DELETE /conversations/:id",
    "Deletes it for good, from backups too",
    "",
    ({ history }, { id }) => history.forget({ conversation: id }),
  ],
  [
    "POST /conversations/:id/fold",
    "Folds it now; the next call sends that",
    "",
    (view, { id }) => view.fold({ conversation: id }),
  ],
  [
    "GET /folds",
    "The latest first",
    "conversation limit after",
    ({ history }, { conversation: of }) => history.folds({ conversation: of }),
  ],
  ["GET /folds/:id", "What it kept, dropped and remembered", "", "history.diff id"],
  [
    "GET /folds/:id/messages",
    "What it stands for, word for word",
    "",
    async (view, { id }) => {
      const messages = await behind(view, id);
      return messages.length > 0 && said(messages);
    },
  ],
  [
    "POST /folds/:id/undo",
    "Brings its messages back",
    "",
    async (view, { id }) => {
      const done = await view.history.undo(id);
      if (done === undefined && (await behind(view, id)).length > 0)
        refuse("This fold was undone before: its messages are back already.", "conflict");
      return done;
    },
  ],
  ["GET /pins", "Texts that stand in every fold", "conversation", "pins *"],
  [
    "POST /pins",
    "Pins a text",
    "text! conversation",
    async (view, { text, ...of }) => ({ id: await view.pin(text, of) }),
  ],
  ["DELETE /pins/:id", "Takes a pin off", "", "unpin id"],
];
