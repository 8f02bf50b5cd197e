import { capabilitiesOf } from "../dialect/capabilities.ts";
import { type Prices } from "../model/capability.ts";
import { type Session, type SessionState } from "../model/history.ts";
import { type LedgerLine, type Purpose } from "../model/ledger.ts";
import { readTokens, type Usage } from "../model/ports.ts";
import { type Message } from "../model/request.ts";
import { type Core, type Who } from "./core.ts";
import { accountOf, spentOn, unfolded } from "./ledger-math.ts";
import { foldIn, type Sight } from "./sight.ts";
import { type Ledger } from "./types.ts";

const pricesOf = ({ options }: Pick<Core, "options">, model: string): Prices | undefined => (model === "" ? undefined : capabilitiesOf(model, options.models).prices);

/**
 * The lines of one of the caller's calls: what it took, and what it would have taken with the whole history. Where no usage
 * was reported our own count stands for it. Written with the reply, in its transaction.
 */
export function turnLines(sight: Sight, { usage, message }: { usage?: Usage; message: Message }): (state: SessionState) => { call: NonNullable<SessionState["call"]>; ledger: LedgerLine[] } {
  const { call, placed, view, estimated: sent } = sight;
  const { core, dialect, model } = call;
  const reported = usage !== undefined && readTokens(usage) > 0;
  const paid = reported ? usage : { input: sight.window.used, cacheWrite: 0, cacheRead: 0, output: usage?.output ?? core.measure.message(dialect, message) };
  const given = view.request === call.request ? sent : core.measure.request(dialect, call.request);
  const about = { prices: pricesOf(core, model), estimated: !reported };
  const prefix = `${foldIn(placed)?.id ?? ""} ${Object.keys(placed.session.state.shortened ?? {}).length}`;
  const at = core.now();
  return (state) => {
    const whole = unfolded({ usage: paid, sent, given, at, prefix }, state.call);
    const line = { session: placed.session.id, model };
    return {
      call: whole.last,
      ledger: [
        { ...line, purpose: "turn", spent: spentOn(paid, about) },
        { ...line, purpose: "unfolded", spent: spentOn(whole.usage, { ...about, failed: readTokens(whole.usage) > call.window }) },
      ],
    };
  };
}

/** The line of a call of our own. */
export function memoryLine(core: Core, session: string, { purpose, model, usage, ...about }: { purpose: Purpose; model: string; usage: Usage; ms: number; estimated: boolean; failed: boolean }): LedgerLine {
  return { session, purpose, model, spent: spentOn(usage, { ...about, prices: pricesOf(core, model) }) };
}

/** Conversations whose accounts are told one by one. */
const TOLD = 100;

/** The accounts of an identity: all together, and of its latest conversations. */
export async function readLedger(core: Core, who: Who, sessions: readonly Pick<Session, "id" | "label">[]): Promise<Ledger> {
  await core.embedded?.flush();
  const lines = await core.history.ledger(who.root);
  const bySession = Map.groupBy(lines, ({ session }) => session);
  const conversations = sessions.flatMap(({ id, label }) => {
    const its = bySession.get(id);
    return its ? [{ conversation: id, ...(label === undefined ? {} : { label }), ...accountOf(its) }] : [];
  });
  return { total: accountOf(lines), conversations: conversations.slice(0, TOLD) };
}
