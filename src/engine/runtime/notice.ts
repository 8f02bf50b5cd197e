import { writeFileSync } from "node:fs";
import { type Listen, type Told } from "../../model/events.ts";

/** What a person should be told once, the first time it happens in a workspace. */
export interface Notice {
  say(about: Told, text: string): void;
  /** The same once in each process, since it may be another program next time. */
  sayAnew(about: Told, text: string): void;
}

/** The empty file beside the databases is the memory of having said it; the process that makes it says it. */
export function createNotice({
  emit,
  place,
}: {
  emit: Listen;
  place: (name: string) => string | undefined;
}): Notice {
  const said = new Set<string>();
  const isNew = (about: Told): boolean => !said.has(about) && said.add(about).has(about);
  return {
    sayAnew: (about, text) => {
      if (isNew(about)) emit({ type: "notice", about, text });
    },
    say: (about, text) => {
      if (!isNew(about)) return;
      const file = place(`said-${about}`);
      try {
        if (file !== undefined) writeFileSync(file, "", { flag: "wx", mode: 0o600 });
      } catch (thrown) {
        // Where nothing can be written it is better said twice than never.
        if ((thrown as NodeJS.ErrnoException).code === "EEXIST") return;
      }
      emit({ type: "notice", about, text });
    },
  };
}
