import { type Message } from "../../model/request.ts";

/** What a user's module exports. */
export type Compact = (
  messages: Message[],
  about: { readonly limit: number; readonly countTokens: (messages: readonly Message[]) => number },
) => unknown;

/** What the thread of a compactor is asked, and what it answers. */
export interface Asked {
  readonly messages: Message[];
  readonly limit: number;
}
export type Answer =
  | { readonly ready: true }
  | { readonly missing: true }
  | { readonly unloadable: string }
  | { readonly threw: string }
  | { readonly returned: string }
  | { readonly unsendable: string }
  | { readonly result: string }
  | { readonly ended: string }
  | { readonly late: true };
