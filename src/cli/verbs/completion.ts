import { didYouMean } from "../../core/schema.ts";
import { COMMON, type Flags, UsageError, type Verb } from "../input/flags.ts";

type Verbs = Readonly<Record<string, Verb>>;

const dashed = (flags: Flags = {}): string =>
  Object.keys(flags)
    .map((name) => `--${name}`)
    .join(" ");

const forBash = (verbs: Verbs): string => `_tidemark() {
  local cur=\${COMP_WORDS[COMP_CWORD]} prev=\${COMP_WORDS[COMP_CWORD-1]} known
  COMPREPLY=()
  if ((COMP_CWORD == 1)); then known="${Object.keys(verbs).join(" ")}"
  elif [[ $prev == --workspace ]]; then COMPREPLY=($(compgen -d -- "$cur")); return
  elif [[ $cur != -* ]]; then return
  else
    known="${dashed(COMMON)}"
    case \${COMP_WORDS[1]} in
${Object.entries(verbs)
  .map(([name, { flags }]) => `      ${name}) known+=" ${dashed(flags)}" ;;`)
  .join("\n")}
    esac
  fi
  COMPREPLY=($(compgen -W "$known" -- "$cur"))
}
complete -o default -F _tidemark tidemark`;

const fishLine = (rest: string, says: string): string =>
  `complete -c tidemark ${rest} -d '${says.replaceAll("'", "\\'")}'`;
const fishFlags = (flags: Flags = {}, where = ""): string[] =>
  Object.entries(flags).map(([name, { takes, says }]) =>
    fishLine(`${where}-l ${name}${takes === undefined ? "" : " -r"}`, says),
  );

const SHELLS: Readonly<Record<string, (verbs: Verbs) => string>> = {
  bash: forBash,
  // It reads what is written for bash, where its own completion was begun before.
  zsh: (verbs) =>
    "autoload -Uz compinit bashcompinit\n(( $+functions[compdef] )) || compinit\nbashcompinit\n" +
    forBash(verbs),
  fish: (verbs) =>
    [
      ...Object.entries(verbs).flatMap(([name, { says, flags }]) => [
        fishLine(`-f -n __fish_use_subcommand -a ${name}`, says),
        ...fishFlags(flags, `-n '__fish_seen_subcommand_from ${name}' `),
      ]),
      ...fishFlags(COMMON),
    ].join("\n"),
};

/** The script by which a shell completes the verbs and their flags. */
export const completionOf = (verbs: () => Verbs): Verb => ({
  says: "what makes a shell complete verbs and flags",
  takes: "SHELL",
  examples: [
    'eval "$(tidemark completion bash)"',
    'eval "$(tidemark completion zsh)"',
    "tidemark completion fish | source",
  ],
  async run({ line: shell }) {
    const write = Object.hasOwn(SHELLS, shell) ? SHELLS[shell] : undefined;
    if (write === undefined)
      throw new UsageError(
        `completion takes bash, zsh or fish, got "${shell}".` +
          didYouMean(shell, Object.keys(SHELLS)),
      );
    const script = write(verbs());
    return { found: { shell, script }, lines: [script] };
  },
});
