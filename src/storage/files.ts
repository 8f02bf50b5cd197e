/** A file as it stands; `digest` is another when its text is. */
export interface FileRow {
  /** "/" between its parts; a folder's own row ends with one. */
  readonly path: string;
  readonly digest: string;
  readonly bytes: number;
  /** ms since epoch. */
  readonly changed: number;
}

/** What is to stand at a path. */
export interface FilePut {
  readonly path: string;
  /** Undefined takes it away. */
  readonly text: string | undefined;
  /** The digest of what it was made on; undefined where nothing stood. */
  readonly on: string | undefined;
}

/** Pages, notes, records and logs as rows, which all processes share. */
export interface Files {
  read(path: string): Promise<{ readonly text: string; readonly digest: string } | undefined>;
  /** At the path and below it, by path; at "" all. */
  list(under: string): Promise<FileRow[]>;
  /** All or none: false where something else stands than it was made on. */
  put(files: readonly FilePut[], at: number): Promise<boolean>;
  /** No other process is in here meanwhile. Work within it asks for no more of it. */
  alone<T>(work: () => Promise<T>): Promise<T>;
}

/** Is it at the path, or below it? */
export const isUnder = (path: string, start: string): boolean =>
  start === "" || path === start || path.startsWith(`${start}/`);
