export { COMPACT_BETA } from "./compaction.ts";
export { distilAsk, type DistilMode } from "./distil-replies.ts";
export { type Failure, type FailurePlan } from "./failures.ts";
export { type ModelInfo, modelInfo, type ModelOptions } from "./models.ts";
export { type InputUsage, PromptCache } from "./prompt-cache.ts";
export { refusalOf, type RefusalOptions } from "./refusals.ts";
export { type Reply, type Script } from "./replies.ts";
export {
  type MessagesServer,
  type Received,
  type ServerOptions,
  startMessagesServer,
  type Totals,
} from "./server.ts";
export { createSigner, type Signer } from "./signatures.ts";
export { requestTokens, textTokens } from "./tokens.ts";
export { type Block, type Json, type Refusal } from "./wire.ts";
