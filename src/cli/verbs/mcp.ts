import { createHash, randomBytes, timingSafeEqual } from "node:crypto";
import { serveLoopback } from "../../adapters/http/serve-loopback.ts";
import { asDict } from "../../core/base.ts";
import { Failure, type Given, type Verb } from "../input/flags.ts";
import { withWorkspace } from "../input/workspace-of-verb.ts";
import { type Io, plain } from "../render/layout.ts";

const TOKEN = "TIDEMARK_MCP_TOKEN";
const MOST_PORT = 65_535;

/** Standard output is the protocol's: all that is said to a person goes to standard error. */
export const mcp: Verb = {
  says: "memory for agents that speak MCP, over standard input and output or HTTP",
  flags: {
    port: { takes: "N", says: "over HTTP on this port of 127.0.0.1; 0: a free one" },
    "no-token": { says: `over HTTP without a token (default: ${TOKEN}, or one that is made)` },
    "read-only": { says: "offer only what changes nothing" },
  },
  examples: ["tidemark mcp", "tidemark mcp --user ada --read-only", "tidemark mcp --port 4700"],
  async run(given, io) {
    const port = portOf(given);
    const readOnly = given.on("read-only");
    const { createServer, handler, stdio } = await loadServer();
    await withWorkspace(
      given,
      io,
      async (tidemark) => {
        const factory = () => createServer(tidemark, { readOnly });
        const onerror = ({ message }: Error): void => io.warn(`tidemark: ${plain(message)}`);
        if (port === undefined) {
          const served = stdio(factory, { onerror });
          if (process.stdin.isTTY) io.warn("tidemark: a client is awaited here; Ctrl-C ends this.");
          await untilTold(process.stdin);
          return served.close();
        }
        const { fetch, close } = handler(factory, { onerror });
        const token = given.on("no-token") ? undefined : tokenFor(io);
        const server = await serveLoopback(guarded(fetch, token), { port });
        io.warn(`tidemark: MCP over HTTP at ${server.url}${PATH}`);
        await untilTold();
        await close();
        return server.close();
      },
      readOnly ? {} : { makes: "any" },
    );
    return { found: undefined };
  },
};

export const portOf = ({ read }: Given): number | undefined =>
  read("port", `a port from 0 to ${MOST_PORT}`, (digits) =>
    /^\d{1,5}$/.test(digits) && Number(digits) <= MOST_PORT ? Number(digits) : undefined,
  );

/** The package is loaded by this verb alone. */
async function loadServer() {
  try {
    const [{ createServer }, { createMcpHandler: handler }, { serveStdio: stdio }] =
      await Promise.all([
        import("../../adapters/mcp.ts"),
        import("@modelcontextprotocol/server"),
        import("@modelcontextprotocol/server/stdio"),
      ]);
    return { createServer, handler, stdio };
  } catch (thrown) {
    if (asDict(thrown).code !== "ERR_MODULE_NOT_FOUND") throw thrown;
    throw new Failure(
      "mcp needs a package that is not installed: npm install @modelcontextprotocol/server",
    );
  }
}

/** Resolves when the process is told to end, or the client has closed its side. */
export function untilTold(input?: NodeJS.ReadStream): Promise<unknown> {
  const { promise, resolve } = Promise.withResolvers<unknown>();
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) process.once(signal, resolve);
  for (const end of ["end", "close"]) input?.once(end, resolve);
  return promise;
}

const PATH = "/mcp";

/** The token that callers must know: the environment's, else one that is told here alone. */
function tokenFor({ env, warn }: Io): string {
  const given = env[TOKEN];
  if (given) return given;
  const made = randomBytes(24).toString("base64url");
  warn(`tidemark: callers send the header "Authorization: Bearer ${made}"`);
  return made;
}

const digestOf = (text: string): Buffer => createHash("sha256").update(text).digest();

const said = (status: number, sentence: string, headers = {}): Response =>
  new Response(`${sentence}\n`, { status, headers: { "content-type": "text/plain", ...headers } });

/** A handler that answers at one path, and those who know the token. */
function guarded(
  handle: (request: Request) => Promise<Response>,
  token: string | undefined,
): (request: Request) => Promise<Response> {
  const known = token === undefined ? undefined : digestOf(`Bearer ${token}`);
  return async (request) => {
    if (new URL(request.url).pathname !== PATH) return said(404, `MCP is at ${PATH}.`);
    const given = digestOf(request.headers.get("authorization") ?? "");
    if (known !== undefined && !timingSafeEqual(known, given))
      return said(401, "This needs the header Authorization: Bearer TOKEN, with the right token.", {
        "www-authenticate": "Bearer",
      });
    return handle(request);
  };
}
