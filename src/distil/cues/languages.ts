import { remembering } from "../../base/cache.ts";

/** Words that may stand before a sentence's beginning without changing it. */
const FILLERS = new Set(
  (
    "ok okay so well and but also yeah yes oh hey hi um please then now alright right sure btw omg omfg dude just no hmm sorry wait " +
    "ok okay also und aber ja nein naja ach hey hallo bitte dann jetzt gut genau so 好 的 嗯 那 请 对 啊 哦"
  ).split(" "),
);

/**
 * What a sentence may be for, each with its phrases, a comma between them. Words stand in small letters; `^` is where the sentence
 * begins (behind "ok", "so" and the like).
 */
export const english = {
  about: "i, i'm, i've, i'd, we, we're, we'll, my, our",
  prefers:
    "prefer, i'd rather, i like, i love, i hate, favorite, i don't like, i do not want, i don't want",
  needs: "allergic, allergy, vegan",
  rules:
    "always, never, must not, must be, from now on, every time, ^no, ^only, under no circumstances, not allowed, unless i, ^don't, " +
    "^do not, sign off, make sure",
  decides: "decided, let's go with, let's use, i'll go with, we'll go with, instead of",
  plans:
    "i'm planning, i plan, i'm going to, my goal, goal is, my dream, dream of, dream to, i want to become, i'm moving",
  corrects:
    "^actually, i meant, i said, that's wrong, is wrong, that's not, that is not, not what, misunderstood, no longer, undid, " +
    "^correction, i was wrong, misspoke, got that wrong, should have",
  requests:
    "please, can you, could you, can we, would you, help me, i need to, i'd like to, ^let's, ^add, ^fix, ^make, ^create, ^write, " +
    "^implement, ^update, ^remove, ^run, ^read, ^show, ^check, ^change, ^continue, ^tell, ^give, go ahead",
  defers: "later, when you get to it, don't forget, remind me",
  withdraws: "never mind, forget it, no need",
  remember: "remember that, ^remember, keep in mind, for the record",
  thanks: "thanks, thank you, great, perfect, nice, well done, love it, all good, not bad",
  done: "done, completed, complete, finished, implemented, fixed, has been, i've, successfully, pushed, created",
  refuses: "i can't, i cannot, unable to, cannot be, unfortunately, fails",
  because:
    "because, due to, root cause, the problem, the issue, turns out, turned out, support, requires",
  states: "is, are, was, has, runs, uses, moved, needs, expires, costs",
};

export type Meaning = keyof typeof english;
export const MEANINGS = Object.keys(english) as Meaning[];
type Cues = Readonly<Record<Meaning, string>>;

export const german: Cues = {
  about: "ich, wir, mein, meine, meiner, meinem, unser, unsere",
  prefers:
    "ich bevorzuge, ich mag, ich liebe, ich hasse, am liebsten, lieber, lieblings, ich möchte kein, ich möchte keine, ich will kein",
  needs: "allergisch, vegetarisch, vegan",
  rules:
    "immer, nie, niemals, auf keinen fall, ab jetzt, ab sofort, von nun an, darf nicht, dürfen nicht, darf nie, muss immer, " +
    "müssen immer, nur mit, nicht ohne, jedes mal, grundsätzlich, ^keine, ^kein, freigeben, verboten",
  decides: "entschieden, beschlossen, wir nehmen, ich nehme, einigten uns, es bleibt bei, statt",
  plans:
    "ich plane, wir planen, mein ziel, ich werde, wir werden, ich habe vor, ich möchte werden, ich ziehe, wir ziehen",
  corrects:
    "^doch nicht, ^falsch, stimmt nicht, ich meinte, ich habe mich vertan, geirrt, nicht mehr, sondern, korrektur, das ist falsch, " +
    "hättest, missverstanden, verschrieben",
  requests:
    "bitte, kannst du, könntest du, können wir, würdest du, hilf mir, ich möchte, ich brauche, mach, schreib, prüfe, prüf, zeig, " +
    "erstelle, ändere, lösche, füge, baue, weiter",
  defers: "später, irgendwann, vergiss nicht, erinnere mich, wenn du zeit hast",
  withdraws: "vergiss es, nicht mehr nötig, schon gut, hat sich erledigt",
  remember: "merk dir, merke dir, denk daran, zur info, beachte",
  thanks: "danke, super, toll, perfekt, prima, klasse, freut mich, guten morgen, alles gut",
  done: "fertig, erledigt, abgeschlossen, behoben, wurde, wurden, ich habe, erfolgreich, umgesetzt",
  refuses: "leider, ich kann nicht, nicht möglich, kann nicht, schlägt fehl",
  because: "weil, wegen, ursache, das problem, der grund, lag an, liegt an, unterstützt kein",
  states: "ist, sind, war, hat, läuft, nutzt, zieht, braucht, kostet, wird",
};

