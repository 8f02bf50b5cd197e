// Opens the workspace that is named with another model, embeds so many batches behind the conversation, and hangs in the next.
import { openTidemark } from "../../src/index.ts";
import { toyEmbedder } from "./embedder.ts";

const [workspace, batches] = process.argv.slice(2);
const toy = toyEmbedder({ model: "second", turn: 7 });
let left = Number(batches);
const tidemark = await openTidemark({
  workspace: workspace ?? "",
  embed: {
    ...toy,
    async embed(texts) {
      // Calibrating comes first, and in other sizes.
      if (texts.length === 64) {
        console.log(`batch ${left}`);
        left -= 1;
        if (left < 0) await new Promise(() => undefined);
      }
      return toy.embed(texts);
    },
  },
});
await tidemark.idle();
