import { type Cues } from "./phrases.ts";

export const chinese: Cues = {
  fillers: "好 的 嗯 那 请 对 啊 哦",
  about: { phrases: "我, 我们, 咱们", match: "我叫小明。 | 我们用的是阿里云。", not: "谢谢！" },
  prefers: {
    phrases: "喜欢, 偏好, 最爱, 讨厌, 不喝, 习惯, 宁愿, 不想要",
    match: "我喜欢喝绿茶。",
    not: "请订一张票。",
  },
  needs: { phrases: "过敏, 不吃", match: "我对花生过敏。", not: "我喜欢花生。" },
  rules: {
    phrases:
      "总是, 永远, 一律, 务必, 必须, 一定要, 从不, 绝不, 千万, 不要, 禁止, 以后都, 从现在起, 每次, 不允许, 只能",
    match: "必须先跑测试。 | 以后都用中文回答。 | 不要提交到主分支。",
    not: "文件在哪里？",
  },
  decides: {
    phrases: "决定, 选择, 选定, 改用, 采用, 就用, 定了, 而不是",
    match: "我们决定用 PostgreSQL。",
    not: "怎么样？",
  },
  plans: {
    phrases: "打算, 计划, 准备去, 目标, 梦想, 将要, 搬到",
    match: "我打算四月去日本。",
    not: "你好。",
  },
  corrects: {
    phrases: "不对, 错了, 更正, 纠正, 我说错, 搞错, 弄错, 我的意思是, 我是说, 应该是, 不再",
    match: "不对，是星期二。 | 应该是 8080。",
    not: "谢谢，很好。",
  },
  requests: {
    phrases: "请, 帮我, 能不能, 麻烦, 给我, 继续, 需要你, 修复, 添加, 创建, 检查, 写一",
    match: "请取消预订。 | 帮我看看日志。",
    not: "截止日期是周五。",
  },
  defers: {
    phrases: "以后再, 稍后, 晚点, 别忘, 提醒我, 有空",
    match: "稍后更新文档。",
    not: "现在就做。",
  },
  withdraws: { phrases: "算了, 不用了, 不需要了", match: "算了，不用了。", not: "别忘了。" },
  remember: { phrases: "记住, 请记, 备注, 注意", match: "记住，门禁密码在前台。", not: "忘了。" },
  thanks: {
    phrases: "谢谢, 太好了, 不错, 很好, 辛苦, 早上好, 你好",
    match: "谢谢你！",
    not: "周五截止。",
  },
  done: {
    phrases: "完成, 已经, 已修复, 已取消, 成功, 好了, 搞定",
    match: "全部完成。",
    not: "我先看看。",
  },
  refuses: {
    phrases: "无法, 不能, 抱歉, 失败, 不支持",
    match: "抱歉，无法更改。",
    not: "可以了。",
  },
  because: {
    phrases: "因为, 由于, 原因, 问题是, 问题在于, 导致, 不支持",
    match: "失败是因为端口被占用。",
    not: "我来读文件。",
  },
  states: {
    phrases: "是, 有, 在, 用, 改到, 需要, 叫",
    match: "会议改到周四下午三点。",
    not: "谢谢！",
  },
};
