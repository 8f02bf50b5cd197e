import { useCallback, useLayoutEffect, useRef, useState } from "preact/hooks";
import { held } from "./store.ts";
import type { Whoami } from "./types.ts";

/** A call that was refused, in the server's sentence; `current`: what a faster one made of it. */
export class Refused extends Error {
  readonly status: number;
  readonly current: unknown;
  constructor(status: number, message: string, current?: unknown) {
    super(message);
    this.status = status;
    this.current = current;
  }
}

/** Undefined until the server has said who asks. */
export const whoami = held<Whoami | undefined>(undefined);
/** Nobody is known to the server: the page asks for a secret. */
export const locked = held(false);

interface CallOptions {
  method?: string;
  body?: unknown;
  /** The version or digest that a change was made on. */
  match?: string | number;
  base?: string;
}

/** Calls the API. Rejects with `Refused`, whose message is a sentence for people. */
export async function ask<T>(
  path: string,
  { method, body, match, base = "/api/v1" }: CallOptions = {},
): Promise<T> {
  const reply = await fetch(base + path, {
    method: method ?? (body === undefined ? "GET" : "POST"),
    headers: {
      ...(body === undefined ? {} : { "content-type": "application/json" }),
      ...(match === undefined ? {} : { "if-match": `"${match}"` }),
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  }).catch(() => {
    throw new Refused(0, "The server does not answer: is tidemark inspect still running?");
  });
  if (reply.status === 401) locked.set(true);
  const text = await reply.text();
  if (reply.ok) return (text === "" ? undefined : JSON.parse(text)) as T;
  throw refusalIn(reply.status, text);
}

function refusalIn(status: number, text: string): Refused {
  try {
    const { error, current } = JSON.parse(text) as {
      error?: { message?: string };
      current?: unknown;
    };
    return new Refused(status, error?.message ?? `The server answered ${status}.`, current);
  } catch {
    return new Refused(status, `The server answered ${status}.`);
  }
}

/** A path with a query of what is not empty. */
export function query(path: string, given: Record<string, string | number | undefined>): string {
  const words = new URLSearchParams();
  for (const [name, value] of Object.entries(given))
    if (value !== undefined && value !== "") words.set(name, String(value));
  return words.size === 0 ? path : `${path}?${words}`;
}

export interface Loading<T> {
  data?: T;
  error?: Refused;
  reload(): void;
}

/** Asks for `path` and again when it changes; the last answer stays until the next is there. */
export function useLoad<T>(path: string | undefined): Loading<T> {
  const [state, show] = useState<{ path?: string; data?: T; error?: Refused }>({});
  const newest = useRef(0);
  const reload = useCallback(() => {
    if (path === undefined) return;
    const mine = ++newest.current;
    ask<T>(path).then(
      (data) => mine === newest.current && show({ path, data }),
      // The last answer stays beside the trouble: somebody may be working on it.
      (error: Refused) =>
        mine === newest.current &&
        show((before) => ({ ...(before.path === path ? before : { path }), error })),
    );
  }, [path]);
  // A view asks before it is painted.
  useLayoutEffect(() => {
    reload();
    return () => void newest.current++;
  }, [reload]);
  const { data, error } = state.path === path ? state : {};
  return { reload, ...(data === undefined ? {} : { data }), ...(error ? { error } : {}) };
}

/** Gives the secret of the address, or one that was typed, for a cookie; says who asks. */
export async function enter(secret?: string): Promise<void> {
  const me = await (secret === undefined
    ? ask<Whoami>("/whoami")
    : ask<Whoami>("/session", { base: "", body: { secret } }));
  locked.set(false);
  whoami.set(me);
}
