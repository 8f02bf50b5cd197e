import { createHash, createHmac } from "node:crypto";
import type { ModelInfo } from "./models.ts";
import {
  type Block,
  blocksOf,
  canonical,
  given,
  invalid,
  isJson,
  type Json,
  list,
  type Refusal,
} from "./wire.ts";

/** What a signature says of its block. Digests; `prefix` is "-" where the model binds nothing. */
interface Seal {
  readonly model: string;
  readonly content: string;
  readonly system: string;
  readonly tools: string;
  readonly prefix: string;
}

/** What a summary's signature says it was written over: messages as they were sent, and as an earlier summary meant them. */
interface Stamp {
  readonly prefixes: readonly string[];
}

export interface Signer {
  /** Signs the thinking among a reply's blocks, each over the request and the blocks before it. */
  sign(body: Json, info: ModelInfo, reply: readonly Block[]): Block[];
  /** A summary of the request's messages as a block that may stand in their place. */
  signCompaction(body: Json, info: ModelInfo, content: string): Block;
  /** Refuses replayed thinking that does not hold where it stands. */
  check(body: Json, info: ModelInfo): Refusal | undefined;
}

const digest = (text: string): string =>
  createHash("sha256").update(text).digest("base64url").slice(0, 22);
const isThinking = (block: Block): boolean =>
  block.type === "thinking" || block.type === "redacted_thinking";

const step = (before: string, role: unknown, block: unknown): string =>
  digest(`${before}\n${String(role)} ${canonical(block)}`);

/**
 * Everything before a block, as the model was shown it: a hash on the hash before it. Behind a summary of the server's own
 * there are several: of what is sent, and of what was there before the summary took its place, and the one before that.
 */
class Prefix {
  readonly system: string;
  readonly tools: string;
  private sent: string;
  private meant: readonly string[] = [];

  constructor(body: Json) {
    this.system = digest(canonical(blocksOf(body.system ?? []).filter(({ text }) => text !== "")));
    this.tools = digest(
      canonical(list(body.tools).filter((tool) => !(isJson(tool) && tool.defer_loading === true))),
    );
    this.sent = digest(`${this.system} ${this.tools}`);
  }
  add(role: unknown, block: unknown, stamp?: Stamp): void {
    this.sent = step(this.sent, role, block);
    this.meant = stamp?.prefixes ?? this.meant.map((meant) => step(meant, role, block));
  }
  digest(): string {
    return this.sent;
  }
  all(): readonly string[] {
    return [this.sent, ...this.meant];
  }
}

/** Signs and checks thinking with a secret: the same secret after a restart is the same provider. */
export function createSigner(secret: string): Signer {
  const authentic = (payload: string): string =>
    createHmac("sha256", secret).update(payload).digest("base64url").slice(0, 32);
  const write = (seal: Seal | Stamp): string => {
    const payload = Buffer.from(JSON.stringify(seal)).toString("base64url");
    return `${payload}.${authentic(payload)}`;
  };
  const read = (signature: string): Partial<Seal & Stamp> | undefined => {
    const [payload = "", mac] = signature.split(".");
    return mac === authentic(payload)
      ? (JSON.parse(Buffer.from(payload, "base64url").toString()) as Partial<Seal & Stamp>)
      : undefined;
  };
  const stampOf = (block: Block): Stamp | undefined =>
    block.type === "compaction" && given(block.signature)
      ? (read(String(block.signature)) as Stamp | undefined)
      : undefined;

  const seal = (block: Block, prefix: Prefix, info: ModelInfo): Block => {
    const { system, tools } = prefix;
    const content = block.type === "thinking" ? digest(String(block.thinking)) : "redacted";
    const signature = write({
      model: info.id,
      content,
      system,
      tools,
      prefix: info.boundThinking ? prefix.digest() : "-",
    });
    return block.type === "thinking" ? { ...block, signature } : { ...block, data: signature };
  };

  function readInto(body: Json, prefix: Prefix): void {
    for (const message of list(body.messages)) {
      if (!isJson(message)) continue;
      for (const block of blocksOf(message.content))
        prefix.add(message.role, block, stampOf(block));
    }
  }

  function signCompaction(body: Json, info: ModelInfo, content: string): Block {
    const prefix = new Prefix(body);
    readInto(body, prefix);
    return {
      type: "compaction",
      content,
      encrypted_content: Buffer.from(content).toString("base64url"),
      signature: write({ prefixes: info.boundThinking ? prefix.all() : [] }),
      tool_changes: [],
    };
  }

  function sign(body: Json, info: ModelInfo, reply: readonly Block[]): Block[] {
    if (!reply.some(isThinking)) return [...reply];
    const prefix = new Prefix(body);
    readInto(body, prefix);
    return reply.map((block) => {
      const signed =
        isThinking(block) && !given(block.signature) && !given(block.data)
          ? seal(block, prefix, info)
          : block;
      prefix.add("assistant", signed);
      return signed;
    });
  }

  function check(body: Json, info: ModelInfo): Refusal | undefined {
    const messages = list(body.messages).filter(isJson);
    if (!messages.some(({ content }) => blocksOf(content).some(isThinking))) return undefined;
    const prefix = new Prefix(body);
    for (const [index, message] of messages.entries()) {
      for (const [at, block] of blocksOf(message.content).entries()) {
        if (isThinking(block)) {
          const path = `messages.${index}.content.${at}`;
          const held = read(String(block.type === "thinking" ? block.signature : block.data));
          const content = block.type === "thinking" ? digest(String(block.thinking)) : "redacted";
          if (held === undefined || held.content !== content)
            return invalid(`${path}: ${forged(block)}`);
          if (info.boundThinking && !prefix.all().includes(String(held.prefix)))
            return invalid(`${path}: ${strange(block, held as Seal, prefix)}`);
        }
        prefix.add(message.role, block, stampOf(block));
      }
    }
    return undefined;
  }

  return { sign, signCompaction, check };
}

const forged = (block: Block): string =>
  block.type === "thinking"
    ? "Invalid `signature` in `thinking` block"
    : "Invalid `data` in `redacted_thinking` block";

function strange(block: Block, held: Seal, prefix: Prefix): string {
  const differs =
    held.prefix === "-"
      ? "The block carries no record of the conversation it was created in."
      : held.system !== prefix.system
        ? "The `system` prompt differs from the one this block was created with."
        : held.tools !== prefix.tools
          ? "The `tools` differ from the ones this block was created with."
          : "The `messages` before the block differ from the ones it was created with.";
  return `${forged(block)}. The block is bound to a different conversation. Remove the block. ${differs}`;
}
