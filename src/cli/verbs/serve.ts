import { serveLoopback } from "../../adapters/http/serve-loopback.ts";
import { packageFile } from "../../core/installed.ts";
import { Failure, type Given, UsageError, type Verb, type VerbAnswer } from "../input/flags.ts";
import { watching, withWorkspace } from "../input/workspace-of-verb.ts";
import { type Io, json, plain } from "../render/layout.ts";
import { portOf, untilTold } from "./mcp.ts";

const PORT = 4710;
const PORTS = { takes: "N", says: "the port to listen on; 0: a free one" };
const WRITE = { says: "let callers change what is there (default: read only)" };

const loadTokens = () => import("../../adapters/http-api/tokens.ts");

/** Serves until the process is told to end. A secret is made where there is no token. */
async function served(given: Given, io: Io, isPage = false): Promise<VerbAnswer> {
  // These verbs alone load what they need.
  const { createSite } = await import("../../adapters/http-api/site.ts");
  const { digestOf, drawn, tokensOf } = await loadTokens();
  const [port, host] = [portOf(given) ?? (isPage ? 0 : PORT), given.text("host")];
  await watching(given, io, async (home) => {
    const tokens = tokensOf(await home(false));
    const byToken = !isPage && (await tokens.list()).length > 0;
    if (host !== undefined && !byToken)
      throw new Failure(
        `--host ${host} can be reached by others, and there is no token yet: "tidemark token ` +
          'add NAME" makes one.',
      );
    const secret = byToken ? undefined : drawn();
    const write = given.on("write");
    const mine = { identity: { ...given.identity, role: "human" as const }, write, host: true };
    const known = async (told: string) => {
      if (secret !== undefined) return digestOf(told) === digestOf(secret) ? mine : undefined;
      // Another process may have revoked it: no answer is kept.
      const grant = await tokens.grantOf(told);
      return grant && { ...grant, write: write && grant.write };
    };
    const site = createSite({ home, folder: packageFile("dist/page"), known, once: isPage });
    const { url, close } = await serveLoopback(site, { port, host, isSite: true });
    if (isPage) io.say(given.on("json") ? json({ url: `${url}/#${secret}` }) : `${url}/#${secret}`);
    else io.warn(`tidemark: HTTP at ${url}/api/v1, the page at ${url}/`);
    if (!isPage && !byToken)
      io.warn(`tidemark: callers send the header "Authorization: Bearer ${secret}"`);
    await untilTold();
    await close();
  });
  return { found: undefined };
}

export const serve: Verb = {
  says: "memory over HTTP: an API under /api/v1, and the page that shows it",
  flags: {
    port: { ...PORTS, says: `${PORTS.says} (default ${PORT})` },
    host: { takes: "ADDR", says: "an address of this machine; needs a token (default 127.0.0.1)" },
    write: WRITE,
  },
  examples: ["tidemark serve", "tidemark serve --host 0.0.0.0 --write"],
  run: (given, io) => served(given, io),
};

export const inspect: Verb = {
  says: "a page that shows what is remembered, told and folded",
  flags: { port: PORTS, write: WRITE },
  examples: ["tidemark inspect", "tidemark inspect --user ada --write"],
  run: (given, io) => served(given, io, true),
};

export const token: Verb = {
  says: "who may ask over HTTP",
  takes: "add NAME | list | revoke NAME",
  words: "any",
  flags: {
    "read-only": { says: "it changes nothing" },
    host: { says: "it asks for other users, and decides on proposals" },
  },
  examples: ["tidemark token add ci --user ada --read-only", "tidemark token revoke ci"],
  async run(given, io) {
    const [, what, name = ""] = /^(add(?= )|list$|revoke(?= )) ?(\S*)$/.exec(given.line) ?? [];
    if (what === undefined)
      throw new UsageError(`token takes ${token.takes}: tidemark token add ci --user ada`);
    const { tokensOf } = await loadTokens();
    return withWorkspace(given, io, async (tidemark) => {
      const tokens = tokensOf(tidemark);
      if (what === "list") {
        const found = await tokens.list();
        const lines = found.map((one) => plain(json(one)));
        return { found, lines: found.length === 0 ? ["There is no token yet."] : lines };
      }
      if (what === "add") {
        const host = given.on("host");
        const identity = { ...given.identity, ...(host && { role: "human" as const }) };
        const made = await tokens.add(name, { identity, write: !given.on("read-only"), host });
        return { found: { name, token: made }, lines: ["The token, told this once:", made] };
      }
      if (!(await tokens.revoke(name)))
        throw new Failure(`there is no token "${name}"; "tidemark token list" lists them.`);
      return { found: { revoked: name }, lines: [`${plain(name)} is revoked.`] };
    });
  },
};
