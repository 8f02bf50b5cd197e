import { useEffect, useState } from "preact/hooks";
import { ask } from "../api.ts";
import type { Children } from "../html.ts";
import type { Messages } from "../types.ts";
import { bodyOf } from "./messages.ts";

type TalkName = { label?: string; id: string };
/** First words of conversations without a label, by id. */
const known = new Map<string, string>();
const LONGEST_NAME = 80;

/** A conversation's label, else its first words. */
export function useName({ label, id }: TalkName): string {
  const [, again] = useState(0);
  useEffect(() => {
    let here = true;
    if (label !== undefined || known.has(id)) return;
    ask<Messages>(
      `/conversations/${encodeURIComponent(id)}/messages?from=0&limit=1&cut=${LONGEST_NAME}`,
    ).then(
      ({ items: [first] }) => {
        const words = first && bodyOf(first.message).map(({ text }) => text);
        if (words !== undefined) known.set(id, words.join(" ").slice(0, LONGEST_NAME));
        if (here) again((times) => times + 1);
      },
      () => undefined,
    );
    return () => void (here = false);
  }, [id]);
  return label ?? known.get(id) ?? `Conversation ${id.slice(0, 8)}`;
}

export const Name = ({ talk }: { talk: TalkName }): Children => useName(talk);
