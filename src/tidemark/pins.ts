import { sessionsNamed } from "../conversations/conversations.ts";
import { defined, isDict } from "../core/base.ts";
import { refuse, shown } from "../core/errors-and-events.ts";
import type { Session } from "../core/history.ts";
import { estimateTokens } from "../core/tokens/estimate.ts";
import { capabilitiesOf } from "../providers/common/models.ts";
import { dialectFor } from "../providers/detect.ts";
import type { Kept, Ports, Who } from "../session/ports.ts";
import type { PinTarget, Tidemark } from "../session/options/tidemark-api.ts";
import { limitOf } from "../session/options/save-and-fold-marks.ts";

/**
 * Texts that survive every fold byte for byte: in one conversation if named, else in all of the
 * identity.
 */
export function pinApi(
  core: Ports,
  open: () => Promise<Who>,
): Pick<Tidemark, "pin" | "unpin" | "pins"> {
  return {
    pin: async (what, { conversation } = {}) => {
      const who = await open();
      const text = textOf(what);
      // One after the other: two pins must not both take the room that is left for one.
      return core.sessions.alone(async () => {
        const session = await find(core, who.root, conversation);
        const { pins } = await core.store.belongings(who.root);
        const same = pins.find((pin) => pin.text === text && pin.session === session?.id);
        if (same) return same.id;
        const shown =
          session ??
          (await core.store.sessions({ root: who.root })).find(({ imported }) => !imported);
        const window = { tokens: capabilitiesOf("").window, promptPlusReply: true };
        const limit = shown?.state.last?.limit ?? limitOf(window, undefined, core.options.window);
        checkPinBudget({ text, session: session?.id }, pins, limit);
        const id = core.newId();
        await core.store.commit({
          pinned: { id, text, root: who.root, session: session?.id },
        });
        return id;
      });
    },
    unpin: async (id) => {
      const { root } = await open();
      return typeof id === "string" && core.store.commit({ unpinned: { root, id } });
    },
    pins: async ({ conversation } = {}) => {
      const { root } = await open();
      const only = (await find(core, root, conversation))?.id;
      const { pins } = await core.store.belongings(root);
      return pins
        .filter(({ session = only }) => session === only || only === undefined)
        .map(({ id, text, session }) => ({
          id,
          text,
          tokens: pinTokens(text),
          ...defined({ conversation: session }),
        }));
    },
  };
}

function textOf(what: PinTarget): string {
  const text = typeof what === "string" ? what : readMessage(what.message);
  if (text.trim() === "") refuse("pin() needs a text, or { message } with a text in it.");
  if (!text.isWellFormed())
    refuse(
      "pin() was given half a character (a lone surrogate), which cannot be kept byte " +
        "for byte: pin the text without it.",
    );
  return text;
}

function readMessage(message: unknown): string {
  if (!isDict(message)) return "";
  const dialect = dialectFor({ messages: [message] });
  return [dialect.text(message), ...dialect.results(message).map((result) => result.text)]
    .filter((part) => part !== "")
    .join("\n");
}

/** Undefined where none is named. */
async function find(
  core: Kept,
  root: string,
  conversation: string | undefined,
): Promise<Session | undefined> {
  if (conversation === undefined) return undefined;
  const [found] = await sessionsNamed(core.store, root, conversation);
  const sentence =
    `There is no conversation ${shown(conversation)} with pins of its own; history.list() ` +
    "names those there are.";
  return found ?? refuse(sentence, "not-found");
}

/** A pin as it is held against the budget; without a session it holds in all. */
interface HeldPin {
  readonly text: string;
  readonly session?: string;
}

/**
 * Share of the limit all pins of a conversation may take; pins leave every later fold that much
 * less room.
 */
const SHARE = 0.05;
/** In a small window a line must find room all the same. */
const LEAST_TOKENS = 500;
/** The tags a pin stands between. */
const FRAME = 20;

const pinTokens = (text: string): number => estimateTokens(text) + FRAME;

/**
 * Throws TidemarkError "config" when the pin would take more than is left. Pins that are there
 * stay, whatever the budget is.
 */
function checkPinBudget(pin: HeldPin, pins: readonly HeldPin[], limit: number): void {
  const budget = Math.max(LEAST_TOKENS, Math.floor(SHARE * limit));
  const tokensIn = (session: string | undefined): number =>
    pins
      .filter((one) => one.session === session)
      .reduce((sum, { text }) => sum + pinTokens(text), 0);
  const others =
    pin.session === undefined ? pins.flatMap((one) => one.session ?? []) : [pin.session];
  // The room already taken is that of the conversation with the most pins, and of those for all.
  const used = tokensIn(undefined) + Math.max(0, ...others.map(tokensIn));
  const wants = pinTokens(pin.text);
  if (used + wants > budget)
    refuse(
      `Pins may take ${budget} tokens together here (limit ${limit}), ${used} are used ` +
        `and this one takes about ${wants}: pin a shorter text or unpin another ` +
        "(pins() lists them).",
    );
}
