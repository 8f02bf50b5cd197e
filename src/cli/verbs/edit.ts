import { present } from "../../base/guards.ts";
import type { TidemarkEvent } from "../../model/events.ts";
import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { join, resolve } from "node:path";
import { learningScope } from "../../model/identity.ts";
import { folderOf } from "../../workspace/disk/paths.ts";
import { Failure } from "../input/failure.ts";
import type { Given, Verb } from "../input/flags.ts";
import type { Io } from "../render/io.ts";
import { withWorkspace } from "../input/open.ts";
import { count } from "../render/numbers.ts";

/** Opens MEMORY.md in the person's editor, and takes over what was changed there. */
export const edit: Verb = {
  flags: {},
  examples: ["tidemark edit", "EDITOR=nano tidemark edit --user ada"],
  async run(given, io) {
    // Opening it first writes the page as memory stands now.
    await withWorkspace(given, io, ({ memory }) => memory.list({ limit: 1 }));
    const page = join(
      resolve(given.workspace),
      folderOf(learningScope(given.identity)),
      "MEMORY.md",
    );
    if (!existsSync(page))
      throw new Failure(`there is no ${page} yet: nothing was remembered there.`);
    const [editor = "", ...args] = (io.env.VISUAL || io.env.EDITOR || "vi").split(" ");
    const { error, status } = spawnSync(editor, [...args, page], { stdio: "inherit" });
    if (error !== undefined)
      throw new Failure(
        `the editor "${editor}" could not be started (${error.message}); set EDITOR, or edit ${page} yourself: the next start takes it over.`,
      );
    if (status !== 0)
      throw new Failure(
        `the editor ended with code ${String(status)}; what was saved in ${page} is taken over at the next start.`,
      );
    const taken = await changes(given, io);
    io.say(taken === "" ? "Nothing was changed." : `${io.paint.green("✓")} ${taken}`);
    return 0;
  },
};

/** What memory took over from the page, in a sentence; "" for nothing. */
async function changes(given: Given, io: Io): Promise<string> {
  let [changed, forgotten] = [0, 0];
  const hear = (event: TidemarkEvent): void => {
    if (event.type !== "notice" || event.about !== "reconciled") return;
    changed += event.changed;
    forgotten += event.forgotten;
  };
  await withWorkspace(given, io, ({ memory }) => memory.list({ limit: 1 }), hear);
  return present([
    changed > 0 && `${count(changed, "memory", "memories")} changed or added`,
    forgotten > 0 &&
      `${count(forgotten, "memory", "memories")} ended ("tidemark undo MARK" brings one back)`,
  ]).join(", ");
}
