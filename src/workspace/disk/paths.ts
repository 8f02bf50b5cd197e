import { TidemarkError } from "../../model/errors.ts";
import { DEFAULT_SCOPE, SCOPE_KINDS, type Scope, type ScopeKind } from "../../model/identity.ts";
import { digest } from "../../text/hash.ts";

/** A file, named from the folder it may not leave. Both relative, "/" between the parts. */
export interface FilePlace {
  /** "" is the root of the workspace. */
  readonly base: string;
  readonly path: string;
}

/** A file of the machine's own. */
export const ownFile = (path: string): FilePlace => ({ base: ".tidemark", path });

export const troubled = (text: string, options?: ErrorOptions): TidemarkError =>
  new TidemarkError("workspace", text, options);

/**
 * Everything but the characters `keep` matches as %xx of its UTF-8 bytes; half a surrogate pair as
 * %uxxxx. Injective.
 */
export const percent = (text: string, keep: RegExp): string =>
  Array.from(text, (char) => {
    if (keep.test(char)) return char;
    return char.isWellFormed()
      ? Buffer.from(char).toString("hex").replace(/../g, "%$&")
      : `%u${char.charCodeAt(0).toString(16)}`;
  }).join("");

export const unpercent = (text: string): string =>
  text.replace(/%u(d[89a-f][0-9a-f]{2})|(?:%[0-9a-f]{2})+/g, (whole, half: string | undefined) => {
    if (half !== undefined) return String.fromCharCode(Number.parseInt(half, 16));
    return Buffer.from(whole.replaceAll("%", ""), "hex").toString("utf8");
  });

/** Windows opens a device for these, with any extension (learn.microsoft.com, "Naming Files"). */
const DEVICE = /^(?:con|prn|aux|nul|com[0-9]|lpt[0-9])(?:\.|$)/;
/**
 * Most file systems stop at 255 bytes a name; temporary and backup names must still fit around it.
 */
const LONGEST_NAME = 120;

/**
 * An id as a folder name: plain lower-case ids stay as they are. Only a-z 0-9 . _ - % come out, so
 * that two ids never meet on a file system that folds case or composes accents; "%h" and "%empty"
 * cannot come out of the encoding itself.
 */
export function safeName(id: string): string {
  if (id === "") return "%empty";
  let name = percent(id, /[a-z0-9._-]/);
  const odd = DEVICE.test(name) || name.startsWith(".");
  if (odd) name = `%${name.charCodeAt(0).toString(16)}${name.slice(1)}`;
  if (name.endsWith(".")) name = `${name.slice(0, -1)}%2e`;
  return name.length <= LONGEST_NAME ? name : `${name.slice(0, 80)}%h${digest(name)}`;
}

export function scopeKind(scope: Scope): ScopeKind {
  const kind = SCOPE_KINDS.find((known) => scope.startsWith(`${known}:`));
  if (kind === undefined)
    throw new TidemarkError(
      "config",
      `"${scope}" is no scope. Write it as kind:id, the kind one of ${SCOPE_KINDS.join(", ")}.`,
    );
  return kind;
}

/** The folder of a scope: the root for the default agent, scopes/<kind>/<id> for all others. */
export function folderOf(scope: Scope): string {
  const kind = scopeKind(scope);
  return scope === DEFAULT_SCOPE ? "" : `scopes/${kind}/${safeName(scope.slice(kind.length + 1))}`;
}

export const fileOf = (scope: Scope, path: string): FilePlace => ({ base: folderOf(scope), path });
/** The place as it reads from the root. */
export const shown = ({ base, path }: FilePlace): string =>
  base === "" ? path : `${base}/${path}`;

/** The place that reads so from the root. */
export const placeIn = (base: string, path: string): FilePlace => ({
  base,
  path: base === "" ? path : path.slice(base.length + 1),
});

/**
 * Stand in the root, but belong to other scopes or to the machine: no path of the default agent may
 * enter.
 */
export const NOT_THE_ROOTS = ["scopes", ".tidemark"] as const;

/** Agents write here by paths of their own making. */
export const isNote = ({ path }: FilePlace): boolean =>
  path === "notes" || path.startsWith("notes/");
