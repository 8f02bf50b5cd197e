import { type Format, type Message, type ProviderRequest } from "../../model/request.ts";

/** A conversation to play: what stands around the messages in every request, and the messages. */
export interface Conversation {
  readonly format: Format;
  readonly around: Omit<ProviderRequest, "messages">;
  readonly messages: readonly Message[];
  /** What a person should know about the source. */
  readonly notes: readonly string[];
}

/** Of a file that is not a conversation: what was found, without the file's name. */
export class NoConversation extends Error {}
