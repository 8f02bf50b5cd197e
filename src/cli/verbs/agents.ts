import { agentsOf } from "../../engine/journal/fleet.ts";
import { type Flags, type Given, JSON_FLAG, show } from "../input/flags.ts";
import { needWorkspace } from "../input/open.ts";
import { roomOf, type Io } from "../render/io.ts";
import { table } from "../render/table.ts";
import { fit, plain, wrap } from "../render/text.ts";

/** Characters of a name. */
const NAME = 24;
const NONE =
  "No agent of a team or project was seen yet: one is, once it was opened with identity: { agent, team } or { agent, project }.";

export const flags: Flags = JSON_FLAG;
export const examples = ["tidemark agents", "tidemark agents --json"];

/** The agents seen, one line each; which users they talked to is not noted. */
export async function run(given: Given, io: Io): Promise<number> {
  needWorkspace(given.workspace);
  const seen = await agentsOf(given.workspace);
  const named = (kind: string, name: string | undefined): string =>
    name === undefined ? "" : `${kind} ${fit(plain(name), NAME)}`;
  const rows = seen.map(({ agent, team, project }) => [
    io.paint.cyan(fit(plain(agent), NAME)),
    named("team", team),
    named("project", project),
  ]);
  return show(given, io, seen, () =>
    seen.length === 0
      ? wrap(NONE, roomOf(io))
      : table(rows, { columns: roomOf(io) }).map((line) => line.trimEnd()),
  );
}
