import { anthropicMiddleware } from "../../adapters/anthropic.ts";
import type { TidemarkEvent } from "../../model/events.ts";
import { openTidemark } from "../../engine/open.ts";
import { capabilitiesOf } from "../../dialect/models/capabilities.ts";
import { limitOf } from "../../window/limits-and-marks.ts";
import { loadSdk, saidOf } from "../chat/client.ts";
import { converse } from "../chat/loop.ts";
import { Notices } from "../chat/notices.ts";
import { Failure } from "../input/failure.ts";
import { historyFlag, historyFrom, type Verb } from "../input/flags.ts";
import { count, tokens } from "../render/numbers.ts";

const MODEL = "claude-sonnet-5-5";
/** Longest reply. Room for it is kept free in the window. */
const MAX_TOKENS = 8_000;

/** A conversation in the terminal: through the SDK and the middleware, as in anyone's own program. */
export const chat: Verb = {
  flags: {
    model: { takes: "NAME", says: `the model to talk to (default ${MODEL})` },
    window: { takes: "N", says: "use no more of its window than this: 16k, 200k (default: all)" },
    ...historyFlag,
  },
  examples: [
    "tidemark chat",
    "tidemark chat --model claude-haiku-5-5 --window 32k",
    "tidemark chat --user ada",
    'echo "what do you know of me?" | tidemark chat',
  ],
  async run(given, io) {
    if ((io.env.ANTHROPIC_API_KEY ?? "") === "")
      throw new Failure(
        'ANTHROPIC_API_KEY is not set, so there is nobody to talk to; set it, or see Tidemark work without one: "tidemark replay FILE".',
      );
    const { Anthropic } = await loadSdk();
    const model = given.text("model") ?? MODEL;
    const own = given.tokens("window");
    const can = capabilitiesOf(
      model,
      undefined,
      own === undefined ? await saidOf(new Anthropic(), model) : {},
    );
    const window = own ?? can.window;

    const notices = new Notices(io);
    const tidemark = await openTidemark({
      workspace: given.workspace,
      identity: given.identity,
      window: { tokens: window },
      history: historyFrom(given),
      listen: (event: TidemarkEvent) => notices.hear(event),
    });
    try {
      const client = new Anthropic({ middleware: [anthropicMiddleware(tidemark)] });
      const { memories } = await tidemark.stats();
      io.say(
        `${io.paint.bold("Tidemark")} ${io.paint.dim(`· ${model} · window ${tokens(window)} · ${given.workspace} · ${memories === 0 ? "nothing remembered yet" : `remembers ${count(memories, "thing")}`}`)}`,
      );
      io.say(
        io.paint.dim(
          "/help lists what you can type besides words; Ctrl-C stops a reply, twice ends the chat.",
        ),
      );
      await converse({
        client,
        tidemark,
        notices,
        io,
        model,
        maxTokens: MAX_TOKENS,
        limit: limitOf({ tokens: window, promptPlusReply: can.promptPlusReply }, MAX_TOKENS),
      });
      return {};
    } finally {
      await tidemark.close();
      notices.show();
      if (notices.remembered > 0)
        io.say(
          io.paint.dim(`${count(notices.remembered, "thing")} remembered from this conversation.`),
        );
    }
  },
};
