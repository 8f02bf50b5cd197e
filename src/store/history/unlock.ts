import { asDict, isOneOf, parsed } from "../../base/guards.ts";
import { refuse } from "../../model/errors.ts";
import type { Keep } from "../../model/history.ts";
import { asked, type Connection, SilentDamage, valueOf } from "../sqlite/database.ts";
import { type Cells, PLAIN, saltIn, sealedCells } from "./cells.ts";
import { digest } from "../../text/hash.ts";
import { createSeal, newSalt, type SealKey } from "../sqlite/seal.ts";

/** What the key is made with, a cell that only the right one opens, and the digest of both: a bit that flips in them must not shut everything away. */
export interface SealNote {
  readonly salt: string;
  readonly proof: string;
  readonly sum: string;
}
interface KeepingNotes {
  readonly keep?: Keep;
  readonly seal?: SealNote;
}

const KEEPS: readonly Keep[] = ["verbatim", "masked", "none"];
const PROOF = "proof";

/** What a history says of itself; nothing for one that keeps all as it comes and was never asked to do otherwise. */
export function notesOf(database: Connection): KeepingNotes {
  const there = valueOf(database, "select 1 from sqlite_schema where name = 'keeping'");
  if (there === undefined) return {};
  const noted = (name: keyof KeepingNotes): unknown =>
    valueOf(database, "select value from keeping where name = ?", name);
  const [keep, text] = [noted("keep"), noted("seal")];
  const seal = sealNoteIn(text);
  if (text !== undefined && seal === undefined) throw new SilentDamage();
  return { keep: isOneOf(KEEPS, keep) ? keep : undefined, seal };
}

export function sealNoteIn(text: unknown): SealNote | undefined {
  const { salt, proof, sum } = asDict(parsed(String(text)));
  return typeof salt === "string" && typeof proof === "string" && sum === digest(salt, proof)
    ? { salt, proof, sum }
    : undefined;
}

const noted = (salt: string, proof: string): SealNote => ({
  salt,
  proof,
  sum: digest(salt, proof),
});

export const putNote = (
  database: Connection,
  name: "keep" | "seal",
  value: Keep | SealNote,
): void =>
  void database
    .prepare(
      "insert into keeping (name, value) values (?, ?) on conflict (name) do update set value = excluded.value",
    )
    .run(name, typeof value === "string" ? value : JSON.stringify(value));

/** The cells of a new file, and the note to put into it. */
export function newCells(key: SealKey): { cells: Cells; note: SealNote } {
  const salt = newSalt();
  const seal = createSeal(key, salt);
  return { cells: sealedCells(seal, salt), note: noted(salt, seal.close(PROOF, "")) };
}

/** Of a file that has lost its note: any message names what the key is made with, and is a proof. */
export function noteFromBodies(database: Connection): SealNote | undefined {
  const body = valueOf(database, "select json from body limit 1");
  const salt = typeof body === "string" ? saltIn(body) : undefined;
  return salt === undefined ? undefined : noted(salt, String(body));
}

/** Undefined for a key that did not close them. */
export function cellsFor(key: SealKey, { salt, proof }: SealNote): Cells | undefined {
  const seal = createSeal(key, salt);
  const cells = sealedCells(seal, salt);
  try {
    // After salvage any message is the proof.
    if (proof.includes(".")) cells.open("body", "body", proof);
    else seal.open(PROOF, proof);
    return cells;
  } catch {
    return undefined;
  }
}

/** Throws where messages are sealed and nothing says so any more: damage, to be mended. */
function sealNoteOf(database: Connection): SealNote | undefined {
  const held = notesOf(database).seal;
  if (held === undefined && noteFromBodies(database) !== undefined) throw new SilentDamage();
  return held;
}

/** How this file is read and written, by what it is and the key that was given. Throws TidemarkError "config", and then nothing has changed. */
export function unlock(database: Connection, path: string, key: SealKey | undefined): Cells {
  const held = sealNoteOf(database);
  if (held !== undefined) {
    if (key === undefined)
      return refuse(
        `The history at ${path} is encrypted: open it with the key it was made with, as history.key (on the command line as TIDEMARK_HISTORY_KEY in the environment).`,
      );
    return (
      cellsFor(key, held) ??
      refuse(
        `The history at ${path} does not open with this key; nothing was changed. Give the key it was made with (passphrase and 32 bytes are different keys), or name another workspace.`,
      )
    );
  }
  if (key === undefined) return PLAIN;
  const { cells, note } = newCells(key);
  const taken = database
    .transaction(() => {
      if (notesOf(database).seal !== undefined) return "by another";
      const plain =
        "select id from body union all select id from session union all select id from pin";
      if (valueOf(database, plain) !== undefined) return "in plain text";
      putNote(database, "seal", note);
      return undefined;
    })
    .immediate();
  if (taken === "by another") return unlock(database, path, key);
  if (taken !== undefined)
    return refuse(
      `The history at ${path} is not encrypted, and a key given later does not encrypt what is there. To encrypt it: "tidemark export", then "tidemark import" into a new folder with TIDEMARK_HISTORY_KEY set; or open it without history.key.`,
    );
  return cells;
}

/** To move and count rows only. What is sealed cannot be read. */
export function blindCells(database: Connection): Cells {
  const shut = (): never =>
    refuse(
      "The history is encrypted and was opened without its key: give it as history.key (on the command line as TIDEMARK_HISTORY_KEY in the environment).",
    );
  if (sealNoteOf(database) === undefined) return PLAIN;
  return { sealed: true, close: shut, open: shut };
}

/** What a sound history.db says of how it keeps messages, and how many it holds the words of. */
export function keepingOf(
  path: string,
): KeepingNotes & { readonly held: number; readonly unkept: number } {
  return asked(path, (database) => {
    const notes = notesOf(database);
    const unkept =
      notes.keep === undefined
        ? 0
        : valueOf<number>(
            database,
            "select count(*) from entry e join body b on b.id = e.body where substr(b.json, 1, 7) = 'unkept:'",
          );
    const all = valueOf<number>(database, "select count(*) from entry");
    return { ...notes, unkept, held: all - unkept };
  });
}
