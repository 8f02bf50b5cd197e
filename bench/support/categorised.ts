/** Statements with the category a person would give them, written for measuring; the seed words were not chosen from them. */
const STATEMENTS: Readonly<Record<string, readonly string[]>> = {
  decision: [
    "We decided to keep the monorepo.", "The team agreed on two-week sprints.", "Chose Fastify over Express for the gateway.", "We will go with the blue logo.", "Switched from npm to pnpm in June.",
    "After the review the board opted for the cheaper supplier.", "Redis was selected as the queue backend.", "It is settled: the launch happens in Berlin.", "We adopted trunk-based development.", "Dropped support for Node 18.",
    "我们决定下个月上线。", "数据库改用 PostgreSQL。", "团队选择了方案二。",
  ],
  preference: [
    "Ada prefers tabs to spaces.", "Tom likes his coffee black.", "The user's favourite editor is Helix.", "Maria hates phone calls.", "He would rather get a summary than the full log.",
    "Yuki enjoys long walks by the sea.", "She loves science fiction.", "Jonas dislikes dark mode.", "Answers should be short, the user said he likes it terse.", "Karl prefers window seats.",
    "小王喜欢喝绿茶。", "她讨厌开会。", "用户偏好深色主题。",
  ],
  principle: [
    "Never push to main directly.", "Always write the migration before the model.", "Customer data must not leave the EU.", "Every change needs a review.", "Avoid global state.",
    "Tests come first, always.", "Only the release manager may tag.", "It is forbidden to log tokens.", "As a rule, errors are returned, not thrown.", "Do not deploy on Fridays.",
    "提交前必须跑测试。", "禁止在日志里打印密码。", "始终使用参数化查询。",
  ],
  procedure: [
    "To release: bump the version, run the build, then push the tag.", "Restart the worker with systemctl restart tide-worker.", "First stop the cron job, then take the backup, finally start it again.",
    "Steps for onboarding: create the account, send the key, book a call.", "Run npm run seed before the integration tests.", "The invoice workflow is export, check, send.",
    "To rotate the certificate, execute rotate.sh on each node.", "The procedure for refunds starts with form R2.", "Before a demo, reset the database and warm the cache.", "Reset the router by holding the button for ten seconds.",
    "部署步骤:先构建,然后推送镜像。", "首先停止服务,然后备份数据。", "发布流程分三步。",
  ],
  incident: [
    "The checkout was down for forty minutes on Tuesday.", "An outage of the mail provider delayed all invites.", "The nightly job failed because the disk was full.", "The app crashed when two users saved at once.",
    "A rollback was needed after the timeout in the payment service.", "Login broke after the certificate expired.", "The importer crashed on an empty file.", "The API was unavailable from nine to ten.",
    "There was a failure of the primary database last night.", "Alerts fired at 3 am: queue over a million.", "昨晚数据库宕机了半小时。", "支付服务故障导致订单丢失。", "构建失败,因为磁盘满了。",
  ],
  "mistake-pattern": [
    "Forgot to await the promise again.", "The agent repeatedly edits the generated file by mistake.", "A common mistake is to mix up seconds and milliseconds.", "Wrongly assumed that the list is sorted.",
    "Misread the units in the report twice.", "Confused the staging key with the production key.", "The same mistake as last week: the flag was not reset.", "Keeps forgetting to close the file handle.",
    "The pitfall was the off-by-one in paging.", "Misunderstood the ticket and built the wrong page.", "又忘记加索引了。", "把毫秒误解为秒。", "总是搞错时区。",
  ],
  "best-practice": [
    "It works well to write the summary before the details.", "Recommended: keep functions under forty lines.", "A useful tip is to pin the base image.", "Small pull requests are better reviewed.",
    "Lesson learnt: measure before tuning.", "Good practice is to name tests after behaviour.", "It helps to log the request id everywhere.", "Best results come with a temperature of zero.",
    "We recommend retrying with jitter.", "Feature flags make releases calmer: a practice worth keeping.", "最佳实践是先写测试。", "推荐每天备份一次。", "经验:先测量再优化。",
  ],
  "codebase-knowledge": [
    "src/auth/session.ts holds the login logic.", "The billing module imports the tax tables.", "The function parseRange lives in lib/range.ts.", "All endpoints are defined in routes.py.",
    "The repository has three packages.", "The users table has a column deleted_at.", "Config is read from config/default.yaml.", "class OrderBook keeps bids in a heap.", "Tests of the parser stand in test/parse.",
    "The schema of events is in schema.sql.", "登录逻辑在 auth.ts 文件里。", "接口都定义在 routes 模块。", "这个函数在 utils 目录。",
  ],
  core: [
    "My name is Ines.", "Tom was born in Leeds.", "Her husband is called Mark.", "The user lives in Oslo.", "Peter is allergic to nuts.", "Her birthday is in March.", "Nadia works as a nurse.",
    "His phone number ends in 77.", "They have two daughters.", "The cat's name is Whisker.", "我的名字叫李雷。", "她住在上海。", "他的生日是五月八日。",
  ],
  daily: [
    "Dentist appointment tomorrow at nine.", "Had lunch with Sara today.", "Yesterday the plumber came.", "Meeting with the auditors this afternoon.", "Tonight the choir rehearses.",
    "Went for a run this morning.", "Today it snowed.", "Dinner with the neighbours tomorrow evening.", "今天下午开会。", "明天去看牙医。", "昨天下雨了。",
  ],
  conversation: [
    "We talked about the move to Porto.", "The user asked how backups work.", "Ben mentioned that his sister visits in May.", "They discussed the budget for an hour.", "She told me about the hike.",
    "In the last conversation the user explained the grading.", "He chatted about football.", "昨晚聊到了旅行计划。", "我们讨论了预算。", "他提到妹妹要来。",
  ],
  general: [
    "The harbour has nine cranes.", "Water boils at 100 degrees at sea level.", "The invoice number is 4711.", "Porto lies on the Douro.", "The budget is 900 euros.", "There are twelve monitors in stock.",
    "The museum opens at ten.", "The red box contains cables.", "The train to Leeds takes two hours.", "The painting is from 1887.", "Bread costs two euros.", "The contract runs until 2027.", "港口有九台起重机。", "合同到 2027 年。", "面包两块钱。",
  ],
};

export const CATEGORISED: readonly { readonly text: string; readonly category: string }[] = Object.entries(STATEMENTS).flatMap(([category, texts]) => texts.map((text) => ({ text, category })));
