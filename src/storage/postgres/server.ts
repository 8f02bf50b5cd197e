import { randomUUID } from "node:crypto";
import type { Client, ClientBase, Pool } from "pg";
import { asDict } from "../../core/base.ts";
import { type ErrorCode, reasonOf, refuse, TidemarkError } from "../../core/errors-and-events.ts";
import { pg } from "../../core/installed.ts";
import { digest } from "../../core/text/cut.ts";
import type { Row, Server } from "./sql.ts";

/** ms: for a connection, also one of a pool whose all are in use; for an answer. */
const [CONNECT, ANSWER] = [2_000, 10_000];
const [POOL, IDLE] = [10, 60_000];
/** ms until a lost connection that listens is made anew. */
const ANEW = 1_000;

/** A pool of connections to the server of an address; the first is made when it is needed. */
export function openServer(address: string) {
  const { Pool, Client, types } = pg();
  const [base = "", query = ""] = address.split("?");
  const given = new URLSearchParams(query);
  const schema = given.get("schema") ?? "tidemark";
  const size = Number(given.get("poolSize") ?? POOL);
  given.delete("schema");
  given.delete("poolSize");
  if (!Number.isInteger(size) || size < 2)
    refuse('openTidemark: "poolSize" in the address of option "store" must be 2 or more.');
  const options = {
    connectionString: given.size === 0 ? base : `${base}?${given.toString()}`,
    connectionTimeoutMillis: CONNECT,
    // The server's own timeout would be a setting of the session, which a pooler takes away.
    query_timeout: ANSWER,
    keepAlive: true,
    application_name: "tidemark",
    types: {
      getTypeParser: (type: number, format?: "text" | "binary") =>
        type === types.builtins.INT8
          ? Number
          : (types.getTypeParser(type, format as "text") as never),
    },
  };
  /** As errors name it: without user and password. */
  let where: string;
  try {
    const { host, port, database } = new Client(options);
    where = `PostgreSQL at ${host}:${port}, database ${database ?? ""}, schema ${schema}`;
  } catch {
    // Its error would show the address, and the password in it.
    refuse('openTidemark: option "store" is no address of a PostgreSQL server that can be read.');
  }
  const pool = new Pool({
    ...{ ...options, max: size, idleTimeoutMillis: IDLE, allowExitOnIdle: true },
    // To compile a plan takes longer than to run it. A pooler may take that away: then it is slow.
    onConnect: async (client: ClientBase) => void (await client.query("set jit = off")),
  });
  // One that is lost while idle is made anew when it is needed.
  pool.on("error", () => undefined);
  const peers = peersOf({ pool, open: () => new Client(options), schema });
  const server: Server = {
    send: sender(pool),
    peers,
    alone: (name, work) =>
      within(pool, "begin", async (one) => {
        await one("select pg_advisory_xact_lock(hashtextextended($1, 0))", [`${schema} ${name}`]);
        return work();
      }),
    atOnce: (work) => within(pool, "begin isolation level repeatable read read only", work),
    close: async () => {
      await peers.close();
      await pool.end();
    },
  };
  return { server, schema, where };
}

/**
 * Work over one connection, in a transaction that writes nothing. A lock goes with it, however that
 * ends; a pooler keeps both on one connection.
 */
async function within<T>(
  pool: Pool,
  begin: string,
  work: (send: Server["send"]) => Promise<T>,
): Promise<T> {
  const client = await pool.connect();
  let trouble: Error | undefined;
  const lost = (error: Error): void => void (trouble = error);
  client.on("error", lost);
  try {
    await client.query(begin);
    return await work(sender(client));
  } finally {
    await client.query("rollback").catch(lost);
    client.off("error", lost);
    client.release(trouble);
  }
}

const sender =
  (to: Pick<Pool, "query">): Server["send"] =>
  async (text, values) =>
    (await to.query<Row>({ text, values: [...values] })).rows;

interface Listening {
  readonly pool: Pool;
  readonly open: () => Client;
  readonly schema: string;
}

/**
 * Other processes hear behind a commit that there was one, by a connection of its own. A pooler may
 * pass nothing on: only where a word of its own came back is it known that it hears.
 */
