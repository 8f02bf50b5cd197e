import { api, type ApiOptions } from "../../src/adapters/http.ts";
import { type Identity, openTidemark, type Options } from "../../src/index.ts";
import { afterwards, freshFolder } from "./afterwards.ts";
import { asReply, assistant, requestOf, user } from "./talk.ts";

export interface Answer {
  readonly status: number;
  // Tests look at what came.
  // eslint-disable-next-line @typescript-eslint/no-explicit-any
  readonly body: any;
  readonly tag: string;
  readonly headers: Headers;
}
export type Ask = (
  place: string,
  body?: unknown,
  headers?: Record<string, string>,
) => Promise<Answer>;

/** "POST /memories" through a handler, as the user whose token is their name. */
export const asking =
  (handle: (request: Request) => Promise<Response>, token = "ada"): Ask =>
  async (place, body, headers = {}) => {
    const [method = "", path = ""] = place.split(" ");
    const response = await handle(
      new Request(`http://127.0.0.1${path.startsWith("/api") ? "" : "/api/v1"}${path}`, {
        method,
        headers: { authorization: `Bearer ${token}`, ...headers },
        ...(body !== undefined && { body: typeof body === "string" ? body : JSON.stringify(body) }),
      }),
    );
    const text = await response.text();
    const isJson = response.headers.get("content-type")?.startsWith("application/json") === true;
    return {
      status: response.status,
      body: isJson ? JSON.parse(text) : text,
      tag: response.headers.get("etag") ?? "",
      headers: response.headers,
    };
  };

const tokenOf = ({ headers }: Request): string =>
  /^Bearer (.+)$/.exec(headers.get("authorization") ?? "")?.[1] ?? "";
const KNOWN: Readonly<Record<string, Identity>> = {
  ada: { user: "ada" },
  bob: { user: "bob" },
  reader: { user: "ada" },
  boss: { user: "ada", role: "human" },
};
export const CALLERS: ApiOptions = {
  identify: (request) => KNOWN[tokenOf(request)],
  rights: (request) => ({
    write: tokenOf(request) !== "reader",
    host: tokenOf(request) === "boss",
  }),
};

/** An open workspace with the API over it. */
export async function openApi(options: Options = {}) {
  const tidemark = await openTidemark({
    ...{ workspace: freshFolder(), listen: false, distil: "extractive", ...options },
  });
  afterwards(() => tidemark.close());
  const handle = api(tidemark, CALLERS);
  return { tidemark, handle, ask: asking(handle), as: (token: string) => asking(handle, token) };
}

type Talker = Awaited<ReturnType<typeof openApi>>["tidemark"];

/** A turn of a conversation for each text that the user says. */
export async function talk(tidemark: Talker, conversation: string, ...said: string[]) {
  const messages = [];
  for (const text of said) {
    messages.push(user(text));
    const turn = await tidemark.begin(requestOf([...messages]), { conversation });
    messages.push(assistant(`So be it: ${text}`));
    await turn.end(asReply(assistant(`So be it: ${text}`)));
  }
}
