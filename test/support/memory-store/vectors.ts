import { TidemarkError } from "../../../src/model/errors.ts";
import type { Scope } from "../../../src/model/identity.ts";
import type { Near, ValueName, VectorIndex } from "../../../src/model/store.ts";
import { candidateOf, type MemoryValues, sees, type Value } from "./values.ts";
import { dot, unit } from "../../../src/store/vectors/math.ts";

type Ask = <T>(work: () => T) => Promise<T>;

/** Vectors of a store in memory: compared one by one, exact, and gone with the process. */
export function memoryVectors(values: MemoryValues, ask: Ask): VectorIndex {
  const notes = new Map<string, string>();
  const spaces = new Map<
    string,
    { readonly dimensions: number; readonly vectors: WeakMap<Value["terms"], Float32Array> }
  >();
  let inUse: string | undefined;
  const space = () => (inUse === undefined ? undefined : spaces.get(inUse));
  // A value's terms are made with it and never again: they name it, past or not.
  const vectorOf = (value: Value): Float32Array | undefined => space()?.vectors.get(value.terms);
  const named = ({ id, version }: ValueName): Value | undefined =>
    values.ofId(id).find(({ stored }) => stored.memory.version === version);

  const vectorsOf = (
    asked: readonly ValueName[],
    scopes: readonly Scope[],
  ): (Float32Array | undefined)[] =>
    asked.map((name) => {
      const value = named(name);
      return value !== undefined && scopes.includes(value.stored.memory.scope)
        ? vectorOf(value)
        : undefined;
    });

  return {
    use: ({ name, dimensions }) =>
      ask(() => {
        inUse = JSON.stringify([name, dimensions]);
        if (!spaces.has(inUse)) spaces.set(inUse, { dimensions, vectors: new WeakMap() });
        return notes.get(inUse);
      }),
    note: (text) => ask(() => void (inUse !== undefined && notes.set(inUse, text))),
    put: (vectors) =>
      ask(() => {
        const own = space();
        if (own === undefined) return;
        const wrong = vectors.find(
          ({ vector }) => vector.length !== own.dimensions || !vector.every(Number.isFinite),
        );
        if (wrong !== undefined)
          throw new TidemarkError(
            "embed",
            `The embedder promised ${own.dimensions} dimensions of finite numbers and gave a vector of ${wrong.vector.length}; nothing of it is stored.`,
          );
        for (const { id, version, vector } of vectors) {
          const value = named({ id, version });
          if (value !== undefined && value.until === undefined)
            own.vectors.set(value.terms, unit(vector));
        }
      }),
    missing: (limit) =>
      ask(() =>
        space() === undefined
          ? []
          : values
              .all()
              .filter((value) => value.until === undefined && vectorOf(value) === undefined)
              .sort((one, other) => one.row - other.row)
              .slice(0, limit)
              .map(({ stored: { memory } }) => ({
                id: memory.id,
                version: memory.version,
                content: memory.content,
              })),
      ),
    nearest: ({ scopes, limit, vector: given, ...narrowing }) =>
      ask(() => {
        if (space()?.dimensions !== given.length) return [];
        const vector = unit(given);
        return values
          .inScopes(scopes)
          .filter(sees(narrowing))
          .flatMap((value): Near[] => {
            const own = vectorOf(value);
            return own === undefined || own.every((component) => component === 0)
              ? []
              : [{ ...candidateOf(value), cosine: dot(vector, own) }];
          })
          .sort(
            (one, other) => other.cosine - one.cosine || (one.memory.id < other.memory.id ? -1 : 1),
          )
          .slice(0, limit);
      }),
    cosines: (asked, scopes, given) =>
      ask(() => {
        const vector = unit(given);
        return vectorsOf(asked, scopes).map((own) =>
          own?.length === vector.length ? dot(vector, own) : undefined,
        );
      }),
    sample: (scopes, limit) =>
      ask(() =>
        values
          .inScopes(scopes)
          .filter(({ until }) => until === undefined)
          .flatMap((value) => vectorOf(value) ?? [])
          .filter((own) => own.some((component) => component !== 0))
          .slice(0, limit),
      ),
    tend: () => ask(() => false),
  };
}
