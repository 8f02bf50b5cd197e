import { type Block, invalid, type Json, type Refusal } from "./wire.ts";

const BETA = "message-threads-2026-08-12";
/** Settled with a thread's first request. */
const CREATE_ONLY = ["system", "tools"] as const;

/** Conversations the server holds, each by the id of its last reply, as the beta of message threads does. */
export function createThreads() {
  const held = new Map<string, Json>();
  return {
    /** The request with all that it stands for; a refusal where there is no such thread. */
    whole(body: Json, betas: readonly string[]): { body: Json } | { refusal: Refusal } {
      const { thread, ...rest } = body as Json & {
        thread?: { type?: unknown; previous_message_id?: unknown };
      };
      if (thread === undefined || thread === null) return { body };
      if (!betas.includes(BETA))
        return { refusal: invalid("thread: Extra inputs are not permitted") };
      if (thread.type === "create") return { body: rest };
      const before =
        thread.type === "continue" ? held.get(String(thread.previous_message_id)) : undefined;
      if (before === undefined)
        return {
          refusal: {
            status: 404,
            type: "not_found_error",
            message: "thread: no message with this id starts a thread",
          },
        };
      const fixed = CREATE_ONLY.find((name) => rest[name] !== undefined);
      if (fixed !== undefined)
        return { refusal: invalid(`${fixed}: cannot change on a message thread`) };
      const settled = Object.fromEntries(
        CREATE_ONLY.flatMap((name) => (before[name] === undefined ? [] : [[name, before[name]]])),
      );
      return {
        body: {
          ...rest,
          ...settled,
          messages: [...(before.messages as Block[]), ...(rest.messages as Block[])],
        },
      };
    },
    answered(asked: Json, whole: Json, reply: Json): void {
      if (asked.thread === undefined || asked.thread === null) return;
      held.set(String(reply.id), {
        ...whole,
        messages: [
          ...(whole.messages as Block[]),
          { role: "assistant", content: reply.content } as unknown as Block,
        ],
      });
    },
  };
}
