import { slices } from "../base/async.ts";
import { type HistoryStore } from "../model/history-store.ts";
import { type Message } from "../model/request.ts";

/** Each is a question of its own. */
const SLICES = { size: 512, often: 1 };

/** The messages of [from, to) of a session, read in slices. */
export async function bodiesOf(
  store: Pick<HistoryStore, "bodies">,
  id: string,
  from: number,
  to: number,
): Promise<Message[]> {
  const found: Message[] = [];
  for await (const slice of slices(from, to, SLICES))
    for (const { body } of await store.bodies(id, slice.from, slice.to)) found.push(body);
  return found;
}
