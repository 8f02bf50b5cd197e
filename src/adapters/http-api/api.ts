import { type Context, Hono, type MiddlewareHandler } from "hono";
import { bodyLimit } from "hono/body-limit";
import { dictIn, type Dict, lru } from "../../core/base.ts";
import { refuse } from "../../core/errors-and-events.ts";
import { type Identity, identityKey } from "../../core/identity.ts";
import { check } from "../../core/schema.ts";
import { internalsFor } from "../../session/options/internals.ts";
import type { Task, Tidemark } from "../../session/options/tidemark-api.ts";
import { answered, refusedBy } from "./answer.ts";
import { type Changes, eventStream } from "./events.ts";
import { HISTORY, MEMORIES } from "./memory-routes.ts";
import { meant, openApi, type ApiRoute, routeOf } from "./openapi.ts";
import { OTHERS, PAGES } from "./page-routes.ts";
import { answerOf, type ApiAsked, paged, Refusal, type Rights } from "./route.ts";

export const BASE = "/api/v1";
/** Bytes of a body. */
const LARGEST = 1_000_000;
/** Tasks under way that are remembered. */
const TASKS = 10_000;

interface Callers {
  identify(request: Request): Identity | undefined | Promise<Identity | undefined>;
  rights?(request: Request): Rights | Promise<Rights>;
}

/** The workspace to answer from; `acts`: to change something in. */
export type Home = (acts: boolean) => Tidemark | Promise<Tidemark>;

/** No script of another place, and none that stands in a page. */
const HEADERS = {
  "content-security-policy":
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; " +
    "img-src 'self' data:; base-uri 'none'; frame-ancestors 'none'; form-action 'none'",
  "x-content-type-options": "nosniff",
  "referrer-policy": "no-referrer",
  "cache-control": "no-store",
};
export const safely: MiddlewareHandler = async (c, next) => {
  await next();
  for (const [name, value] of Object.entries(HEADERS)) c.res.headers.set(name, value);
};
export const limited = bodyLimit({
  maxSize: LARGEST,
  onError: () => refusedBy(new Refusal("too-large", `A body has ${LARGEST} bytes at most.`)),
});

export function createApi(home: Home, callers: Callers): (request: Request) => Promise<Response> {
  const asking = createAsking(home, callers);
  const changes: Changes = { count: 0, looks: new WeakMap() };
  const routes = [MEMORIES, HISTORY, PAGES, OTHERS].flat().map(routeOf);
  const app = new Hono().basePath(BASE).onError(refusedBy);
  app.use(safely);
  app.get("/openapi.json", (c) => c.json(openApi(BASE, routes)));
  app.get("/events", async (c) => {
    const asked = await asking(c, { method: "GET", needs: "read" });
    const isKnown = async () => (await callers.identify(c.req.raw)) !== undefined;
    return eventStream(c, { asked, changes, isKnown });
  });
  for (const route of routes)
    app.on(route.method, route.path.replace("+", "{.+}"), limited, async (c) => {
      const asked = await asking(c, route);
      const input = await inputOf(c, route);
      const { answer } = route;
      const found = await (typeof answer === "string"
        ? answerOf(asked, input, answer)
        : answer(asked.tidemark, input as never, asked));
      if (route.needs !== "read") changes.count += 1;
      const isMade =
        route.needs === "write" && /^POST \/\w+$/.test(`${route.method} ${route.path}`);
      // A list that is not asked for by pages goes out whole.
      const page = "after" in (route.form.properties ?? {}) ? input : { limit: Infinity };
      return answered(Array.isArray(found) ? paged(found, page) : found, isMade ? 201 : 200);
    });
  app.notFound(() =>
    refusedBy(new Refusal("not-found", `There is no such call: see ${BASE}/openapi.json.`)),
  );
  return async (request) => app.fetch(request);
}

/** Finds out who asks, and refuses what that one may not. */
function createAsking(home: Home, callers: Callers) {
  const tasks = lru<string, Task>(TASKS);
  return async (
    c: Context,
    { method, needs }: Pick<ApiRoute, "method" | "needs">,
  ): Promise<ApiAsked> => {
    const named = await callers.identify(c.req.raw);
    if (named === undefined)
      throw new Refusal("unauthorized", "This needs a token that is known here.");
    const { write = true, host = false } = (await callers.rights?.(c.req.raw)) ?? {};
    const acts = needs === "write" || (needs === "host" && method !== "GET");
    if ((acts && !write) || (needs === "host" && !host))
      throw new Refusal("forbidden", `This needs the right to ${acts ? "write" : "see all"}.`);
    const tidemark = (await home(acts)).as(host ? named : { ...named, role: named.role ?? "user" });
    // An opened workspace may name more of it.
    const { identity } = internalsFor(tidemark, "api");
    return {
      ...{ tidemark, identity, rights: { write, host }, tasks, root: identityKey(identity) },
      ifMatch: c.req.header("if-match")?.replace(/^(?:W\/)?"(.*)"$/, "$1"),
    };
  };
}

/** Takes path, query and body for one input, and checks it. */
async function inputOf(
  c: Context,
  { method, path, input, form, takesBody }: ApiRoute,
): Promise<Dict> {
  const text = takesBody ? await c.req.text() : "";
  const body = text === "" ? {} : dictIn(text);
  if (body === undefined) refuse("The body must be a JSON object.");
  const query = Object.entries(c.req.query()).map(([name, word]) => [
    name,
    meant(word, form.properties?.[name]),
  ]);
  const given = { ...body, ...Object.fromEntries(query) };
  check(input, given, `${method} ${path}`);
  return { ...given, ...c.req.param() };
}
