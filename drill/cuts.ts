import { once } from "node:events";
import { connect, createServer, type Socket } from "node:net";
import { openPostgres } from "../src/storage/postgres/postgres-storage.ts";
import { openTidemark } from "../src/index.ts";
import { postgresServer } from "../test/support/postgres-server.ts";
import { distiller, messageOf, replyOf, requestOf } from "./host.ts";
import { messagesOf, userOf } from "./worker.ts";
import { judge } from "./workers.ts";

/** Messages of a conversation: as many as bring a fold. */
const MESSAGES = 20;
const SAVED = "Ada keeps her boat at pier nine.";

/** Splits what comes over a wire into messages of PostgreSQL's protocol; a client's first has no letter. */
function messages(isClient: boolean): (chunk: Buffer) => Buffer[] {
  let rest = Buffer.alloc(0);
  let letter = isClient ? 0 : 1;
  return (chunk) => {
    rest = Buffer.concat([rest, chunk]);
    const found: Buffer[] = [];
    while (rest.length >= letter + 4) {
      const length = letter + rest.readInt32BE(letter);
      if (rest.length < length) break;
      found.push(rest.subarray(0, length));
      rest = rest.subarray(length);
      letter = 1;
    }
    return found;
  };
}

/** A wire to the server that tears once: instead of its n-th message, of either side. */
async function wire(port: number, place: number) {
  let seen = 0;
  const open = new Set<Socket>();
  const proxy = createServer((near) => {
    const far = connect(port, "127.0.0.1");
    for (const one of [near, far]) {
      open.add(one);
      one.setNoDelay(true).on("error", () => undefined);
      one.on("close", () => {
        open.delete(one);
        near.destroy();
        far.destroy();
      });
    }
    const pass = (from: Socket, to: Socket): void => {
      const split = messages(from === near);
      from.on("data", (chunk) => {
        for (const message of split(chunk)) {
          seen += 1;
          if (seen === place) return void to.end(() => from.destroy());
          if (!to.writableEnded) to.write(message);
        }
      });
    };
    pass(near, far);
    pass(far, near);
  }).listen(0, "127.0.0.1");
  await once(proxy, "listening");
  return {
    seen: () => seen,
    port: (proxy.address() as { port: number }).port,
    close(): void {
      for (const one of open) one.destroy();
      proxy.close();
    },
  };
}

/** A fact is saved, a conversation grows until it folds, all is closed. Answers what was refused, and folds. */
async function play(store: string) {
  const refused: string[] = [];
  let folds = 0;
  const told = async (what: string, work: () => Promise<unknown>): Promise<void> => {
    await work().catch((thrown: unknown) => refused.push(`${what}: ${String(thrown)}`));
  };
  const options = {
    ...{ store, distil: distiller, cache: false, recall: false },
    ...{ window: { tokens: 4_000, patience: 15_000 }, listen: () => undefined },
  };
  // A program that cannot open is started again.
  const tidemark = await openTidemark(options).catch(() => openTidemark(options));
  const own = tidemark.as({ user: userOf(0) });
  await told("save", () => own.memory.save(SAVED));
  for (let at = 0; at < MESSAGES; at += 2)
    await told(`turn ${at}`, async () => {
      const turn = await own.begin(requestOf(messagesOf(0, at)), { conversation: "0" });
      if (turn.folded) folds += 1;
      await turn.end(replyOf(messageOf(at + 1), Math.ceil(turn.window.used)));
      await tidemark.idle();
    });
  await told("close", () => tidemark.close());
  return { refused, folds };
}

/** Plays once on a schema of its own, cut at a message; answers how many there were, and what is wrong. */
async function cutAt(place: number, server: { port: number; address(schema: string): string }) {
  const address = server.address(`cut_${place}`);
  await (await openPostgres(address)).close();
  const line = await wire(server.port, place);
  try {
    const { refused, folds } = await play(address.replace(/:\d+\//, `:${line.port}/`));
    const found = await judge(address, [MESSAGES]);
    const store = await openPostgres(address);
    const scopes = [`user:${userOf(0)}`] as const;
    const kept = await store.find({ scopes, now: Date.now(), order: "updated", limit: 1_000 });
    await store.close();
    const saved = kept.filter(({ memory }) => memory.content === SAVED).length;
    const broken = [
      ...(saved === 1 ? [] : [`what was saved is there ${saved} times`]),
      ...(folds === 0 ? ["nothing was folded"] : []),
      ...[...refused, ...found.broken],
    ].map((what) => `cut at ${place}: ${what}`);
    return { seen: line.seen(), tried: found.tried + 2, broken };
  } finally {
    line.close();
  }
}

/**
 * Cuts the connection at every n-th message on the wire, each in a play of its own: nothing is lost, nothing is there
 * twice.
 */
export async function cuts({
  step = 1,
  atOnce = 2,
  told = (_line: string): void => undefined,
} = {}) {
  const server = await postgresServer();
  try {
    const whole = await cutAt(Infinity, server);
    const places = Array.from({ length: Math.ceil(whole.seen / step) }, (_, at) => 1 + at * step);
    const left = places.values();
    const found = [whole];
    const one = async (): Promise<void> => {
      for (const place of left) {
        found.push(await cutAt(place, server));
        if (found.length % 100 === 0) told(`${found.length} of ${places.length} places`);
      }
    };
    await Promise.all(Array.from({ length: atOnce }, one));
    const tried = found.reduce((sum, each) => sum + each.tried, 0);
    const broken = found.flatMap((each) => each.broken);
    return {
      ...{ "messages on the wire": whole.seen, places: places.length, tried },
      ...{ survived: tried - Math.min(tried, broken.length), broken: broken.slice(0, 50) },
    };
  } finally {
    server.close();
  }
}
