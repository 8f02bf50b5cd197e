import { useEffect, useRef } from "preact/hooks";
import { ask, type Refused } from "./api.ts";
import { held } from "./store.ts";
import type { TalkInfo, TurnInfo } from "./types.ts";

/** An event of a program under way in this process, as a listener hears it. */
export interface EventTold {
  type: string;
  [member: string]: unknown;
}
export type News =
  { kind: "turn"; turn: TurnInfo } | { kind: "told"; told: EventTold } | { kind: "changed" };

/** All that hear; a cache that is emptied by news stays for good. */
export const heard = new Set<(news: News) => void>();
export const connected = held(false);

/** The last events, the newest first, kept over views. */
export const latest = held<{ at: number; news: News }[]>([]);
const KEPT_EVENTS = 30;

function tell(news: News): void {
  if (news.kind !== "changed")
    latest.set([{ at: Date.now(), news }, ...latest.get()].slice(0, KEPT_EVENTS));
  for (const hear of heard) hear(news);
}

/** Hears the server's events; the browser comes back by itself with the id of the last turn. */
export function listen(): void {
  const source = new EventSource("/api/v1/events");
  source.addEventListener("open", () => connected.set(true));
  source.addEventListener("error", () => {
    connected.set(false);
    // A stream that was refused is not asked for again by the browser: the token may be revoked.
    if (source.readyState === EventSource.CLOSED) setTimeout(again, RETRY);
  });
  source.addEventListener("turn", ({ data }) => tell({ kind: "turn", turn: JSON.parse(data) }));
  source.addEventListener("told", ({ data }) => tell({ kind: "told", told: JSON.parse(data) }));
  source.addEventListener("changed", () => tell({ kind: "changed" }));
  addEventListener("pagehide", () => source.close());
}

const RETRY = 3_000;
function again(): void {
  ask("/whoami").then(listen, ({ status }: Refused) => status !== 401 && setTimeout(again, RETRY));
}

/** ms for lists and sums, which a program under way pays for; its turns are told at once. */
export const SLOWLY = 5_000;

/** Conversations with the turns that were heard of since they were read, the latest first. */
export function withNews(
  talks: readonly TalkInfo[],
  events: readonly { news: News }[],
): TalkInfo[] {
  const newest = new Map<string, TurnInfo>();
  for (const { news } of events)
    if (news.kind === "turn" && !newest.has(news.turn.conversation))
      newest.set(news.turn.conversation, news.turn);
  return talks
    .map((talk) => {
      const turn = newest.get(talk.id);
      return turn === undefined || Number(turn.id) <= Number(talk.last?.id ?? 0)
        ? talk
        : { ...talk, last: turn, updatedAt: Math.max(talk.updatedAt, turn.at) };
    })
    .sort((one, other) => other.updatedAt - one.updatedAt);
}

/** A turn of none of these conversations. */
export const isOfNone = (news: News, talks: readonly TalkInfo[] = []): boolean =>
  news.kind === "turn" && !talks.some(({ id }) => id === news.turn.conversation);

/** Shortest time between two drawings for news, ms: a busy program does not make the page busy. */
const PAUSE = 250;

/** Runs `work` for news that concerns a view, `pause` ms behind the first that it has not shown. */
export function useNews(
  work: () => void,
  concerns: (news: News) => boolean = () => true,
  pause = PAUSE,
): void {
  const now = useRef({ work, concerns });
  now.current = { work, concerns };
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    const hear = (news: News): void => {
      if (timer !== undefined || !now.current.concerns(news)) return;
      timer = setTimeout(() => {
        timer = undefined;
        now.current.work();
      }, pause);
    };
    heard.add(hear);
    return () => {
      heard.delete(hear);
      clearTimeout(timer);
    };
  }, []);
}
