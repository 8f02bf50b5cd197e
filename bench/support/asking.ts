// What `begin` puts beside a message, asked of a memory that was imported or lived through.
import { openTidemark, type Tidemark } from "../../src/index.ts";
import { oneLine } from "../../src/core/text/cut.ts";
import { stopwatch } from "./own-time.ts";
import { importConversation, type Conversation, type Turn } from "./locomo.ts";

const MODEL = "claude-sonnet-5-5";
export const WAYS = ["imported", "lived"] as const;
export type Way = (typeof WAYS)[number];

interface Spoken {
  readonly role: string;
  readonly content: string;
}

/** Turns as the messages of one chat: what one side said twice in a row is one message, and the user begins. */
function messagesOf(turns: readonly Turn[]): Spoken[] {
  const messages: Spoken[] = [];
  for (const { role, text } of turns) {
    const last = messages.at(-1);
    if (last?.role === role)
      messages[messages.length - 1] = { role, content: `${last.content}\n${text}` };
    else messages.push({ role, content: text });
  }
  return messages[0]?.role === "assistant"
    ? [{ role: "user", content: "Hello!" }, ...messages]
    : messages;
}

/** A workspace in memory that recalls for turns, and the clock it goes by. */
export async function openRecalling(tokens: number) {
  const clock = { now: Date.UTC(2023, 0, 1) };
  const tidemark = await openTidemark({
    workspace: false,
    distil: "extractive",
    embed: false,
    recall: { tokens },
    window: { tokens: 1_000_000, patience: 60_000 },
    now: () => clock.now,
  });
  return { tidemark, clock };
}

type Room = Awaited<ReturnType<typeof openRecalling>>;

const chat = (tidemark: Tidemark, messages: readonly Spoken[], conversation: string) =>
  tidemark.begin(
    { model: MODEL, max_tokens: 1_000, messages: [...messages] },
    { conversation, format: "anthropic" },
  );

/** Each session as a chat through `begin` and `end`, as it was had. */
export async function live({ tidemark, clock }: Room, { id, turns }: Conversation): Promise<void> {
  for (const session of new Set(turns.map((turn) => turn.session))) {
    const own = turns.filter((turn) => turn.session === session);
    clock.now = own[0]?.at ?? clock.now;
    const messages = messagesOf(own);
    for (const [at, { role, content }] of messages.entries()) {
      if (role !== "assistant") continue;
      const turn = await chat(tidemark, messages.slice(0, at), `${id}/${session}`);
      await turn.end({
        role,
        content: [{ type: "text", text: content }],
        usage: { input_tokens: turn.window.used, output_tokens: 50 },
      });
    }
    await tidemark.idle();
  }
  clock.now += 86_400_000;
}

/** Tokens of all that stands beside the messages of one chat when the last of them is asked; each is answered. */
export async function grow({ tidemark }: Room, texts: readonly string[]): Promise<number> {
  const messages: Spoken[] = [];
  let brought = 0;
  for (const content of texts) {
    messages.push({ role: "user", content });
    const turn = await chat(tidemark, messages, "grown");
    brought += turn.injected.find(({ section }) => section === "recall")?.tokens ?? 0;
    messages.push({ role: "assistant", content: "I see." });
    await turn.end({
      role: "assistant",
      content: [{ type: "text", text: "I see." }],
      usage: { input_tokens: turn.window.used, output_tokens: 5 },
    });
  }
  return brought;
}

export const fill = (room: Room, conversation: Conversation, way: Way): Promise<void> =>
  way === "lived" ? live(room, conversation) : importConversation(room.tidemark, conversation);

const textsIn = (value: unknown): string => {
  if (typeof value === "string") return value;
  return typeof value === "object" && value !== null
    ? Object.values(value).map(textsIn).join("\n")
    : "";
};

/** The request for a message that begins a chat of its own, as one text; what was brought beside it, as text and in tokens; and its own time, without what the thread waited for a processor. */
export async function ask({ tidemark }: Room, text: string) {
  const conversation = "asked";
  const stop = stopwatch();
  const turn = await chat(tidemark, [{ role: "user", content: text }], conversation);
  const { own: ms } = stop();
  const brought = turn.injected.find(({ section }) => section === "recall")?.tokens ?? 0;
  await tidemark.idle();
  await tidemark.history.forget({ conversation });
  const request = oneLine(textsIn(turn.request));
  return { request, recalled: request.split("<tidemark-recall>")[1] ?? "", brought, ms };
}
