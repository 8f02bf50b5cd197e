import "./node-version.ts";

export { openTidemark } from "./engine/open.ts";
export { isTidemarkError, TidemarkError, type ErrorCode } from "./model/errors.ts";
export type { FoldDiff, FoldInfo, Glance, Undone } from "./model/folds.ts";
export type { TidemarkEvent, Listen } from "./model/events.ts";
export type { Capabilities, Prices } from "./model/request.ts";
export type { ModelOverrides } from "./dialect/models/capabilities.ts";
export type { Keep } from "./model/history.ts";
export type { Identity, Scope } from "./model/identity.ts";
export type {
  Hit,
  InjectInput,
  Memory,
  MemoryKind,
  RecallOptions,
  SaveInput,
  SearchOptions,
  ListOptions,
  MemoryPatch,
  ForgetTarget,
  Moment,
  Why,
} from "./model/memory.ts";
export type { Origin } from "./model/memory.ts";
export type { LifetimeRules, Lifetimes } from "./memory/saving/lifetimes.ts";
export type { Purpose, Spent, SpentLine } from "./model/spent.ts";
export type {
  DistilFunction as Complete,
  Embedder,
  EmbeddingUse,
  ReportedUsage,
  Usage,
} from "./model/ports.ts";
export type { Stores, MemoryValues, MemoryWords, TurnIndex, VectorIndex } from "./model/store.ts";
export type { PageIndex } from "./model/page-index.ts";
export type {
  HistoryStore,
  SessionTable,
  BodyTable,
  FoldTable,
  JobTable,
  PinTable,
  SpentTable,
} from "./model/history-store.ts";
export type { ImportedMessage } from "./history/import.ts";
export type { Format, Message, ProviderRequest } from "./model/request.ts";
export type { Mark, WindowOptions } from "./window/limits-and-marks.ts";
export type { BudgetOptions } from "./engine/runtime/budget.ts";
export type { Timer } from "./engine/runtime/background.ts";
export type { ToolName } from "./tools/names.ts";
export type { InputSchema, InputValue, MemoryTool } from "./tools/tool.ts";
export type { OpenFile } from "./workspace/workspace.ts";
export type { Lesson } from "./workspace/pages/learnings.ts";
export type { StoredRecord } from "./workspace/documents/records.ts";
export type { NoteInfo } from "./workspace/documents/notes.ts";
export type { WorkspaceFile } from "./workspace/search/page-files.ts";
export type { FileHit } from "./workspace/search/page-search.ts";
export type {
  AdvancedOptions,
  BeginOptions,
  Brief,
  BriefOptions,
  FoldOptions,
  ConversationInfo,
  DistilOptions,
  FoldReport,
  Heartbeat,
  HistoryApi,
  HistoryOptions,
  MemoryApi,
  NotesApi,
  Options,
  PinInfo,
  PinTarget,
  Promoted,
  PromotedNote,
  Proposal,
  ProposalsApi,
  RecordInput,
  RecordPatch,
  RecordsApi,
  Stats,
  Task,
  TaskInput,
  Tidemark,
  TidyReport,
  ToolOptions,
  Turn,
  ProcedureOptions,
  SessionOptions,
  TurnRecallOptions,
  WindowLevel,
  WorkspaceApi,
} from "./engine/options/types.ts";
