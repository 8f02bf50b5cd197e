// What a host that changes its history costs: conversations, folds, distiller calls and tokens of one made-up
// conversation, beside the host that sends all as it came.
//   npm run bench -- hosts
import { openTidemark } from "../src/index.ts";
import type { Format } from "../src/model/request.ts";
import { HOSTS } from "../test/hosts/hosts.ts";
import { play, type Way } from "../test/hosts/play.ts";
import { madeUp } from "../test/hosts/said.ts";
import { record } from "./support.ts";

const STORY = madeUp(7, 40);
const WINDOW = 8_000;
const ways: Record<string, Pick<Way, "host" | "clock" | "retries" | "restarts">> = {
  ...Object.fromEntries(Object.entries(HOSTS).map(([name, host]) => [name, { host }])),
  "tells the time in its system text": { host: HOSTS.unchanged, clock: true },
  "asks each third question twice": { host: HOSTS.unchanged, retries: 3 },
  "starts anew for each turn": { host: HOSTS.unchanged, restarts: true },
};

async function figures(format: Format): Promise<Record<string, unknown>> {
  const rows: Record<string, unknown> = {};
  for (const [name, way] of Object.entries(ways)) {
    const made = await play(STORY, { open: openTidemark, format, window: WINDOW, ...way });
    const { conversations, folds, asked, tokens, broken } = made;
    rows[name] = {
      conversations: conversations.length,
      folds,
      asked,
      tokens,
      refused: broken.length,
    };
  }
  return rows;
}

record("hosts", {
  data: `made up, 40 turns, a window of ${WINDOW} tokens; a distiller that answers at once`,
  anthropic: await figures("anthropic"),
  "openai-chat": await figures("openai-chat"),
});
