import { scopesOf } from "../../core/identity.ts";
import { packageVersion } from "../../core/installed.ts";
import type { ApiCall, Handler } from "./fields.ts";
import { listFiles, readFile, readNote, removeNote, writeFile, writeNote } from "./files.ts";

const ALL = 100_000;

export const PAGES: readonly ApiCall[] = [
  [
    "GET /records",
    "Pages with front matter, the latest change first",
    "category archived scope limit after",
    ({ records }, { category, archived, scope }) =>
      records.list({ category, archived, scope, limit: ALL }),
  ],
  [
    "POST /records",
    "Writes a record",
    "category! content! aliases keywords source until name scope",
    "records.add *",
  ],
  ["GET /records/:id", "One record", "", "records.get id"],
  [
    "PATCH /records/:id",
    "Changes a record",
    "content aliases keywords source until",
    "records.update id *",
  ],
  ["DELETE /records/:id", "Removes it", "", "records.delete id"],
  ["POST /records/:id/archive", "Out of searches", "", "records.archive id"],
  ["POST /records/:id/restore", "Back in searches", "", "records.restore id"],
  [
    "POST /records/:id/reclassify",
    "Moves it to another category",
    "category!",
    "records.reclassify id category",
  ],
  ["GET /notes", "Names of notes", "scope", "notes.list *"],
  ["GET /notes/:name+", "One note", "scope", readNote],
  ["PUT /notes/:name+", "Writes a note", "scope text!", writeNote],
  ["DELETE /notes/:name+", "Takes a note away", "scope", removeNote],
  ["GET /files", "Pages, and which of their lines were learnt", "scope limit after", listFiles],
  ["GET /files/:path+", "One page", "scope", readFile],
  ["PUT /files/:path+", "Writes a page as a whole", "scope text!", writeFile],
  ["GET /proposals", "What waits", "limit after", "proposals.list"],
  ["POST /proposals/:id/accept", "Does what was proposed", "words digest", "proposals.accept id *"],
  ["POST /proposals/:id/decline", "Takes a proposal off", "", "proposals.decline id"],
];

/** Ends a task of this process; it is known no more then. */
const ending =
  (how: "done" | "failed"): Handler =>
  async (_, { id, result, error }, { tasks, root }) => {
    const task = tasks.get(root + id);
    tasks.delete(root + id);
    return task && { ended: await task[how](result ?? error) };
  };

export const OTHERS: readonly ApiCall[] = [
  [
    "POST /tasks",
    "Begins a task, and answers what is known of it",
    "description! from id notes repeat tokens",
    async (view, input, { tasks, root }) => {
      const task = await view.task(input);
      tasks.set(root + task.id, task);
      return { id: task.id, brief: task.brief };
    },
  ],
  [
    "POST /tasks/:id/notes",
    "Notes something on a task",
    "text!",
    async (_, { id, text }, { tasks, root }) => {
      const task = tasks.get(root + id);
      await task?.note(text);
      return task !== undefined;
    },
  ],
  ["POST /tasks/:id/done", "Ends a task; false: it had ended", "result", ending("done")],
  ["POST /tasks/:id/failed", "Ends a task that failed", "error!", ending("failed")],
  ["GET /users", "The latest first", "", "users.list"],
  [
    "GET /users/:user/export",
    "All that the user may see, as lines of JSON",
    "",
    ({ users }, { user }) => {
      const lines = ReadableStream.from(users.export(user)).pipeThrough(new TextEncoderStream());
      return new Response(lines, { headers: { "content-type": "application/x-ndjson" } });
    },
  ],
  [
    "GET /users/:user/forget",
    "What deleting the user would take away",
    "",
    ({ users }, { user }) => users.forget(user, { dry: true }),
  ],
  ["DELETE /users/:user", "Deletes all of a user's for good", "", "users.forget user"],
  ["GET /stats", "Counts; since, by: of turns", "since by", "stats *"],
  ["GET /health", "Whether all works", "", "health"],
  [
    "GET /whoami",
    "Who asks, and what that one may do",
    "",
    (_, __, { identity, rights }) => ({
      ...{ identity, ...rights, scopes: scopesOf(identity), version: packageVersion() },
    }),
  ],
];
