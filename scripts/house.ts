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
  [
    {
      room: "core",
      holds: "types, errors, events: what knows no database",
      ground: ["base.ts"],
      clock: ["base.ts"],
      providers: ["request.ts", "schema.ts"],
      inside: [
        [
          { room: "text", holds: "cutting, fences, sentences, terms" },
          { room: "tokens", holds: "the fast estimate, media, exact counts" },
        ],
        [{ room: "secrets", holds: "finds and masks them", providers: true }],
      ],
    },
  ],
  [
    {
      room: "providers",
      holds: "a folder for each wire format; requests are read where they stand",
      providers: true,
      inside: [
        [{ room: "common", holds: "the port `Dialect`, and what models can and cost" }],
        [{ room: "anthropic", holds: "Messages" }],
        [{ room: "openai", holds: "chat completions, as Messages" }],
        [
          { room: "responses", holds: "OpenAI's Responses" },
          { room: "ai-sdk", holds: "the AI SDK's prompts, as Messages" },
          { room: "langchain", holds: "LangChain's messages, as Messages" },
          { room: "gemini", holds: "Gemini's contents, as Messages" },
        ],
      ],
    },
    {
      room: "storage",
      holds: "the port, and what implements it",
      ground: [
        "port.ts",
        "data-port.ts",
        "history-port.ts",
        "files.ts",
        "whole.ts",
        "search-index.ts",
        "rows.ts",
        "methods.ts",
      ],
      inside: [
        [
          { room: "sqlite", holds: "one database file", clock: ["shared-file.ts"] },
          {
            room: "postgres",
            holds: "one schema of a server",
            clock: ["postgres-storage.ts", "server.ts"],
          },
        ],
      ],
    },
  ],
  [
    {
      room: "workspace",
      holds: "the Markdown that people edit",
      inside: [
        [
          {
            room: "disk",
            holds: "files found, locked, written whole; rows",
            clock: ["write-whole.ts"],
          },
        ],
        [{ room: "pages", holds: "MEMORY.md, the day's log, learnings; what the prompt takes" }],
        [{ room: "documents", holds: "records, notes, skills, conversations as pages" }],
        [{ room: "search", holds: "pages as rows, in step with their files" }],
      ],
    },
  ],
  [
    { room: "conversations", holds: "which conversation a request belongs to" },
    {
      room: "memory",
      holds: "what is worth remembering, saved once, found again",
      inside: [
        [{ room: "meaning", holds: "comparison by embeddings" }],
        [{ room: "recalling", holds: "search and ranking of facts" }],
        [
          { room: "turns", holds: "search and ranking of past turns" },
          { room: "saving", holds: "drafts, merging, forgetting" },
          { room: "extracting", holds: "what a model, or none, makes of messages" },
        ],
      ],
    },
  ],
  [
    {
      room: "session",
      holds: "one request on its way: size, sections, price",
      clock: ["own-calls.ts"],
      inside: [
        [
          {
            room: "options",
            holds: "public types, options, listeners, timers",
            clock: ["background.ts", "listeners.ts"],
            providers: ["check-arguments.ts", "tidemark-api.ts"],
          },
        ],
      ],
    },
  ],
  [
    {
      room: "compaction",
      holds: "the fold from estimate to commit",
      inside: [
        [
          {
            room: "journal",
            holds: "receipts, watermarks, identities, pages",
            clock: ["memory-page-sync.ts", "views.ts"],
          },
        ],
        [{ room: "distilling", holds: "behind the conversation: when, and by whom" }],
      ],
    },
  ],
  [
    {
      room: "agents",
      holds: "what agents and hosts call: tools, tasks, records",
      clock: ["history-api.ts"],
    },
  ],
  [
    {
      room: "tidemark",
      holds: "opens a workspace; begin, end, recover, close",
      clock: true,
      inside: [
        [{ room: "upkeep", holds: "opening, export, import, salvage, tidy" }],
        [{ room: "turn", holds: "begin, end, recover, recall of a turn" }],
      ],
    },
  ],
  [
    {
      room: "adapters",
      holds: "a folder for each client library",
      clock: true,
      providers: true,
      inside: [
        [
          { room: "http", holds: "calls and replies of any client library over HTTP" },
          { room: "logs", holds: "logs of agents" },
        ],
        [
          { room: "anthropic", holds: "the SDK's middleware" },
          { room: "http-api", holds: "the HTTP API: routes, events, tokens" },
          { room: "ai-sdk", holds: "calls of a language model" },
          { room: "embedders", holds: "HTTP services, Transformers.js" },
        ],
      ],
    },
  ],
  [
    {
      room: "cli",
      holds: "verbs, and how they are shown",
      clock: true,
      providers: true,
      inside: [
        [{ room: "render", holds: "tables, numbers, the terminal" }],
        [{ room: "input", holds: "flags, failures, opening a workspace" }],
        [
          { room: "transcripts", holds: "foreign files" },
          { room: "proxy", holds: "calls of programs in any language" },
        ],
        [
          { room: "replay", holds: "a transcript played anew" },
          { room: "eval", holds: "how well questions find memories; a map over an embedder" },
        ],
        [{ room: "verbs", holds: "what people type" }],
      ],
    },
  ],
];
