import type { Context } from "hono";
import { streamSSE } from "hono/streaming";
import { refuse, type TidemarkEvent } from "../../core/errors-and-events.ts";
import { internalsFor } from "../../session/options/internals.ts";
import type { ApiAsked } from "./route.ts";

/** ms between two looks, and after which a stream says that it is still there. */
const [TICK, HEARTBEAT] = [500, 15_000];
/** Turns of one look. */
const AT_ONCE = 100;

/** It rises with what is committed, by whichever process. */
export interface Changes {
  count: number;
  /** How to ask for commits of other processes, by what was opened. */
  readonly looks: WeakMap<object, () => Promise<void>>;
}

interface EventStream {
  readonly asked: ApiAsked;
  readonly changes: Changes;
  /** The caller may still ask. */
  readonly isKnown: () => Promise<boolean>;
}

/** Turns of the identity as they end, and that something changed; all events are a host's alone. */
export function eventStream(c: Context, { asked, changes, isKnown }: EventStream): Response {
  const { ears, others, ended } = internalsFor(asked.tidemark, "api");
  const given = c.req.header("last-event-id");
  if (given !== undefined && !/^\d{1,15}$/.test(given))
    refuse("Last-Event-ID is no id of an event: leave it out.");
  const look = changes.looks.get(ears) ?? others(() => (changes.count += 1));
  changes.looks.set(ears, look);
  const told: TidemarkEvent[] = [];
  const hear = (event: TidemarkEvent): void => {
    changes.count += 1;
    if (asked.rights.host) told.push(event);
  };
  ears.add(hear);
  return streamSSE(c, async (stream) => {
    const tell = (event: string, data: object, id?: string): Promise<void> =>
      stream.writeSSE({ event, data: JSON.stringify(data), id });
    try {
      let last = given ?? (await ended({ order: "latest", limit: 1 }))[0]?.id;
      let seen = changes.count;
      for (let quiet = HEARTBEAT; !stream.aborted; quiet += TICK) {
        await look();
        if (!(await isKnown())) return;
        if (quiet >= HEARTBEAT) await stream.write(": here\n\n");
        if (quiet >= HEARTBEAT) quiet = 0;
        for (const turn of await ended({ order: "oldest", after: last, limit: AT_ONCE }))
          await tell("turn", turn, (last = turn.id));
        for (const event of told.splice(0)) await tell("told", event);
        if (changes.count > seen) await tell("changed", {});
        seen = changes.count;
        await stream.sleep(TICK);
      }
    } catch {
      // A store that cannot be read, or was closed: who asks connects again, and is told why.
    } finally {
      ears.delete(hear);
    }
  });
}
