import MiniSearch from "minisearch";

interface Document {
  readonly row: number;
  readonly terms: string;
}

const made = () =>
  new MiniSearch<Document>({
    fields: ["terms"],
    idField: "row",
    tokenize: (text) => text.split(" "),
    processTerm: (term) => (term === "" ? null : term),
    autoVacuum: true,
  });

/** Which values of an owner hold a term, on minisearch: one index an owner, so that none can see or count another's. */
export function memoryTerms() {
  const indexes = new Map<string, MiniSearch<Document>>();
  const textOf = (terms: readonly string[]): string => [...new Set(terms)].join(" ");

  function holding(owner: string, term: string): number[] {
    const found = indexes.get(owner)?.search(term, { prefix: false, fuzzy: false });
    return (found ?? []).map(({ id }) => id as number);
  }

  return {
    add(row: number, owner: string, terms: readonly string[]): void {
      const index = indexes.get(owner) ?? made();
      indexes.set(owner, index);
      index.add({ row, terms: textOf(terms) });
    },
    drop: (row: number, owner: string, terms: readonly string[]): unknown =>
      indexes.get(owner)?.remove({ row, terms: textOf(terms) }),
    holding: (owners: readonly string[], term: string): number[] =>
      owners.flatMap((owner) => holding(owner, term)),
  };
}
export type MemoryTerms = ReturnType<typeof memoryTerms>;
