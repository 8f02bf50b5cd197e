import { dialectFor } from "../dialect/detect.ts";
import { shown, TidemarkError } from "../model/errors.ts";
import { isDict } from "../model/guards.ts";
import { type Core, type Who } from "./core.ts";
import { type PinTarget, type Tidemark } from "./types.ts";

/** Longer than this a pin would crowd out what it is pinned beside. */
const LONGEST = 20_000;

/** Texts that survive every fold byte for byte: in one conversation if named, else in all of the identity. */
export function pinApi(core: Core, open: () => Promise<Who>): Pick<Tidemark, "pin" | "unpin"> {
  return {
    pin: async (what, { conversation } = {}) => {
      const who = await open();
      const text = textOf(what);
      const session = conversation === undefined ? undefined : await sessionOf(core, who, conversation);
      const id = core.newId();
      await core.history.pin(who.root, session, { id, text });
      return id;
    },
    unpin: async (id) => {
      const { root } = await open();
      return typeof id === "string" && core.history.unpin(root, id);
    },
  };
}

function textOf(what: PinTarget): string {
  const text = typeof what === "string" ? what : isDict(what?.message) ? readMessage(what.message) : "";
  if (text.trim() === "") throw new TidemarkError("config", "pin() needs a text, or { message } with a text in it.");
  if (text.length > LONGEST) throw new TidemarkError("config", `A pin may have ${LONGEST} characters, this one has ${text.length}: pin the part that matters.`);
  return text;
}

function readMessage(message: Readonly<Record<string, unknown>>): string {
  const dialect = dialectFor({ messages: [message] });
  return [dialect.text(message), ...dialect.results(message).map((result) => result.text)].filter((part) => part !== "").join("\n");
}

async function sessionOf(core: Core, who: Who, conversation: string): Promise<string> {
  const sessions = await core.history.sessions(who.root);
  const found = sessions.find(({ id }) => id === conversation) ?? sessions.find(({ label }) => label === conversation);
  if (!found) throw new TidemarkError("not-found", `There is no conversation ${shown(conversation)} to pin in; history.list() names those there are.`);
  return found.id;
}
