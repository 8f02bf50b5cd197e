import "./node-version.ts";

export { openTidemark } from "./engine/open.ts";
export { isTidemarkError, TidemarkError, type ErrorCode } from "./model/errors.ts";
export type { FoldDiff, FoldInfo } from "./model/folds.ts";
export type { TidemarkEvent, Listen } from "./model/events.ts";
export type { Capabilities, Format, Message, Prices, ProviderRequest } from "./model/request.ts";
export type { Identity, Scope } from "./model/identity.ts";
export type {
  Hit,
  ListOptions,
  Memory,
  MemoryKind,
  MemoryPatch,
  Moment,
  Origin,
  RecallOptions,
  SaveInput,
  SearchOptions,
} from "./model/memory.ts";
export type { Lifetimes } from "./memory/saving/lifetimes.ts";
export type { DistilFunction as Complete, Embedder, ReportedUsage } from "./model/ports.ts";
export type { Storage } from "./model/storage.ts";
export type { ImportedConversation, ImportedMessage } from "./history/import.ts";
export type { WindowOptions } from "./window/limits-and-marks.ts";
export type { ToolName } from "./tools/names.ts";
export type { MemoryTool } from "./tools/memory-tool.ts";
export type {
  AdvancedOptions,
  BeginOptions,
  Brief,
  BriefOptions,
  DistilOptions,
  FoldReport,
  Heartbeat,
  HistoryApi,
  MemoryApi,
  NotesApi,
  Options,
  Proposal,
  ProposalsApi,
  RecordInput,
  RecordsApi,
  Stats,
  Task,
  TaskInput,
  Tidemark,
  ToolOptions,
  Turn,
  WorkspaceApi,
} from "./engine/options/types.ts";
