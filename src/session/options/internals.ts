import { isLater } from "../../core/base.ts";
import { type Listen, refuse } from "../../core/errors-and-events.ts";
import type { Identity, Scope } from "../../core/identity.ts";
import type { SessionState } from "../../core/history.ts";
import type { AskedModel, Complete, ProviderRequest } from "../../core/request.ts";
import type { TurnInfo } from "../../core/turns.ts";
import type { Dialect } from "../../providers/common/dialect.ts";
import type { EndedAsked } from "../../storage/history-port.ts";
import type { Truth } from "../../storage/port.ts";
import type { Notes } from "../../workspace/documents/notes.ts";
import type { MeantOptions } from "./read-options.ts";
import type { BeginOptions, Tidemark, Turn } from "./tidemark-api.ts";

/** Adapters may hand over the client they wrap, which hosts need not see. */
export interface Internals {
  begin(request: ProviderRequest, options: AdapterOptions): Promise<Turn>;
  readonly identity: Identity;
  /** Tells the listener. */
  readonly emit: Listen;
  /** A new conversation of the identity is told this before all else; "": nothing. */
  standing(): Promise<string>;
  /** The same with its sections, and as the next would be told: nothing is written for it. */
  prompt(): Promise<NonNullable<SessionState["frozen"]>>;
  /** Tells of what other processes commit, when it is asked. */
  readonly others: Truth["others"];
  /** Turns of the identity that have ended. */
  ended(asked: Omit<EndedAsked, "root">): Promise<TurnInfo[]>;
  /** They hear what the listener hears. */
  readonly ears: Set<Listen>;
  /** The notes of the identity as far as it may write them, and its scopes. */
  notes(): Promise<{ notes: Notes; home: Scope; team: Scope | undefined }>;
  /** How many messages were indexed, while a search waits for that. */
  watchIndexing(hear: (messages: number) => void): void;
  /** Closing waits for work that a caller awaits. */
  underWay<T>(work: Promise<T>): Promise<T>;
  readonly off: boolean;
  /** The part of it that was closed. */
  readonly closed: () => "Tidemark" | "view" | undefined;
  readonly options: MeantOptions;
  /** The model the host wants distilling done with. */
  readonly distilModel: string | undefined;
  /** An adapter stands by: if no call has come through it when this closes, `reason` is told. */
  expectCalls(reason: string): void;
  sawCall(): void;
}

const known = new WeakMap<Tidemark, Internals>();

export const expose = (tidemark: Tidemark, internals: Internals): void =>
  void known.set(tidemark, internals);

/** Throws "config" for what openTidemark did not give. */
export function internalsFor(tidemark: Tidemark, asker: string): Internals {
  const found = known.get(tidemark);
  if (!found)
    refuse(
      isLater(tidemark)
        ? `${asker} was given a promise: write \`await openTidemark()\`.`
        : `${asker} needs the object that openTidemark gave; is the package installed twice?`,
    );
  return found;
}

export interface AdapterOptions extends BeginOptions {
  complete?: Complete;
  dialect?: Dialect;
  /** The provider's word on the request's model; while it is being asked, no guess lasts. */
  asked?: AskedModel;
  /** It names in the headers the betas that the request it is given needs. */
  addsBetas?: boolean;
}
