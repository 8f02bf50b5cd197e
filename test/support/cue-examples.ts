import type { Meaning } from "../../src/distil/cues/languages.ts";

/** Sentences that have a meaning, and sentences that have another: what the phrases of each language are tested with. */
type Examples = Readonly<Record<Meaning, Readonly<Record<"match" | "not", readonly string[]>>>>;

export const englishExamples: Examples = {
  about: {
    match: ["My name is Ada.", "I'm a nurse in Leeds.", "Our CI runs on GitHub Actions."],
    not: ["Can you look at the tests?", "Great, thank you!"],
  },
  prefers: {
    match: ["I would prefer the larger one.", "I do not want insurance."],
    not: ["I'd like to book a flight.", "How are you?"],
  },
  needs: {
    match: ["I'm allergic to peanuts, so food needs some care."],
    not: ["I like peanuts.", "I need a table for two."],
  },
  rules: {
    match: ["Always answer in German.", "Invalid themes must NEVER explode.", "No console logs!"],
    not: ["Where is the file?", "The build runs in CI."],
  },
  decides: {
    match: ["Let's go with Postgres.", "We decided to drop IE.", "I'll go with the second option."],
    not: ["Should we go?", "What is this?"],
  },
  plans: {
    match: ["I'm planning a trip to Japan in April.", "My goal is a championship."],
    not: ["Are you free?", "Well done!"],
  },
  corrects: {
    match: [
      "Actually it is 9443.",
      "That's not the system prompt, see main.ts.",
      "I meant Tuesday.",
    ],
    not: ["Costs are listed below.", "Thanks, that helped!"],
  },
  requests: {
    match: ["Please cancel my booking.", "Fix the login page.", "Could you check the logs?"],
    not: ["I live in Bern.", "The meeting moved to Thursday."],
  },
  defers: {
    match: ["Update the docs later.", "Don't forget the invoice."],
    not: ["Latest news, please."],
  },
  withdraws: { match: ["Never mind, it works."], not: ["Don't forget the milk."] },
  remember: {
    match: ["Remember that my dentist is Dr. Moss.", "For the record, the port is 9443."],
    not: ["Do you recall it?"],
  },
  thanks: {
    match: ["Thanks a lot!", "That is great.", "No, all good."],
    not: ["The deadline is Friday."],
  },
  done: {
    match: ["All done: the epic is closed.", "The reservation has been cancelled."],
    not: ["Let me look at the file.", "Which one do you want?"],
  },
  refuses: { match: ["Unfortunately the seat cannot be changed."], not: ["It works now."] },
  because: {
    match: ["It fails because the port is taken.", "SQLite doesn't support ALTER TABLE modify."],
    not: ["Let me read the file."],
  },
  states: {
    match: ["The meeting moved to Thursday 3pm.", "The API rate limit is 50 requests per minute."],
    not: ["Sleep five seconds.", "Copy the dark theme over."],
  },
};

export const germanExamples: Examples = {
  about: {
    match: ["Mein Name ist Jonas.", "Wir nutzen GitLab.", "Unsere Tests laufen nachts."],
    not: ["Danke!", "Kannst du das prüfen?"],
  },
  prefers: { match: ["Ich trinke am liebsten Tee."], not: ["Ich möchte einen Flug buchen."] },
  needs: { match: ["Ich bin allergisch gegen Nüsse."], not: ["Ich esse gern Nüsse."] },
  rules: {
    match: ["Antworte immer auf Deutsch.", "Ab sofort nur mit Tests.", "Keine Konsolenausgaben!"],
    not: ["Wo liegt die Datei?"],
  },
  decides: {
    match: ["Wir nehmen Postgres.", "Wir haben uns für Variante B entschieden."],
    not: ["Was nehmen die anderen?"],
  },
  plans: {
    match: ["Ich plane eine Reise nach Japan.", "Wir ziehen im Mai nach Bern."],
    not: ["Planst du etwas?"],
  },
  corrects: {
    match: ["Ich meinte Dienstag.", "Der Port ist nicht 80, sondern 8080."],
    not: ["Danke, passt."],
  },
  requests: {
    match: ["Bitte storniere die Buchung.", "Kannst du die Logs ansehen?"],
    not: ["Der Termin ist am Freitag."],
  },
  defers: { match: ["Mach das später."], not: ["Spätzle sind gut."] },
  withdraws: { match: ["Hat sich erledigt."], not: ["Vergiss nicht die Milch."] },
  remember: { match: ["Merk dir: der Code ist im Tresor."], not: ["Gemerkt!"] },
  thanks: { match: ["Danke dir!"], not: ["Frist ist Montag."] },
  done: { match: ["Alles fertig.", "Die Buchung wurde storniert."], not: ["Ich sehe nach."] },
  refuses: { match: ["Leider ist das nicht möglich."], not: ["Es geht."] },
  because: { match: ["Es scheitert, weil der Port belegt ist."], not: ["Ich lese die Datei."] },
  states: { match: ["Das Treffen ist am Donnerstag um drei."], not: ["Kopiere die Datei."] },
};

export const chineseExamples: Examples = {
  about: { match: ["我叫小明。", "我们用的是阿里云。"], not: ["谢谢！"] },
  prefers: { match: ["我喜欢喝绿茶。"], not: ["请订一张票。"] },
  needs: { match: ["我对花生过敏。"], not: ["我喜欢花生。"] },
  rules: {
    match: ["必须先跑测试。", "以后都用中文回答。", "不要提交到主分支。"],
    not: ["文件在哪里？"],
  },
  decides: { match: ["我们决定用 PostgreSQL。"], not: ["怎么样？"] },
  plans: { match: ["我打算四月去日本。"], not: ["你好。"] },
  corrects: { match: ["不对，是星期二。", "应该是 8080。"], not: ["谢谢，很好。"] },
  requests: { match: ["请取消预订。", "帮我看看日志。"], not: ["截止日期是周五。"] },
  defers: { match: ["稍后更新文档。"], not: ["现在就做。"] },
  withdraws: { match: ["算了，不用了。"], not: ["别忘了。"] },
  remember: { match: ["记住，门禁密码在前台。"], not: ["忘了。"] },
  thanks: { match: ["谢谢你！"], not: ["周五截止。"] },
  done: { match: ["全部完成。"], not: ["我先看看。"] },
  refuses: { match: ["抱歉，无法更改。"], not: ["可以了。"] },
  because: { match: ["失败是因为端口被占用。"], not: ["我来读文件。"] },
  states: { match: ["会议改到周四下午三点。"], not: ["谢谢！"] },
};
