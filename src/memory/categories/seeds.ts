import { fold } from "../../text/terms.ts";
import { kindOf } from "../../text/identifiers.ts";

/**
 * What statements of a built-in category say whatever they are about: the words with which one decides, prefers, warns.
 * Topics are learnt from the members, never seeded. A word behind "!" is enough by itself, of the others it takes two;
 * "^" is the first word of a text, as in "Never deploy on Fridays". In the forms they have, since "enjoys" tells of a
 * preference and "enjoying" of anything.
 */
export const SEEDS: Readonly<Record<string, string>> = {
  decision:
    "!decided !chose !opted !^chose !^switched decision agreed settled adopted selected switched chosen picked instead dropped !决定 !改用 !选定 选择 采用",
  preference:
    "!prefers !prefer !preference !preferences !favourite !favorite !likes !loves !hates !dislikes !enjoys love hate rather wants !喜欢 !偏好 !讨厌 !最爱",
  principle:
    "!^always !^never !^avoid !^don't !principle !forbidden always never must rule should only policy every !必须 !禁止 !始终 !务必 !不得 不要 永远 原则",
  procedure:
    "!^run !^restart !^first !procedure !workflow steps step run then finally before execute restart !步骤 !首先 !流程 然后 运行 执行",
  incident:
    "!incident !outage !crashed !宕机 !故障 !崩溃 !事故 failed failure down broke broken timeout rollback alert alerts unavailable error 失败 报错 中断",
  "mistake-pattern":
    "!mistake !mistakes !forgot !wrongly !misread !misunderstood !pitfall confused forgets forgetting mixed wrong repeatedly assumed again same !误解 !搞错 !弄错 忘记",
  "best-practice":
    "!lesson recommended !tip practice recommend useful helps works better best well !最佳 !经验 推荐 实践",
  "codebase-knowledge":
    "!@path !module !repository !repo !endpoint !endpoints !codebase function class schema file files directory package packages imports defined component table column config api tests !函数 !模块 !目录 !接口 文件 代码 仓库",
  core: "!birthday !born !allergic lives married wife husband name called works address email phone daughter daughters son sons mother father cat dog !名字 !生日 !住在 妻子 丈夫 电话 女儿 儿子",
  daily:
    "!today !yesterday !tomorrow !tonight morning afternoon evening meeting appointment lunch dinner schedule !今天 !昨天 !明天 !今晚 早上 下午 晚上",
  conversation:
    "!talked !discussed !chatted asked conversation mentioned told said explained suggested !讨论 !聊到 !提到 !谈到",
};

const LOUDNESS = { loud: 1, quiet: 0.25 } as const;

/** By cue: the categories it speaks for, and how loudly. */
export const SEEDED: ReadonlyMap<string, ReadonlyMap<string, number>> = seeded();

function seeded(): Map<string, Map<string, number>> {
  const found = new Map<string, Map<string, number>>();
  for (const [category, words] of Object.entries(SEEDS))
    for (const word of words.split(" ")) {
      const cue = `=${word.replace(/^!/, "")}`;
      const voices = found.get(cue) ?? new Map<string, number>();
      voices.set(category, word.startsWith("!") ? LOUDNESS.loud : LOUDNESS.quiet);
      found.set(cue, voices);
    }
  return found;
}

/** Of a page only its beginning says what it is. */
const MOST_CHARACTERS = 2_000;

const HAN = /^\p{Script=Han}/u;

/** The cues a text holds; none can be taken for a term, as terms hold no "=". */
export function cuesOf(text: string): string[] {
  const beginning = text.slice(0, MOST_CHARACTERS);
  const words = fold(beginning).match(/[\p{L}\p{N}]+(?:['-][\p{L}\p{N}]+)*/gu) ?? [];
  const cues = words.flatMap((word) =>
    HAN.test(word)
      ? [...word].slice(1).map((character, at) => `=${[...word][at] ?? ""}${character}`)
      : [`=${word}`],
  );
  const path = beginning
    .split(/\s+/u)
    .some(
      (word) =>
        /[/.]/.test(word) && kindOf(word.replace(/^["'`(]+|[.,;:!?"'`)]+$/g, "")) === "path",
    );
  return [
    ...(path ? ["=@path"] : []),
    ...(words[0] === undefined ? [] : [`=^${words[0]}`]),
    ...cues,
  ].filter((cue) => SEEDED.has(cue));
}
