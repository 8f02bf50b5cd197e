import { defined, isDict, parsed } from "../../base/guards.ts";
import { anthropic } from "../../dialect/anthropic/anthropic.ts";
import { reasonOf } from "../../model/errors.ts";
import { brokenAnswer, refusedCall } from "../../engine/runtime/tracing.ts";

type Answer = NonNullable<ReturnType<typeof anthropic.reply>>;

/** The provider's answer to a call of ours. An error says what the call cost: nothing, or the request and as much of the answer as came. */
export async function answerOf(
  response: Response,
  reason: (answer: unknown, status: number) => string,
): Promise<Answer> {
  if (!response.ok)
    throw refusedCall(
      reason(await response.json().catch(() => undefined), response.status),
      response.status,
    );
  const raw = await wholeOf(response);
  const answer = parsed(raw);
  const reply = isDict(answer) && answer.type !== "error" ? anthropic.reply(answer) : undefined;
  if (reply) return reply;
  const usage = isDict(answer)
    ? anthropic.reply({ reply: { content: "" }, usage: answer.usage })?.usage
    : undefined;
  throw brokenAnswer("the provider's answer is not a message", {
    text: writtenIn(raw),
    ...defined({ usage }),
  });
}

async function wholeOf(response: Response): Promise<string> {
  if (response.body === null) return "";
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
  let text = "";
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return text;
      text += value;
    }
  } catch (thrown) {
    throw brokenAnswer(
      `the provider's answer broke off: ${reasonOf(thrown)}`,
      { text: writtenIn(text) },
      thrown,
    );
  }
}

/** What the model wrote, in an answer that may end anywhere: all else in it is not paid for. */
const writtenIn = (raw: string): string => /"content"\s*:\s*([[{"][\s\S]*)/.exec(raw)?.[1] ?? "";
