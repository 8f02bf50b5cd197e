/** A file a shell command writes, read off its words: no shell is understood, only the commands that nearly all use. */
export interface Written {
  readonly path: string;
  /** In a word people ask with: "Copied to". */
  readonly how: string;
}

/** A script of more text than this is read in its beginning. */
const READ = 8_000;
const MOST = 12;
const WORD = /"(?:[^"\\\n]|\\.){0,300}"|'[^'\n]{0,300}'|\d?>{1,2}\|?|&>{1,2}|&&|\|\||[;|&\n]|[^\s;|&<>"'\n]+/g;
const ENDS = new Set(["&&", "||", ";", "|", "&", "\n"]);
const PREFIXES = new Set(["sudo", "time", "nohup", "env", "exec", "command", "then", "do", "else", "!"]);
/** The last of their arguments is where things go. */
const INTO_LAST = new Set(["cp", "mv", "ln", "rsync", "scp", "install", "rename"]);
/** All of their arguments are made or changed. */
const ALL = new Set(["mkdir", "touch", "tee", "truncate"]);
/** Options whose value is the file. */
const OPTIONS: Readonly<Record<string, RegExp>> = { curl: /^(?:-o|--output)$/, wget: /^(?:-O|--output-document)$/, tar: /^(?:-C|--directory)$/, unzip: /^-d$/, pandoc: /^(?:-o|--output)$/, gcc: /^-o$/, sort: /^-o$/ };
const GIT = new Set(["mv", "clone"]);
const NOWHERE = /^(?:\/dev\/|&\d|-$|\$|`)/;

const HOW: Readonly<Record<string, string>> = { cp: "Copied to", rsync: "Copied to", scp: "Copied to", mv: "Moved to", rename: "Moved to", ln: "Linked as", mkdir: "Folder created:", touch: "File created:", curl: "Downloaded to", wget: "Downloaded to", tar: "Unpacked to", unzip: "Unpacked to", sed: "Changed:", perl: "Changed:" };

export function writtenBy(command: string): Written[] {
  const found = new Map<string, Written>();
  const note = (word: string | undefined, how: string): void => {
    const path = (word ?? "").replace(/^["']|["']$/g, "");
    if (path.length > 1 && path.length <= 300 && !NOWHERE.test(path) && !/[*?{}$]/.test(path) && !found.has(path)) found.set(path, { path, how });
  };
  let words: string[] = [];
  let into = false;
  const close = (): void => {
    const { name, paths } = targets(words);
    for (const path of paths) note(path, HOW[name] ?? "Written:");
    words = [];
  };
  for (const word of command.slice(0, READ).match(WORD) ?? []) {
    if (found.size >= MOST) break;
    if (/^(?:\d?>{1,2}\|?|&>{1,2})$/.test(word)) into = true;
    else if (ENDS.has(word)) {
      // "2>&1": the sign belongs to the target.
      if (!(into && word === "&")) close();
      into = false;
    } else if (into) {
      if (!/^\d$/.test(word)) note(word, "Written:");
      into = false;
    } else words.push(word);
  }
  close();
  return [...found.values()];
}

/** What a single command with its words makes or changes. */
function targets(words: readonly string[]): { name: string; paths: readonly string[] } {
  let at = 0;
  while (PREFIXES.has(words[at] ?? "") || /^[A-Z_]{2,40}=/.test(words[at] ?? "")) at += 1;
  const name = (words[at] ?? "").replace(/^.*\//, "");
  const rest = words.slice(at + 1);
  const plain = rest.filter((word) => !/^-/.test(word));
  if (INTO_LAST.has(name)) return { name, paths: plain.length >= 2 ? plain.slice(-1) : [] };
  if (ALL.has(name)) return { name, paths: plain.filter((word) => !/^[0-7]{3,4}$/.test(word)) };
  // "sed -i 's/a/b/' file": the first is the script.
  if ((name === "sed" || name === "perl") && rest.some((word) => /^-\w{0,3}i/.test(word))) return { name, paths: plain.slice(1) };
  if (name === "git") {
    const [verb = "", ...names] = plain;
    if (GIT.has(verb)) return { name: verb, paths: names.length >= 2 ? names.slice(-1) : [] };
    return { name: verb, paths: [] };
  }
  const option = OPTIONS[name];
  if (option === undefined) return { name, paths: [] };
  const value = rest.findIndex((word) => option.test(word));
  return { name, paths: value < 0 ? [] : rest.slice(value + 1, value + 2) };
}
