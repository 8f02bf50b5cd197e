import { agentsOf } from "../../compaction/journal/identities.ts";
import { defined, present } from "../../core/base.ts";
import { checkIdentity, type Scope } from "../../core/identity.ts";
import { mask } from "../../core/secrets/mask.ts";
import { oneLine } from "../../core/text/cut.ts";
import { usersIn } from "../../tidemark/upkeep/forget-user.ts";
import { markless } from "../../workspace/pages/memory-page.ts";
import { agentsIn, fleetPages, withAgent } from "../../workspace/pages/preferences-and-fleet.ts";
import { Failure, type Given, UsageError, type Verb, type VerbAnswer } from "../input/flags.ts";
import { needWorkspace, withWorkspace } from "../input/open.ts";
import { columns, fit, type Io, plain, roomOf, table } from "../render/layout.ts";
import { ago, count } from "../render/numbers.ts";

/** Characters of a name as it is shown. */
const NAME = 24;
const LONGEST_NAME = 60;
const LONGEST_WHAT = 200;
const NONE =
  "No agent of a team or project was seen yet, and AGENTS.md lists none: tidemark agents " +
  'add scout "finds sources and checks them".';
const ADDS = 'tidemark agents add scout "finds sources and checks them"';

/** An agent as it was seen, as a page tells of it, or both. */
interface KnownAgent {
  readonly agent: string;
  readonly team?: string;
  readonly project?: string;
  readonly does?: string;
}

export const agents: Verb = {
  flags: {},
  examples: [
    "tidemark agents",
    ADDS,
    'tidemark agents add scribe "writes the weekly report" --team crew',
  ],
  async run(given, io) {
    needWorkspace(given.workspace);
    const [act, ...rest] = given.words;
    if (act === undefined) return list(given, io);
    if (act !== "add") throw new UsageError(`agents takes nothing or add, got "${act}": ${ADDS}.`);
    return add(given, io, rest);
  },
};

/** The agents, one line each; which users they talked to is not noted. */
async function list(given: Given, io: Io): Promise<VerbAnswer> {
  const { place } = given;
  const found = await withWorkspace({ place, identity: {} }, io, () => known(place.workspace));
  const rows = found.map(({ agent, team, project, does }): [string, string] => {
    const belongs = present([
      team !== undefined && `team ${fit(plain(team), NAME)}`,
      project !== undefined && `project ${fit(plain(project), NAME)}`,
    ]).join(", ");
    return [
      io.paint.cyan(fit(plain(agent), NAME)),
      [belongs, plain(does ?? "")].filter((part) => part !== "").join(": "),
    ];
  });
  return { found, lines: found.length === 0 ? [NONE] : columns(rows, roomOf(io)) };
}

/**
 * Those seen, each with what the page of its team, of its project or of all says of it; then those
 * that only a page names.
 */
async function known(root: string): Promise<KnownAgent[]> {
  const listed = (await fleetPages(root)).flatMap(({ kind, id, text }) =>
    agentsIn(text).map(({ agent, does }) => ({ kind, id, agent, does })),
  );
  const others = new Set(listed);
  const seen = (await agentsOf(root)).map((one): KnownAgent => {
    const own = listed.filter(
      ({ kind, id, agent }) => agent === one.agent && (kind === undefined || one[kind] === id),
    );
    own.forEach((line) => others.delete(line));
    // The nearest page knows best.
    return { ...one, ...defined({ does: own.at(-1)?.does }) };
  });
  const named = [...others].map(({ kind, id, agent, does }): KnownAgent => {
    const where = kind === undefined ? {} : { [kind]: id };
    return { agent, ...where, does };
  });
  return [...seen, ...named];
}

async function add(
  given: Given,
  io: Io,
  [name = "", ...what]: readonly string[],
): Promise<VerbAnswer> {
  const does = markless(oneLine(mask(what.join(" "))));
  checkName(name, mask(name) !== name);
  if (does === "" || does.length > LONGEST_WHAT)
    throw new UsageError(
      `agents add takes what the agent does in 1 to ${LONGEST_WHAT} characters behind ` +
        `its name, got ${does === "" ? "none" : does.length}: ${ADDS}.`,
    );
  const scope = scopeOf(given);
  // Opened for no team: to be listed is not to have been seen with its team.
  await withWorkspace({ place: given.place, identity: {} }, io, ({ workspace }) =>
    workspace.edit("AGENTS.md", (text) => withAgent(text, { agent: name, does }), scope),
  );
  const where = scope === "agent:default" ? "AGENTS.md" : `AGENTS.md of ${scope}`;
  const lines = [`${name} stands in ${plain(where)}: ${plain(does)}`];
  return { found: { agent: name, does, scope }, lines };
}

function checkName(name: string, isSecret: boolean): void {
  if (isSecret) throw new Failure("that name holds what looks like a secret: take another one.");
  if (name === "" || name.length > LONGEST_NAME || oneLine(name) !== name || /[*<>`]/.test(name))
    throw new UsageError(
      `agents add takes a name of 1 to ${LONGEST_NAME} characters on one line without * ` +
        "< > or " +
        `backticks${name === "" ? "" : `, got "${fit(plain(name), LONGEST_NAME)}"`}: ` +
        `${ADDS}.`,
    );
}

/** The page is that of one team or project, else of the whole fleet. */
function scopeOf(given: Given): Scope {
  const { team, project } = checkIdentity(given.identity);
  if (team !== undefined && project !== undefined)
    throw new UsageError("agents add takes --team or --project, not both: each has its own page.");
  if (team !== undefined) return `team:${team}`;
  return project === undefined ? "agent:default" : `project:${project}`;
}

/** The users with whom something was remembered or talked about, the latest first. */
export const users: Verb = {
  flags: {},
  examples: ["tidemark users", "tidemark users --json"],
  async run({ place }, io) {
    needWorkspace(place.workspace);
    const found = usersIn(place, Date.now());
    const rows = found.map(({ user, memories, conversations, updatedAt }) => [
      io.paint.cyan(plain(user)),
      count(memories, "memory", "memories"),
      count(conversations, "conversation"),
      ago(updatedAt),
    ]);
    const lines =
      found.length === 0
        ? ["No user was named yet: all there is belongs to the agent."]
        : [
            table(rows, { columns: roomOf(io) }),
            io.paint.dim('"tidemark list --user ID" shows what is remembered of one.'),
          ];
    return { found, lines };
  },
};
