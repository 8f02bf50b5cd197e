import type { Anthropic as SDK } from "@anthropic-ai/sdk";
import { type Tidemark } from "../../engine/options/types.ts";
import { type Io } from "../io.ts";
import { type Client } from "./client.ts";
import { type Notices } from "./notices.ts";

export interface Chat {
  readonly client: Client;
  readonly tidemark: Tidemark;
  readonly notices: Notices;
  readonly io: Io;
  readonly model: string;
  readonly maxTokens: number;
  readonly limit: number;
  readonly window: number;
}

/** What a conversation is made of; `used` is the size of the next request, as the provider counted the last. */
export interface Talk {
  readonly messages: SDK.Messages.MessageParam[];
  used: number;
}
