import { serveStatic } from "@hono/node-server/serve-static";
import { Hono } from "hono";
import { setCookie } from "hono/cookie";
import { asDict, asText, lru } from "../../core/base.ts";
import { refusedBy } from "./answer.ts";
import { BASE, createApi, type Home, limited, safely } from "./api.ts";
import { Refusal } from "./route.ts";
import { drawn, type Grant } from "./tokens.ts";

interface Site {
  readonly home: Home;
  /** The page's files. */
  readonly folder: string;
  /** Says whom a secret names; it is asked anew with each call. */
  readonly known: (secret: string) => Promise<Grant | undefined>;
  /** A secret is exchanged for a cookie once, and is worth nothing else. */
  readonly once?: boolean | undefined;
}

const SESSIONS = 1_000;

/** The API, and the page that asks it. */
export function createSite({ home, folder, known, once = false }: Site) {
  /** The secret behind each cookie. */
  const sessions = lru<string, string>(SESSIONS);
  const used = new Set<string>();
  const grantOf = async (request: Request): Promise<Grant | undefined> => {
    const [, token] = /^Bearer (\S+)$/i.exec(request.headers.get("authorization") ?? "") ?? [];
    const cookie = new RegExp(`${cookieOf(request)}=([\\w-]+)`);
    const [, session = ""] = cookie.exec(request.headers.get("cookie") ?? "") ?? [];
    const secret = sessions.get(session) ?? (once ? undefined : token);
    return secret === undefined ? undefined : known(secret);
  };
  const api = createApi(home, {
    identify: async (request) => (await grantOf(request))?.identity,
    rights: async (request) => (await grantOf(request)) ?? {},
  });

  const app = new Hono().onError(refusedBy);
  app.all(`${BASE}/*`, (c) => api(c.req.raw));
  app.use(safely);
  app.post("/session", limited, async (c) => {
    const secret = asText(asDict(await c.req.json().catch(() => undefined)).secret);
    if (used.has(secret) || !(await known(secret)))
      throw new Refusal("unauthorized", "This secret is not known here, or was used before.");
    if (once) used.add(secret);
    const cookie = drawn();
    sessions.set(cookie, secret);
    const name = cookieOf(c.req.raw);
    setCookie(c, name, cookie, { httpOnly: true, sameSite: "Strict" });
    const headers = { cookie: `${name}=${cookie}` };
    const me = await api(new Request(new URL(`${BASE}/whoami`, c.req.url), { headers }));
    return c.json(await me.json(), me.ok ? 200 : 503);
  });
  app.get("*", serveStatic({ root: folder }));
  const view = serveStatic({ root: folder, path: "index.html" });
  // Each address without a dot is a view.
  app.get("*", async (c, next) => (c.req.path.includes(".") ? next() : view(c, next)));
  app.notFound(() => refusedBy(new Refusal("not-found", "There is no such page here.")));
  return async (request: Request): Promise<Response> => app.fetch(request);
}

/** Cookies know no port, and two servers may run side by side. */
const cookieOf = ({ url }: Request): string => `tidemark-${new URL(url).port}`;
