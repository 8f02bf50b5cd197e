/**
 * The rooms of `src`, from the lowest floor up. A room imports rooms of lower floors, never a
 * neighbour, never one above; the same holds for the rooms inside a room. Files that lie in the
 * room itself stand above its inner rooms, but for those of its ground.
 */
export interface Room {
  readonly room: string;
  readonly holds: string;
  readonly inside?: readonly Floor[];
  /** Files of the room itself that its inner rooms stand on. */
  readonly ground?: readonly string[];
  /** It, or these files of it, may read the clock, wait by a timer, or draw ids. */
  readonly clock?: true | readonly string[];
  /** It, or these files of it, may name a provider. */
  readonly providers?: true | readonly string[];
}
export type Floor = readonly Room[];

export const HOUSE: readonly Floor[] = [
  [{ room: "base", holds: "what knows no chat: caches, waiting, guards", clock: true }],
  [{ room: "model", holds: "types, events, errors, identity, the ports", providers: true }],
  [
    { room: "tokens", holds: "counting: the fast estimate, media, exact counts" },
    { room: "text", holds: "hashes, cutting, fences, sentences, terms and stems" },
    {
      room: "dialect",
      holds: "which dialect a request has; streams, replies",
      providers: true,
      inside: [
        [{ room: "common", holds: "the port `Dialect` and what all of them use" }],
        [{ room: "models", holds: "what models can and cost" }],
        [
          { room: "anthropic", holds: "Messages" },
          { room: "openai", holds: "chat completions" },
        ],
      ],
    },
  ],
  [{ room: "secrets", holds: "finds and masks them", providers: true }],
  [
    { room: "window", holds: "limits and marks, calibration, the plan of a fold; all pure" },
    { room: "history", holds: "which session a request belongs to" },
    {
      room: "store",
      holds: "opens the database",
      inside: [
        [{ room: "sqlite", holds: "one database: open, lock", clock: true }],
        [{ room: "vectors", holds: "embeddings and their search" }],
        [
          { room: "turns", holds: "terms of past turns" },
          { room: "pages", holds: "terms of Markdown files" },
          { room: "memories", holds: "facts and their terms" },
          { room: "history", holds: "messages, folds, sums of calls" },
        ],
        [{ room: "repair", holds: "backups, salvage, integrity" }],
      ],
    },
    {
      room: "workspace",
      holds: "the Markdown folder, its logs, its search",
      inside: [
        [{ room: "disk", holds: "files: found, locked, written whole", clock: true }],
        [{ room: "lines", holds: "lines with a mark behind their words" }],
        [
          { room: "log", holds: "the daily log" },
          {
            room: "pages",
            holds: "MEMORY.md, USER.md, AGENTS.md, learnings; what the prompt takes of them",
          },
        ],
        [{ room: "documents", holds: "records, notes, skills, conversations as pages" }],
        [{ room: "search", holds: "pages as rows, in step with their files" }],
      ],
    },
  ],
  [
    {
      room: "memory",
      holds: "one identity's memories",
      inside: [
        [{ room: "sameness", holds: "when two texts say the same" }],
        [{ room: "meaning", holds: "comparison by embeddings" }],
        [{ room: "categories", holds: "what kind of fact it is" }],
        [{ room: "recalling", holds: "search and ranking of facts" }],
        [{ room: "turns", holds: "search and ranking of past turns" }],
        [{ room: "saving", holds: "drafts, merging, forgetting" }],
      ],
    },
    {
      room: "distil",
      holds: "the distiller that asks a model",
      inside: [
        [{ room: "task", holds: "what a distiller is asked" }],
        [{ room: "extract", holds: "the distiller without a model" }],
        [{ room: "reply", holds: "what a model answered" }],
        [{ room: "check", holds: "what of it is kept" }],
      ],
    },
    {
      room: "prompt",
      holds:
        "the text of the sections, of a summary and of what is recalled; the request put together",
    },
  ],
  [{ room: "tools", holds: "what tools are made of" }],
  [
    {
      room: "engine",
      holds: "opens a workspace",
      clock: true,
      inside: [
        [
          {
            room: "runtime",
            holds: "idle, patience, budgets, tracing, sums of calls",
            clock: true,
          },
        ],
        [
          {
            room: "options",
            holds: "public types, options, listeners",
            clock: true,
            providers: true,
          },
        ],
        [
          {
            room: "session",
            holds:
              "the core that all share, the request, its frozen sections, the outgoing request",
          },
        ],
        [
          { room: "journal", holds: "receipts, watermarks, identities, pages", clock: true },
          { room: "accounting", holds: "counted model calls", clock: true },
        ],
        [{ room: "background", holds: "distilling: scheduler, queue, catching up" }],
        [
          { room: "upkeep", holds: "opening, export, import, salvage, tidy" },
          { room: "fold", holds: "the fold from estimate to commit" },
        ],
        [{ room: "turn", holds: "begin, end, recover, recall of a turn" }],
        [{ room: "api", holds: "what a host calls", clock: true }],
      ],
    },
  ],
  [
    {
      room: "adapters",
      holds: "ways in: a client library's calls become begin, end, recover",
      clock: true,
      providers: true,
      inside: [
        [{ room: "http", holds: "calls and replies of any client library over HTTP" }],
        [
          { room: "anthropic", holds: "the SDK's middleware" },
          { room: "embedders", holds: "HTTP services, Transformers.js" },
        ],
      ],
    },
  ],
  [
    {
      room: "cli",
      holds: "the command line",
      clock: true,
      providers: true,
      inside: [
        [{ room: "render", holds: "tables, charts, numbers" }],
        [{ room: "input", holds: "flags, failures, opening a workspace" }],
        [{ room: "transcripts", holds: "foreign files" }],
        [
          { room: "replay", holds: "a transcript played anew" },
          { room: "doctor", holds: "checks of a workspace" },
        ],
        [{ room: "verbs", holds: "what people type" }],
      ],
    },
  ],
];
