import { refusalOf } from "../../adapters/http/calls.ts";
import type { Fetch } from "../../adapters/http/fetch.ts";
import { asDict, asText, lru } from "../../core/base.ts";
import { isTidemarkError, reasonOf, refuse, telling } from "../../core/errors-and-events.ts";
import { overflowOf } from "../../providers/usage-and-overflow.ts";
import { internalsFor } from "../../session/options/internals.ts";
import type { Tidemark } from "../../session/options/tidemark-api.ts";
import { APIS, type ProxiedApi, textOf } from "./apis.ts";
import { sending } from "./upstream.ts";

/** What programs are told, so that they call the proxy in place of the providers. */
export const addressesBelow = (url: string): Record<string, string> =>
  Object.fromEntries(
    APIS.flatMap(({ mount, names }) => names.map((name) => [name, `${url}${mount}`])),
  );

/** The proxy's own address, where a person has set it before the proxy was started. */
const isOwn = ({ hostname, port }: URL, own: number): boolean =>
  /^(?:127\.0\.0\.1|localhost)$/.test(hostname) && Number(port) === own;

/**
 * Where a provider's calls go on to: what the environment names, else the provider itself. Throws
 * "config" for what leads nowhere.
 */
function upstreamOf({ names, address }: ProxiedApi, env: NodeJS.ProcessEnv, own: number): string {
  const name = names.find((one) => env[one]) ?? "";
  const given = env[name] ?? address;
  const url = URL.parse(given);
  if (!/^https?:$/.test(url?.protocol ?? ""))
    refuse(`${name} must be an address such as ${address}, got "${given}".`);
  if (url && isOwn(url, own)) refuse(`${name} leads to this proxy itself: unset it to start one.`);
  return given.replace(/\/+$/, "");
}

/** Headers by which a program names its conversation: Claude Code's; Codex's, new and old. */
const SESSION_HEADERS = ["x-claude-code-session-id", "thread-id", "session-id", "session_id"];
/** Conversations whose ways are kept. */
const SESSIONS = 64;

interface ProxyOptions {
  readonly env: NodeJS.ProcessEnv;
  readonly port?: number | undefined;
  readonly below?: string;
}

/** One conversation's way to a provider and back. */
interface Way {
  readonly speaker: Tidemark;
  readonly send: Fetch;
}

/**
 * Answers the calls of any program as its providers would, conversations by way of Tidemark and all
 * else untouched. The key of a call passes with it and is kept nowhere. No key of the proxy's own
 * is asked for, which programs could not give: the server it stands behind lets in this machine
 * alone, and no page of a browser from elsewhere; `below` may be a path that others cannot know.
 */
export function createProxy(
  tidemark: Tidemark,
  { env, port = 0, below = "" }: ProxyOptions,
): (request: Request) => Promise<Response> {
  const home = internalsFor(tidemark, "the proxy");
  const send = sending(env);
  const routes = APIS.map((api) => {
    const upstream = upstreamOf(api, env, port);
    const ways = lru<string, Way>(SESSIONS);
    return { api, upstream, start: below + api.mount, out: reaching(api, upstream, send), ways };
  });

  return async (request) => {
    const { method, signal, body } = request;
    const { pathname, search } = new URL(request.url);
    const route = routes.find(({ start }) => pathname.startsWith(`${start}/`));
    if (route === undefined) return new Response(NOWHERE, { status: 404 });
    const { api, upstream, start, out, ways } = route;
    const path = pathname.slice(start.length);
    const url = `${upstream}${path}${search}`;
    const headers = new Headers(request.headers);
    const isRead = method === "POST" && api.reads.test(path);
    if (isRead) home.sawCall();
    if (!isRead || home.off) return out(url, { method, headers, signal, body });
    // What is read along must come as it is.
    headers.set("accept-encoding", "identity");
    const init = { method, headers, signal, body: new Uint8Array(await request.arrayBuffer()) };
    const session = SESSION_HEADERS.map((name) => headers.get(name)).find(Boolean) ?? "";
    let way = ways.get(session);
    if (way === undefined) {
      const speaker = session === "" ? tidemark : tidemark.as({ conversation: session });
      way = { speaker, send: api.through(speaker, out) };
      ways.set(session, way);
    }
    const text = textOf(init.body);
    const summarised = api.summarised(path, text);
    if (summarised !== undefined) {
      // It is no turn: what is not remembered yet is, beside the call. A history that only fits
      // folded goes as a turn would.
      way.speaker.fold({ request: summarised }).catch(telling(home.emit, "fold"));
      const passed = await out(url, init);
      if (!overflowOf(await refusalOf(passed))) return passed;
    }
    return way.send(url, init).catch((thrown: unknown) => {
      if (!isTidemarkError(thrown)) throw thrown;
      const { code, message } = thrown;
      return refused(api, 400, code === "window" ? `prompt is too long: ${message}` : message);
    });
  };
}

const NOWHERE = `Calls go below ${APIS.map(({ mount }) => mount).join(" or ")}.\n`;

const refused = (api: ProxiedApi, status: 400 | 502, message: string): Response =>
  Response.json(api.error(status, message), { status });

/** Sends to a provider; one that is away is told of in its own form, and asked again by clients. */
const reaching =
  (api: ProxiedApi, upstream: string, send: Fetch): Fetch =>
  async (url, init) => {
    try {
      return await send(url, init);
    } catch (thrown) {
      if (init?.signal?.aborted) throw thrown;
      const { host } = new URL(upstream);
      const reason = asText(asDict(thrown).code) || reasonOf(thrown);
      return refused(api, 502, `tidemark: ${host} could not be reached (${reason}).`);
    }
  };
