import type { FilePlace } from "./paths.ts";

/** A file as a listing sees it; `stamp` changes when the file does. */
export interface Listed {
  readonly place: FilePlace;
  readonly stamp: string;
}

type Kind = "file" | "folder" | "link" | "other";

/** The file, folder or link at a place. A link is told, and not followed. */
export interface FileStanding {
  readonly kind: Kind;
  readonly bytes: number;
  /** ms since epoch. */
  readonly changed: number;
}

/** At most so many characters, from the start or the end. */
export interface TextPart {
  readonly characters: number;
  readonly keep: "start" | "end";
}
export const partOf = (text: string, part?: TextPart): string =>
  part?.keep === "end" ? text.slice(-part.characters) : text.slice(0, part?.characters);

/** The new text for the old one; undefined leaves the file alone. */
type FileChange = (text: string | undefined) => string | undefined | Promise<string | undefined>;

/**
 * Where the files are. Reading answers undefined for what is not there; everything else that goes
 * wrong rejects with TidemarkError "workspace". Changes of one file wait for each other.
 */
export interface Folder {
  read(place: FilePlace, part?: TextPart): Promise<string | undefined>;
  /** Reads, changes, writes all or nothing. No other change of the file comes in between. */
  change(place: FilePlace, change: FileChange): Promise<void>;
  /** `opening` stands first in a new file; a last line without its end is ended. */
  append(place: FilePlace, text: string, opening: string): Promise<void>;
  /** Writes the file unless something stands there. */
  create(place: FilePlace, text: string): Promise<void>;
  /** Markdown files at a place: a file, or a folder searched to its depth. */
  list(place: FilePlace): Promise<Listed[]>;
  /** The same, a folder at a time: ten thousand of them need not be held at once. */
  walk(place: FilePlace): AsyncIterable<readonly Listed[]>;
  remove(place: FilePlace): Promise<void>;
  /** Byte for byte, to where nothing stands yet. */
  copy(from: FilePlace, to: FilePlace): Promise<void>;
  look(place: FilePlace): Promise<FileStanding | undefined>;
  /** The names in a folder, in order; [] if there is no folder. */
  entries(place: FilePlace): Promise<{ readonly name: string; readonly kind: Kind }[]>;
  /** With the folders above it; one that is there already stays. */
  makeFolder(place: FilePlace): Promise<void>;
  /** A file or a folder, to where nothing stands. */
  move(from: FilePlace, to: FilePlace): Promise<void>;
  /** With all that is in it. */
  removeFolder(place: FilePlace): Promise<void>;
  /**
   * No other work changes any of the files meanwhile, in no process; what `work` itself changes
   * here does not wait.
   */
  alone<T>(work: () => Promise<T>): Promise<T>;
}

/** A file's stamp, "" where there is none. */
export const stampAt = async (folder: Folder, place: FilePlace): Promise<string> =>
  (await folder.list(place))[0]?.stamp ?? "";

/** Hears of trouble that stops nothing. */
export type Tell = (error: unknown) => void;

/** Answers what the work answers; if it rejects, that is told and `instead` stands for it. */
export const orTell = <T>(tell: Tell, work: Promise<T>, instead: T): Promise<T> =>
  work.catch((error: unknown) => {
    tell(error);
    return instead;
  });
