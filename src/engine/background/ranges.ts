import { capabilitiesOf } from "../../dialect/models/capabilities.ts";
import { dialectFor } from "../../dialect/detect.ts";
import { type Distilled, type Fact } from "../../distil/task/distiller.ts";
import { extractive } from "../../distil/extract/extractive.ts";
import { LINE } from "../../distil/task/instruction.ts";
import { bodiesOf } from "../../history/bodies.ts";
import { isGone, type Session } from "../../model/history.ts";
import { type Format } from "../../model/request.ts";
import { recalledBeside } from "../../prompt/recalled.ts";
import { type Core } from "../session/context.ts";
import { type Who } from "../session/who.ts";
import { completeFor, distil, distillerFor, recordOf } from "./task.ts";

/** Entries [from, to) of a session. */
interface Range {
  readonly from: number;
  readonly to: number;
}

async function read({ history }: Pick<Core, "history">, session: Session, { from, to }: Range) {
  const messages = await bodiesOf(history, session.id, from, to);
  const injected = recalledBeside(session.state, { from, upTo: to });
  return {
    messages,
    dialect: dialectFor({ messages }, session.state.last?.format as Format | undefined),
    factsFrom: 0,
    injected,
  };
}

/** Of a session's model's window no more is known: it holds at least so much. */
export function roomOf(
  { options }: Pick<Core, "options">,
  { state }: Session,
): { window: number; limit: number } {
  const most = options.window?.tokens ?? capabilitiesOf("").window;
  const limit = state.last?.limit ?? most;
  return { window: Math.min(most, limit), limit };
}

/** The facts of a range of the archive, `brief`: written out in part, by the model, when it is this call's turn; undefined where its words are gone. Rejects with "distil". */
export async function factsByModel(
  core: Core,
  session: Session,
  { stopped, brief = false, ...range }: Range & { stopped: AbortSignal; brief?: boolean },
): Promise<Distilled | undefined> {
  const task = await read(core, session, range);
  if (task.messages.every(isGone)) return undefined;
  const { window, limit } = roomOf(core, session);
  const day = new Date(session.updatedAt).toISOString().slice(0, 10);
  const leave = await core.slots.take(stopped, session.id);
  try {
    const distiller = distillerFor(core, {
      complete: completeFor(core, { who: session }),
      session: session.id,
      dialect: task.dialect,
      purpose: "catch-up",
      window,
      limit,
    });
    return await distil(
      distiller,
      async (signal) => ({ ...task, summaryTokens: LINE, day, brief, signal }),
      stopped,
    );
  } finally {
    leave();
  }
}

/** The same without a model. */
export async function factsByQuoting(
  core: Core,
  who: Who,
  session: Session,
  range: Range,
): Promise<readonly Fact[]> {
  const task = await read(core, session, range);
  if (task.messages.every(isGone)) return [];
  const record = await recordOf(who, session.id);
  return (
    await distil(extractive, async (signal) => ({ ...task, record, summaryTokens: 0, signal }))
  ).facts;
}
