import { SCOPE_KINDS, scopesOf } from "../../core/identity.ts";
import { exportArchive, exportFrom } from "../../tidemark/upkeep/archive.ts";
import { forgetUser } from "../../tidemark/upkeep/forget-user.ts";
import { openPlace } from "../../tidemark/upkeep/places.ts";
import { type Given, UsageError, type Verb, type VerbAnswer } from "../input/flags.ts";
import {
  needWorkspace,
  opened,
  shownPlace,
  teller,
  withWorkspace,
} from "../input/workspace-of-verb.ts";
import { progressOn } from "../render/hits-and-spent.ts";
import { type Io, json, paint, plain, table } from "../render/layout.ts";
import { ago, count, filesAndHeld, held } from "../render/numbers.ts";
import { namedMemory } from "./memories-and-recall.ts";

/** All of a workspace as one file of JSON lines; of an identity that is named, what it may see. */
export const exporting: Verb = {
  says: "a workspace, or what --user may see, as one file; - is standard output",
  takes: "FILE",
  examples: [
    "tidemark export friday.jsonl",
    "tidemark export - | gzip > friday.jsonl.gz",
    "tidemark export ada.jsonl --user ada",
  ],
  async run(given, io) {
    const { where, line: to } = given;
    needWorkspace(where.workspace);
    const of = SCOPE_KINDS.some((kind) => given.on(kind)) ? given.identity : undefined;
    const asked = { ...where, of, now: Date.now, emit: teller(io), progress: progressOn(io) };
    const found = await (to === "-"
      ? exportFrom(asked, async (all) => {
          for await (const line of all) io.write(line);
        })
      : exportArchive({ ...asked, to }));
    const whose =
      of === undefined
        ? "the whole workspace, every user's"
        : `what ${scopesOf(of).join(", ")} may see`;
    const lines = [
      `${paint.green("✓")} ${to === "-" ? "Written" : to}: ${whose}: ${filesAndHeld(found)}.`,
      ...found.leftOut.map((path) =>
        paint.yellow(`! ${path} was left out: a link, or larger than 20 MB.`),
      ),
      paint.dim("It holds every conversation word for word: keep it as you would keep them."),
    ];
    if (to !== "-") return { found, lines };
    for (const line of given.on("json") ? [json(found)] : lines) io.warn(line);
    return { found: undefined };
  },
};

/** A memory, or all of a user with every agent; exit 1 when it was not confirmed. */
export const forget: Verb = {
  says: "delete a memory, or all of one user (--user)",
  takes: "ID",
  words: "any",
  flags: {
    "dry-run": { says: "only say what would go" },
    yes: { says: "delete it, for good" },
  },
  examples: [
    "tidemark forget 7k2p --yes",
    "tidemark forget --user ada --dry-run",
    "tidemark forget --user ada --yes",
  ],
  async run(given, io) {
    const sure = given.on("yes") && !given.on("dry-run");
    const answer = await (given.words.length > 0 ? forgetOne : forgetAll)(given, io, sure);
    return { ...answer, code: sure || given.on("dry-run") ? 0 : 1 };
  },
};

/** One memory, for good: from pages, logs and backups too. */
const forgetOne = (given: Given, io: Io, sure: boolean): Promise<VerbAnswer> =>
  withWorkspace(given, io, async (tidemark) => {
    const { id, content } = await namedMemory(given.line, tidemark);
    if (sure) await tidemark.memory.forget(id);
    const lines = sure
      ? [
          `${paint.green("✓")} Forgotten: ${plain(content)}`,
          'Conversations that said it stay; "tidemark inspect --write" forgets them.',
        ]
      : [
          `Would be forgotten for good: ${plain(content)}`,
          `Nothing was deleted. To do it: tidemark forget ${given.line} --yes`,
        ];
    return { found: { deleted: sure, id, content }, lines };
  });

async function forgetAll(given: Given, io: Io, sure: boolean): Promise<VerbAnswer> {
  const user = given.text("user");
  if (user === undefined)
    throw new UsageError(
      "forget needs a memory or a user: tidemark forget 7k2p, or tidemark forget --user " +
        "ada --dry-run",
    );
  const other = ["agent", "team", "project", "org"].find((name) => given.on(name));
  if (other !== undefined)
    throw new UsageError(`forget takes a user with all agents and projects; leave --${other} out.`);
  needWorkspace(given.where.workspace);
  const host = { now: Date.now, emit: teller(io) };
  const place = await openPlace({ ...given.where, ...host });
  const gone = await forgetUser(place, { ...host, user, dry: !sure }).finally(place.store.close);
  const { copies } = gone;
  const what = `${held(gone)}, ${count(gone.files, "file")}`;
  const nothing = gone.memories + gone.past + gone.conversations + gone.files === 0;
  const of = sure
    ? `${paint.green("✓")} Forgotten of user "${user}": ${what}.`
    : `Of user "${user}" would go: ${what}.`;
  const lines = [
    nothing ? `Nothing of user "${user}" is in ${shownPlace(given)}.` : of,
    copies > 0 &&
      `${count(copies, "backup or file put aside", "backups and files put aside")} ` +
        `${sure ? "made anew or deleted" : "would be made anew or deleted"}.`,
    sure &&
      paint.dim(
        `Pages of others that name "${user}", archives you exported and copies of the folder ` +
          "elsewhere are yours to look through.",
      ),
    !sure &&
      !nothing &&
      "Nothing was deleted. End what uses the workspace, then: tidemark forget --user " +
        `${user} --yes`,
  ];
  return { found: { deleted: sure, ...gone }, lines };
}

/** The users with whom something was remembered or talked about, the latest first. */
export const users: Verb = {
  says: "with whom there are memories and conversations",
  examples: ["tidemark users", "tidemark users --json"],
  run: opened(async (tidemark) => {
    const found = await tidemark.users.list();
    const rows = found.map(({ user, memories, conversations, updatedAt }) => [
      paint.cyan(plain(user)),
      count(memories, "memory", "memories"),
      count(conversations, "conversation"),
      ago(updatedAt),
    ]);
    const lines =
      found.length === 0
        ? ["No user was named yet: all there is belongs to the agent."]
        : [table(rows), paint.dim('"tidemark list --user ID" shows what is remembered of one.')];
    return { found, lines };
  }),
};
