import type { ProviderRequest } from "../../core/request.ts";

/** A request passes as it is where the server holds its messages, or is to fold them itself. */
export function passReason({ thread, compaction }: ProviderRequest): string | undefined {
  if ((thread ?? undefined) !== undefined)
    return (
      "the server holds the messages of this thread, so it goes on without memory: " +
      "use toolRunner({ thread: false }) or messages.create"
    );
  return (compaction ?? undefined) === undefined
    ? undefined
    : "the request asks the server for a compaction";
}
