import type { Verb } from "./input/flags.ts";
import { chat } from "./verbs/chat.ts";
import { conversations, diff, folds, read, undo } from "./verbs/conversations.ts";
import { doctor } from "./verbs/doctor.ts";
import { evaluate } from "./verbs/eval.ts";
import { exporting, forget, users } from "./verbs/export-and-forget.ts";
import { files } from "./verbs/files.ts";
import { heartbeat } from "./verbs/heartbeat.ts";
import { hook } from "./verbs/hook.ts";
import { importing } from "./verbs/import.ts";
import { init, rebuild, stats, tidy } from "./verbs/init-stats-and-tidy.ts";
import { mcp } from "./verbs/mcp.ts";
import { list, recall, save, search, show } from "./verbs/memories-and-recall.ts";
import { migrate } from "./verbs/migrate.ts";
import { moving } from "./verbs/move.ts";
import { proxy, wrap } from "./verbs/proxy-and-wrap.ts";
import { record } from "./verbs/record.ts";
import { replay } from "./verbs/replay.ts";
import { inspect, serve, token } from "./verbs/serve.ts";
import { tune } from "./verbs/tune.ts";
import { turns } from "./verbs/turns.ts";

export const VERBS: Readonly<Record<string, Verb>> = {
  ...{ init, chat, replay, recall, search, list, show, save, conversations, read, users },
  ...{ turns, stats, folds, diff, undo, record, heartbeat, doctor, tidy },
  ...{
    rebuild,
    eval: evaluate,
    tune,
    serve,
    inspect,
    token,
    export: exporting,
    import: importing,
    move: moving,
    migrate,
    forget,
    mcp,
    proxy,
    wrap,
    hook,
    files,
  },
};
