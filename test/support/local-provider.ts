import type { ApiRequest } from "../../src/adapters/anthropic.ts";
import { distilAsk, distilReply } from "./messages-server/distil-replies.ts";
import { messageOf } from "./messages-server/message.ts";
import { refusalOf } from "./messages-server/refusals.ts";
import { finish, type Reply } from "./messages-server/replies.ts";
import { createSigner } from "./messages-server/signatures.ts";
import { eventsOf } from "./messages-server/sse.ts";
import {
  type Json,
  modelInfo,
  type ModelOptions,
  type Refusal,
  requestTokens,
} from "./messages-server/index.ts";

export interface LocalProvider {
  /** Answers a request as the API would, in this process: for runs of many thousands. */
  readonly answer: (request: ApiRequest) => Promise<Response>;
  readonly refusals: readonly (Refusal & { readonly body: Json })[];
  readonly counted: {
    calls: number;
    distillings: number;
    thoughts: number;
  };
}

interface Options {
  readonly window: number;
  readonly reply: (request: Json) => Reply;
  /** Default: as the strict server does it. */
  readonly distil?: (request: Json, ask: string) => Reply;
  readonly models?: Readonly<Record<string, ModelOptions>>;
}

const refused = ({ status, type, message, code }: Refusal): Response =>
  Response.json(
    {
      type: "error",
      error: { type, message, ...(code === undefined ? {} : { details: { error_code: code } }) },
    },
    { status },
  );

const NONE = { write5m: 0, write1h: 0, read: 0 };

/** The strict server's rules without its line. */
export function localProvider({
  window,
  reply,
  models = {},
  distil = (request, ask) => distilReply(request, ask, "well"),
}: Options): LocalProvider {
  const signer = createSigner("a provider's secret");
  const refusals: (Refusal & { body: Json })[] = [];
  const counted = { calls: 0, distillings: 0, thoughts: 0 };
  let index = 0;

  const answer = async (request: ApiRequest): Promise<Response> => {
    if (request.method !== "POST")
      return refused({ status: 404, type: "not_found_error", message: "Not found" });
    const body = JSON.parse(String(request.body)) as Json;
    const betas = (request.headers.get("anthropic-beta") ?? "")
      .split(",")
      .map((beta) => beta.trim())
      .filter((beta) => beta !== "");
    const info = modelInfo(String(body.model), {
      max_input_tokens: window,
      ...models[String(body.model)],
    });
    const refusal = refusalOf(body, info, { betas, signer, reusedIds: true });
    if (refusal !== undefined) {
      refusals.push({ ...refusal, body });
      return refused(refusal);
    }
    const ask = distilAsk(body);
    counted[ask === undefined ? "calls" : "distillings"]++;
    if (ask === undefined)
      counted.thoughts += JSON.stringify(body.messages).split('"signature"').length - 1;
    const done = finish(ask === undefined ? reply(body) : distil(body, ask), {
      request: body,
      info,
      signer,
      index: index++,
    });
    const message = messageOf(
      body,
      done,
      { ...NONE, input: requestTokens(body) },
      { id: `msg_${index}`, beta: betas.length > 0 },
    );
    if (body.stream !== true) return Response.json(message);
    const events = [...eventsOf(message)].map(
      (event) => `event: ${String(event.type)}\ndata: ${JSON.stringify(event)}\n\n`,
    );
    return new Response(events.join(""), {
      headers: { "content-type": "text/event-stream; charset=utf-8" },
    });
  };
  return { answer, refusals, counted };
}
