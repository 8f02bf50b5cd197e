import "../node-version.ts";
import {
  type CallToolResult,
  fromJsonSchema,
  type GetPromptResult,
  type jsonSchemaValidator,
  McpServer,
  ProtocolError,
  ProtocolErrorCode,
  type Resource,
  ResourceNotFoundError,
  type ToolAnnotations,
} from "@modelcontextprotocol/server";
import { structureOf } from "../agents/tool-parts.ts";
import { type Scope, scopesOf } from "../core/identity.ts";
import { packageVersion } from "../core/installed.ts";
import { check, flag, options as known } from "../core/schema.ts";
import { oneLine } from "../core/text/cut.ts";
import { TOOL_NAMES, type ToolName } from "../core/tool-names.ts";
import { internalsFor } from "../session/options/internals.ts";
import type { Tidemark } from "../session/options/tidemark-api.ts";
import { SEARCHING, TOOLS } from "../session/render-frozen.ts";

export interface ServerOptions {
  /** Offers only what changes nothing. Default false. */
  readOnly?: boolean;
}

const NAME = "createServer";
const OPTIONS = known<ServerOptions>({ readOnly: flag });

const READING: readonly ToolName[] = [
  ...(["memory_search", "memory_recall", "memory_get", "memory_list", "memory_read"] as const),
  "core_memory_view",
];
/** After these something is no longer as it was. */
const REPLACING: readonly ToolName[] = [
  ...(["memory_forget", "record_update", "note_write", "core_memory_replace"] as const),
];
/** The second call with the same input adds to the first. */
const ADDING: readonly ToolName[] = ["record_add", "core_memory_append"];

const hintsOf = (name: ToolName): ToolAnnotations => ({
  readOnlyHint: READING.includes(name),
  destructiveHint: REPLACING.includes(name),
  idempotentHint: !ADDING.includes(name),
  openWorldHint: false,
});

/** The tools look at their input themselves, and say in their own words what they need. */
const UNCHECKED: jsonSchemaValidator = {
  getValidator: () => (data) => ({ valid: true, data: data as never, errorMessage: undefined }),
};

/**
 * An MCP server over the memory of one identity, for any transport: the tools, the pages, records
 * and conversations as resources, a brief and the heartbeat as prompts. A client names no identity:
 * give what `as` answers for another one.
 *
 * @example
 * serveStdio(() => createServer(tidemark));
 * createMcpHandler(() => createServer(tidemark.as({ user: "ada" }), { readOnly: true }));
 */
export function createServer(tidemark: Tidemark, options: ServerOptions = {}): McpServer {
  check(OPTIONS, options, NAME, "option ");
  const { identity } = internalsFor(tidemark, NAME);
  const { readOnly = false } = options;
  const still = { listChanged: false };
  const server = new McpServer(
    { name: "tidemark", title: "Tidemark", version: packageVersion() },
    {
      instructions: readOnly ? SEARCHING : TOOLS,
      capabilities: { tools: still, resources: still, prompts: still },
      // The package's own takes milliseconds to make, and over HTTP each request has its server.
      jsonSchemaValidator: UNCHECKED,
    },
  );
  offerTools(server, tidemark, readOnly);
  offerPrompts(server, tidemark);
  offerResources(server, tidemark, scopesOf(identity));
  return server;
}

/** All tools but the one over the conversation they are called in, which is the client's. */
function offerTools(server: McpServer, tidemark: Tidemark, readOnly: boolean): void {
  const only = readOnly ? READING : TOOL_NAMES.filter((name) => name !== "compact_context");
  for (const tool of tidemark.tools({ only })) {
    const { name, description, schema } = tool;
    const { gives, ask } = structureOf(tool);
    const config = {
      description,
      inputSchema: fromJsonSchema(schema, UNCHECKED),
      ...(gives && { outputSchema: fromJsonSchema(gives, UNCHECKED) }),
      annotations: hintsOf(name as ToolName),
    };
    server.registerTool(name, config, async (input, { mcpReq }): Promise<CallToolResult> => {
      const { text, found, isError } = await ask(input, { signal: mcpReq.signal });
      const content = [{ type: "text" as const, text }];
      return { content, isError, ...(found && { structuredContent: found }) };
    });
  }
}

