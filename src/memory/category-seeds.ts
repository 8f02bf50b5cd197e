import { terms } from "../text/terms.ts";

/**
 * What statements of a built-in category say whatever they are about: the words with which one decides, prefers, warns.
 * Topics are learnt from the members, never seeded. "!" marks a word that alone is enough.
 */
const SEEDS: Readonly<Record<string, string>> = {
  decision: "decided! decide! decision! chose! chosen! agreed! opted! settled adopted! selected switched picked moving instead 决定! 选择 采用! 改用! 选定!",
  preference: "prefer! prefers! preference! favourite! favorite! likes! loves! hates! dislikes! enjoys! love like hate rather wants 喜欢! 偏好! 讨厌! 最爱! 爱吃!",
  principle: "always! never! must! principle! rule! forbidden! should ensure only policy avoid 必须! 不要 禁止! 始终! 务必! 永远! 原则! 不得!",
  procedure: "procedure! steps! step! workflow! run first then finally before execute how restart deploy 步骤! 首先! 流程! 然后 运行 执行",
  incident: "incident! outage! crashed! crash! failed! failure! down broke broken timeout rollback alert unavailable 故障! 崩溃! 宕机! 事故! 失败! 报错! 中断!",
  "mistake-pattern": "mistake! mistakes! forgot! forgetting! wrongly! misread! misunderstood! pitfall! confused! mixed wrong repeatedly assumed again 忘记! 误解! 搞错! 弄错! 又犯!",
  "best-practice": "practice! recommended! recommend! tip! lesson! useful helps works better best well 最佳! 实践! 推荐! 经验!",
  "codebase-knowledge": "repository! repo! module! function! class! endpoint! schema! codebase! file directory package imports defined component table config api tests source 文件 函数! 模块! 目录! 接口! 代码! 仓库!",
  core: "name! birthday! born! married! wife! husband! allergic! lives! works address email phone daughter son mother father cat dog 名字! 生日! 住在! 妻子! 丈夫! 电话 女儿 儿子",
  daily: "today! yesterday! tomorrow! tonight! morning afternoon evening meeting appointment lunch dinner schedule 今天! 昨天! 明天! 今晚! 早上 下午 晚上 日程",
  conversation: "talked! discussed! asked! conversation! chatted! mentioned told said explained suggested 讨论! 聊到! 提到! 谈到! 聊了!",
};

export const BUILT_IN: readonly string[] = Object.keys(SEEDS);

/** By term: the categories it speaks for, and how loudly. */
export const SEEDED: ReadonlyMap<string, ReadonlyMap<string, number>> = seeded();

function seeded(): Map<string, Map<string, number>> {
  const found = new Map<string, Map<string, number>>();
  for (const [category, words] of Object.entries(SEEDS))
    for (const word of words.split(" ")) {
      const loud = word.endsWith("!");
      const own = terms(loud ? word.slice(0, -1) : word);
      // A pair of characters is a term by itself; its single characters are too common to speak.
      const term = own.find((part) => part.length > 1) ?? own[0];
      if (term === undefined) continue;
      const voices = found.get(term) ?? new Map<string, number>();
      voices.set(category, Math.max(voices.get(category) ?? 0, loud ? 1 : 0.4));
      found.set(term, voices);
    }
  return found;
}
