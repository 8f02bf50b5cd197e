import { useEffect, useState } from "preact/hooks";

/** A value that views show, and are drawn anew with. */
export interface Kept<T> {
  get(): T;
  set(next: T): void;
  /** The value, for a view that is drawn. */
  use(): T;
}

export function held<T>(first: T): Kept<T> {
  let value = first;
  const heard = new Set<(value: T) => void>();
  return {
    get: () => value,
    set(next) {
      value = next;
      for (const hear of heard) hear(next);
    },
    use() {
      const [shown, show] = useState(() => value);
      useEffect(() => {
        const hear = (next: T): void => show(() => next);
        heard.add(hear);
        hear(value);
        return () => void heard.delete(hear);
      }, []);
      return shown;
    },
  };
}