function peersOf({ pool, open, schema }: Listening) {
  const own = randomUUID();
  const channel = `tidemark_${digest(schema).slice(0, 32)}`;
  const hearers = new Set<(what?: string) => void>();
  let client: Client | undefined;
  let isSure = false;
  let telling: Promise<void> | undefined;
  const behind = new Set<string>();
  let retry: NodeJS.Timeout | undefined;
  const hear = (what?: string): void => hearers.forEach((one) => one(what));

  async function say(): Promise<void> {
    for (const what of behind) {
      behind.delete(what);
      await pool.query({ text: "select pg_notify($1, $2)", values: [channel, `${own} ${what}`] });
    }
  }
  function tell(what: string): void {
    behind.add(what);
    telling ??= say()
      // Who was not told finds out by the revisions.
      .catch(() => undefined)
      .finally(() => (telling = undefined));
  }
  function listen(): void {
    const made = open();
    client = made;
    const lost = (): void => {
      if (client !== made) return;
      [client, isSure] = [undefined, false];
      hear();
      retry = setTimeout(listen, ANEW).unref();
      made.end().catch(() => undefined);
    };
    made.on("error", lost).on("end", lost);
    made.on("notification", ({ payload = "" }) => {
      const [who, what] = payload.split(" ");
      if (who !== own) return hear(what);
      if (!isSure) hear();
      isSure = true;
    });
    made
      .connect()
      .then(() => made.query(`listen ${channel}`))
      .then(() => tell("rows"))
      .catch(lost);
  }
  return {
    tell,
    hear(told: (what?: string) => void): () => boolean {
      hearers.add(told);
      if (hearers.size === 1) listen();
      return () => isSure;
    },
    async close(): Promise<void> {
      clearTimeout(retry);
      const made = client;
      client = undefined;
      await telling;
      await made?.end().catch(() => undefined);
    },
  };
}

const codeOf = (thrown: unknown): string => String(asDict(thrown).code ?? "");

/**
 * Trouble that may be over the next time: a connection that was cut, a server that is starting, a
 * deadlock, a message that another process forgot at this moment.
 */
const PASSING =
  /^(?:08...|57P0[123]|40001|40P01|23503|53300|EPIPE|ECONN\w+|ENOTFOUND|EAI_AGAIN|ETIMEDOUT)$/;
const CUT = /^(?:Connection terminated|Client has encountered a connection error)/;
const isPassing = (thrown: unknown): boolean =>
  PASSING.test(codeOf(thrown)) || CUT.test(reasonOf(thrown));

/** ms between two tries, 300 in all. */
const PAUSES = [10, 20, 40, 80, 150];

/** Tries again what was cut; what is tried must be safe to do twice. */
export async function again<T>(work: () => Promise<T>): Promise<T> {
  for (const pause of PAUSES)
    try {
      return await work();
    } catch (thrown) {
      if (!isPassing(thrown)) throw thrown;
      await new Promise((resolve) => setTimeout(resolve, pause));
    }
  return work();
}

const CURES: readonly (readonly [codes: RegExp, cure: string])[] = [
  [/^28...$/, "check the user and the password in its address"],
  [/^3D000$/, "make the database, or name another in its address"],
  [/^(?:3F000|42P01|42883)$/, "the schema is gone: restore it, and open it anew"],
  [/^42501$/, "its user lacks a right: grant it usage and create on the schema"],
  [/^25006$/, "the server is read-only: name the one that takes writes"],
  [/^53100$/, "the server's disk is full: make room there"],
  [/^53300$/, "the server has no connection left: raise max_connections or lower poolSize"],
  [/^(?:57014|55P03)$/, "it took too long: look what holds the server up, and try again"],
  [
    /^(?:08...|57P..|E[A-Z_]+)$/,
    "start the server, or check its address; nothing here need be restarted",
  ],
];

/** Trouble as one sentence; no address is in it, and so no password. */
export function explained(code: ErrorCode, where: string, thrown: unknown): TidemarkError {
  if (thrown instanceof TidemarkError) return thrown;
  const cure =
    CURES.find(([codes]) => codes.test(codeOf(thrown)))?.[1] ??
    (/time ?out/i.test(reasonOf(thrown))
      ? CURES.at(-2)?.[1]
      : CUT.test(reasonOf(thrown)) && CURES.at(-1)?.[1]);
  const reason = reasonOf(thrown).replace(/\.$/, "") || codeOf(thrown);
  return new TidemarkError(code, `${where}: ${reason}${cure ? `; ${cure}` : ""}.`, {
    cause: thrown,
  });
}