export const chinese: Cues = {
  about: "我, 我们, 咱们",
  prefers: "喜欢, 偏好, 最爱, 讨厌, 不喝, 习惯, 宁愿, 不想要",
  needs: "过敏, 不吃",
  rules:
    "总是, 永远, 一律, 务必, 必须, 一定要, 从不, 绝不, 千万, 不要, 禁止, 以后都, 从现在起, 每次, 不允许, 只能",
  decides: "决定, 选择, 选定, 改用, 采用, 就用, 定了, 而不是",
  plans: "打算, 计划, 准备去, 目标, 梦想, 将要, 搬到",
  corrects: "不对, 错了, 更正, 纠正, 我说错, 搞错, 弄错, 我的意思是, 我是说, 应该是, 不再",
  requests: "请, 帮我, 能不能, 麻烦, 给我, 继续, 需要你, 修复, 添加, 创建, 检查, 写一",
  defers: "以后再, 稍后, 晚点, 别忘, 提醒我, 有空",
  withdraws: "算了, 不用了, 不需要了",
  remember: "记住, 请记, 备注, 注意",
  thanks: "谢谢, 太好了, 不错, 很好, 辛苦, 早上好, 你好",
  done: "完成, 已经, 已修复, 已取消, 成功, 好了, 搞定",
  refuses: "无法, 不能, 抱歉, 失败, 不支持",
  because: "因为, 由于, 原因, 问题是, 问题在于, 导致, 不支持",
  states: "是, 有, 在, 用, 改到, 需要, 叫",
};

/** A Chinese character is a word of its own; elsewhere letters and digits are, with apostrophes. */
const WORD = /\p{Script=Han}|[\p{L}\p{N}]+(?:['’][\p{L}]+)*/gu;
/** A sentence has no more words than this that tell what it is for. */
const READ = 120;

const wordsIn = (text: string): string[] =>
  (text.match(WORD) ?? []).slice(0, READ).map((word) => word.toLowerCase().replace("’", "'"));

/** Reads what a sentence is for, in time linear in its words. */
export function reader(languages: readonly Cues[]): (text: string) => ReadonlySet<Meaning> {
  const phrases = languages.flatMap((cues) =>
    MEANINGS.flatMap((meaning) =>
      cues[meaning].split(", ").map((raw) => ({
        meaning,
        words: wordsIn(raw),
        isFirst: raw.startsWith("^"),
      })),
    ),
  );
  const byWord = Map.groupBy(phrases, ({ words }) => words[0]);
  return (text) => {
    const words = wordsIn(text);
    const begin = words.findIndex((word, at) => !FILLERS.has(word) || at === words.length - 1);
    const found = words.flatMap((word, at) =>
      (byWord.get(word) ?? []).filter(
        ({ isFirst, words: phrase }) =>
          !(isFirst && at > begin) && phrase.every((one, index) => words[at + index] === one),
      ),
    );
    return new Set(found.map(({ meaning }) => meaning));
  };
}

/** What a sentence is for, by the phrases of the three languages; another language tells nothing here. */
export const meanings = remembering(reader([english, german, chinese]));
