const ENGLISH =
  "a about above after again against all also am an and any are aren't as at be because been before being below between both but by can can't cannot " +
  "could couldn't did didn't do does doesn't doing don't down during each either else ever every few for from further get gets getting go goes going got " +
  "had hadn't has hasn't have haven't having he he'd he'll he's her here here's hers herself him himself his how how's however i i'd i'll i'm i've if in " +
  "into is isn't it it's its itself just let let's like made make many may me might more most much must mustn't my myself neither no nor not now of off " +
  "oh ok okay on once one only or other ought our ours ourselves out over own per perhaps please quite rather really same shall shan't she she'd she'll " +
  "she's should shouldn't since so some such sure than thank thanks that that's the their theirs them themselves then there there's these they they'd " +
  "they'll they're they've this those though through thus till to too under until up upon us very via want was wasn't we we'd we'll we're we've well " +
  "were weren't what what's when when's where where's whether which while who who's whom whose why why's will with within without won't would wouldn't " +
  "yeah yep yes yet you you'd you'll you're you've your yours yourself yourselves";

/** Chinese is not split by spaces, so these are matched as substrings, longest first: function words and politeness only. */
const CHINESE =
  "的 了 是 在 和 与 或 及 也 都 就 还 又 很 更 最 被 把 从 到 对 向 给 让 用 以 为 因为 所以 但是 但 而 而且 并 并且 如果 那么 那 这 这个 那个 这些 那些 " +
  "一个 一些 一下 我 你 您 他 她 它 我们 你们 他们 她们 它们 自己 什么 怎么 怎样 为什么 哪 哪个 哪里 谁 吗 呢 吧 啊 呀 哦 嗯 着 过 得 地 之 其 请 谢谢 好的 " +
  "可以 能 会 要 想 应该 需要 没有 没 不 有 已经 现在 然后 还是 只 只是 再 先";

export const ENGLISH_STOPWORDS: ReadonlySet<string> = new Set(ENGLISH.split(" "));
export const CHINESE_STOPWORDS: ReadonlySet<string> = new Set(CHINESE.split(" "));

/** Says nothing about the subject. Expects a word in lower case, apostrophes straight. */
export const isStopword = (word: string): boolean =>
  ENGLISH_STOPWORDS.has(word) || CHINESE_STOPWORDS.has(word);
