import { asText, defined, dicts } from "../../base/guards.ts";
import type { Dialect } from "../common/dialect.ts";
import { itemsOf } from "../common/reading.ts";

/**
 * Bedrock and Vertex name models so, and take no system message among the others (SDK 1.11,
 * `SystemMessageParam`).
 */
const ELSEWHERE = /(?:^|[./])anthropic\.|@/;

export const recallPlacement: Dialect["recall"] = {
  aside: {
    best(request, { can, sends }) {
      if (!can.midConversationSystem || ELSEWHERE.test(asText(request.model).toLowerCase()))
        return "text";
      // A tool's result is the user's message too: in a loop such a one would be gone after the
      // first step.
      const loops = dicts(request.tools).length > 0;
      return can.clearAt !== undefined && sends(can.clearAt) && !loops ? "cleared" : "system";
    },
    message: (text, as) => ({
      role: "system",
      content: text,
      ...defined({ clear_at: as === "cleared" ? "next_user_message" : undefined }),
    }),
    // The assistant must answer it.
    mayPrecede: (next) => next === undefined || next.role === "assistant",
  },
  withText: (message, text) => ({
    ...message,
    content: [...itemsOf(message.content), { type: "text", text }],
  }),
};
