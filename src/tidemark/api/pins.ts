import { defined } from "../../model/defined.ts";
import { dialectFor } from "../../dialect/detect.ts";
import { shown, TidemarkError } from "../../model/errors.ts";
import { isDict } from "../../model/guards.ts";
import { type Session } from "../../model/history.ts";
import { type Core, type Who } from "../core.ts";
import { checkPinBudget, pinBudget, pinTokens } from "./pin-budget.ts";
import { type PinTarget, type Tidemark } from "../types.ts";

/** Texts that survive every fold byte for byte: in one conversation if named, else in all of the identity. */
export function pinApi(
  core: Core,
  open: () => Promise<Who>,
): Pick<Tidemark, "pin" | "unpin" | "pins"> {
  return {
    pin: async (what, { conversation } = {}) => {
      const who = await open();
      const text = textOf(what);
      // One after the other: two pins must not both take the room that is left for one.
      return core.sessions.alone(async () => {
        const sessions = await core.history.sessions(who.root);
        const session = conversation === undefined ? undefined : find(sessions, conversation);
        const pins = await core.history.allPins(who.root);
        const same = pins.find((pin) => pin.text === text && pin.session === session?.id);
        if (same) return same.id;
        const latest = sessions.find(({ imported }) => !imported);
        checkPinBudget(
          { text, ...(session ? { session: session.id } : {}) },
          pins,
          pinBudget(core.options.window, session ?? latest),
        );
        const id = core.newId();
        await core.history.pin(who.root, session?.id, { id, text });
        return id;
      });
    },
    unpin: async (id) => {
      const { root } = await open();
      return typeof id === "string" && core.history.unpin(root, id);
    },
    pins: async ({ conversation } = {}) => {
      const { root } = await open();
      const session =
        conversation === undefined
          ? undefined
          : find(await core.history.sessions(root), conversation).id;
      const pins = await core.history.allPins(root);
      return pins
        .filter(
          (pin) => session === undefined || pin.session === undefined || pin.session === session,
        )
        .map(({ id, text, session: its }) => ({
          id,
          text,
          tokens: pinTokens(text),
          ...defined({ conversation: its }),
        }));
    },
  };
}

function textOf(what: PinTarget): string {
  const text =
    typeof what === "string" ? what : isDict(what?.message) ? readMessage(what.message) : "";
  if (text.trim() === "")
    throw new TidemarkError("config", "pin() needs a text, or { message } with a text in it.");
  if (!text.isWellFormed())
    throw new TidemarkError(
      "config",
      "pin() was given half a character (a lone surrogate), which cannot be kept byte for byte: pin the text without it.",
    );
  return text;
}

function readMessage(message: Readonly<Record<string, unknown>>): string {
  const dialect = dialectFor({ messages: [message] });
  return [dialect.text(message), ...dialect.results(message).map((result) => result.text)]
    .filter((part) => part !== "")
    .join("\n");
}

function find(sessions: readonly Session[], conversation: string): Session {
  const found =
    sessions.find(({ id }) => id === conversation) ??
    sessions.find(({ label }) => label === conversation);
  if (!found)
    throw new TidemarkError(
      "not-found",
      `There is no conversation ${shown(conversation)} with pins of its own; history.list() names those there are.`,
    );
  return found;
}
