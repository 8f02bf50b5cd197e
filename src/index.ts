import "./node-version.ts";

export { openTidemark } from "./tidemark/open-tidemark.ts";
export { isTidemarkError, TidemarkError, type ErrorCode } from "./core/errors-and-events.ts";
export type { FoldDiff, FoldInfo } from "./core/folds.ts";
export type { TurnInfo } from "./core/turns.ts";
export type { TidemarkEvent, Listen } from "./core/errors-and-events.ts";
export type { Capabilities, Format, Message, Prices, ProviderRequest } from "./core/request.ts";
export type { Identity, Scope } from "./core/identity.ts";
export type {
  Hit,
  ListOptions,
  Memory,
  MemoryPatch,
  Moment,
  Origin,
  RecallOptions,
  SaveInput,
  SearchOptions,
} from "./core/memory.ts";
export type { MemoryKind, MemoryType } from "./core/memory-kinds.ts";
export type { MemoryPage, PageOptions } from "./memory/recalling/page.ts";
export type { Lifetimes } from "./memory/saving/draft.ts";
export type { DistilFunction as Complete, Embedder, ReportedUsage } from "./core/request.ts";
export type { Storage, Truth } from "./storage/port.ts";
export type { ImportedConversation, ImportedMessage } from "./conversations/import.ts";
export type { WindowOptions } from "./session/options/save-and-fold-marks.ts";
export type { ToolName } from "./core/tool-names.ts";
export type { MemoryTool } from "./core/tool-names.ts";
export type {
  AdvancedOptions,
  BeginOptions,
  Brief,
  BriefOptions,
  DataApi,
  DistilOptions,
  FoldReport,
  Health,
  Heartbeat,
  HistoryApi,
  MemoryApi,
  NotesApi,
  Options,
  Proposal,
  ProposalsApi,
  RecordInput,
  RecordsApi,
  Repository,
  Stats,
  Task,
  TaskInput,
  Tidemark,
  ToolOptions,
  Turn,
  WorkspaceApi,
} from "./session/options/tidemark-api.ts";