function offerPrompts(server: McpServer, tidemark: Tidemark): void {
  const said = (text: string): GetPromptResult => ({
    messages: [{ role: "user", content: { type: "text", text } }],
  });
  const task = { type: "string", description: "The task, in a sentence or more." };
  const schema = { type: "object", properties: { task }, required: ["task"] };
  const argsSchema = fromJsonSchema<{ task: string }>(schema, UNCHECKED);
  server.registerPrompt(
    "brief",
    { description: "What memory, pages and past conversations hold on a task.", argsSchema },
    async (given) => {
      const { text } = await tidemark.brief(given.task);
      return said(text === "" ? "Memory holds nothing about this task yet." : text);
    },
  );
  server.registerPrompt(
    "heartbeat",
    { description: "What to do on waking up: HEARTBEAT.md, what is open, what is new." },
    async () => {
      const { prompt, why } = await tidemark.heartbeat();
      return said(prompt ?? `Nothing is due: ${why}`);
    },
  );
}

/** Resources told at once. */
const LISTED = 200;
/** Tokens of a conversation that are read at once. */
const PAGE = 8_000;
const mimeType = "text/markdown";
const [PAGES, CONVERSATIONS] = ["tidemark://workspace/", "tidemark://conversation/"];

/** What the identity may see: its pages with its records, then its conversations. */
function offerResources({ server }: McpServer, tidemark: Tidemark, scopes: readonly Scope[]): void {
  const files = () => tidemark.workspace.files(scopes);

  async function all(): Promise<Resource[]> {
    const [pages, conversations] = await Promise.all([files(), tidemark.history.list()]);
    return [
      ...pages.map(({ path }) => ({ uri: pageUri(path), name: path, mimeType })),
      ...conversations.map(({ id, label = id, messages, updatedAt }) => ({
        ...{ uri: conversationUri(id), name: oneLine(label), mimeType },
        description: `A conversation of ${messages} messages`,
        annotations: { lastModified: new Date(updatedAt).toISOString() },
      })),
    ];
  }

  async function textOf(uri: string): Promise<string | undefined> {
    const page = (await files()).find(({ path }) => pageUri(path) === uri);
    if (page !== undefined) return page.text;
    const [address, number = 1] = uri.split("?page=");
    const past = (await tidemark.history.list()).find(({ id }) => conversationUri(id) === address);
    const [reader] = tidemark.tools({ only: ["memory_read"], tokens: PAGE });
    if (past === undefined || reader === undefined) return undefined;
    const asked = { conversation: past.id, page: Number(number) };
    const { text, isError } = await structureOf(reader).ask(asked);
    return isError ? undefined : text;
  }

  server.setRequestHandler("resources/list", async ({ params }) => {
    const found = await all();
    const cursor = params?.cursor;
    const last = found.findIndex(({ uri }) => uri === cursor);
    if (cursor !== undefined && last < 0)
      throw invalid("This list has changed: ask for it from the start.");
    const resources = found.slice(last + 1, last + 1 + LISTED);
    const more = last + 1 + LISTED < found.length;
    return { resources, ...(more && { nextCursor: resources.at(-1)?.uri }) };
  });
  server.setRequestHandler("resources/templates/list", () => ({
    resourceTemplates: [
      {
        ...{ name: "page", uriTemplate: `${PAGES}{+path}`, mimeType },
        description: "A page, note or record, by its path in the workspace",
      },
      {
        ...{ name: "conversation", uriTemplate: `${CONVERSATIONS}{id}{?page}`, mimeType },
        description: "A past conversation word for word, page by page",
      },
    ],
  }));
  server.setRequestHandler("resources/read", async ({ params: { uri } }) => {
    const text = await textOf(uri);
    if (text === undefined) throw new ResourceNotFoundError(uri);
    return { contents: [{ uri, mimeType, text }] };
  });
}

const pageUri = (path: string): string => PAGES + path.split("/").map(encodeURIComponent).join("/");
const conversationUri = (id: string): string => CONVERSATIONS + encodeURIComponent(id);

const invalid = (sentence: string) => new ProtocolError(ProtocolErrorCode.InvalidParams, sentence);
