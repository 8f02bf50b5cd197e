import fs, { cpSync } from "node:fs";
import { syncBuiltinESMExports } from "node:module";

type Any = (...args: never[]) => unknown;

/**
 * Does `work` and copies the folder before each step that writes to files, as a process killed there would leave it: what was
 * written by then is in the system's hands. `into` names the copy of a step, or undefined where none is wanted.
 */
export async function withSnapshots(
  folder: string,
  into: (step: number) => string | undefined,
  work: () => Promise<unknown>,
): Promise<number> {
  let step = 0;
  const places: [holder: object, name: string][] = [
    [fs.promises, "open"],
    [fs.promises, "rename"],
    [fs.promises, "rm"],
    [fs, "fsync"],
  ];
  const olds = places.map(([holder, name]) => Reflect.get(holder, name) as Any);
  const snapshot = (): void => {
    const target = into((step += 1));
    if (target !== undefined) cpSync(folder, target, { recursive: true });
  };
  const put = (made: (old: Any) => Any): void => {
    places.forEach(([holder, name], at) => Reflect.set(holder, name, made(olds[at] as Any)));
    syncBuiltinESMExports();
  };
  put(
    (old) =>
      function (this: unknown, ...args: never[]) {
        snapshot();
        return Reflect.apply(old, this, args) as unknown;
      },
  );
  try {
    await work();
  } finally {
    put((old) => old);
  }
  return step;
}
