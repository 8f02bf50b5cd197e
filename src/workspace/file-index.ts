import { defined } from "../base/guards.ts";
import MiniSearch from "minisearch";

import { terms as termsOf } from "../text/terms.ts";
import { type Listed } from "./folder.ts";
import { shown } from "./paths.ts";
import { lessonPath } from "./learnings.ts";
import { type Piece, piecesOf, piecesOfErrors, piecesOfLog, piecesOfPage } from "./pieces.ts";

interface Indexed extends Piece {
  readonly id: number;
  readonly path: string;
}

/** A piece and how well each term of the question is met in it, 0…1. */
interface Found {
  readonly path: string;
  readonly heading: string;
  readonly text: string;
  readonly memory?: Piece["memory"];
  readonly met: ReadonlyMap<string, number>;
  /** Breaks ties: how much of the piece is about the terms. */
  readonly density: number;
}

/** "tide" meets "tidemark", for less than the word itself. */
const PREFIX_WORTH = 0.6;
const opens = (term: string): boolean => term.length >= 4 && /^\p{L}+$/u.test(term);

const found = (
  { path, heading, text, memory }: Indexed,
  how: Pick<Found, "met" | "density">,
): Found => ({ path, heading, text, ...how, ...defined({ memory }) });

function readerOf(path: string): (text: string) => Piece[] {
  if (path.startsWith("memory/")) return piecesOfLog;
  if (path === "MEMORY.md") return piecesOfPage;
  return path === lessonPath("error") ? piecesOfErrors : piecesOf;
}

/** The files of one scope, kept in step with the disk. One index a scope: nothing of another can colour an answer. */
export class FileIndex {
  readonly #mini = new MiniSearch<Indexed>({
    fields: ["heading", "text"],
    tokenize: termsOf,
    processTerm: (term) => term,
    autoVacuum: false,
  });
  readonly #files = new Map<string, { stamp: string; pieces: Indexed[] }>();
  readonly #pieces = new Map<number, Indexed>();
  #next = 0;

  /** Reads what changed; `read` answers undefined for a file that is gone or cannot be read. */
  async refresh(
    listed: readonly Listed[],
    read: (file: Listed) => Promise<string | undefined>,
  ): Promise<void> {
    const paths = new Set(listed.map((file) => shown(file.place)));
    for (const path of this.#files.keys()) if (!paths.has(path)) this.#drop(path);
    for (const file of listed) {
      const path = shown(file.place);
      if (this.#files.get(path)?.stamp === file.stamp) continue;
      const text = await read(file);
      this.#drop(path);
      if (text === undefined) continue;
      const pieces = readerOf(file.place.path)(text).map((piece) => ({
        ...piece,
        path,
        id: (this.#next += 1),
      }));
      for (const piece of pieces) this.#pieces.set(piece.id, piece);
      this.#mini.addAll(pieces);
      this.#files.set(path, { stamp: file.stamp, pieces });
    }
  }

  #drop(path: string): void {
    const pieces = this.#files.get(path)?.pieces ?? [];
    this.#mini.removeAll(pieces.length > 0 ? pieces : []);
    for (const piece of pieces) this.#pieces.delete(piece.id);
    this.#files.delete(path);
  }

  /** Pieces that hold the text, given in lower case, as it stands; they meet no term. */
  containing(text: string): Found[] {
    return [...this.#pieces.values()]
      .filter((piece) => piece.text.toLowerCase().includes(text))
      .map((piece) => found(piece, { met: new Map(), density: 0 }));
  }

  find(terms: readonly string[]): Found[] {
    const results = this.#mini.search(terms.join("\0"), {
      tokenize: (text) => text.split("\0"),
      processTerm: (term) => term,
      prefix: opens,
      combineWith: "OR",
    });
    return results.flatMap((result) => {
      const piece = this.#pieces.get(Number(result.id));
      if (piece === undefined) return [];
      const there = Object.keys(result.match);
      const met = new Map(
        terms.flatMap((term) => {
          const begins = opens(term) && there.some((word) => word.startsWith(term));
          const worth = there.includes(term) ? 1 : Number(begins) * PREFIX_WORTH;
          return worth > 0 ? [[term, worth] as const] : [];
        }),
      );
      return [found(piece, { met, density: result.score })];
    });
  }
}
