import { isScope, type Scope } from "../../model/identity.ts";
import { dayOf, isoOf } from "../../model/moment.ts";
import { momentOf, packedLine, readMarkedLine } from "./marked-line.ts";

/**
 * Stands in a daily log behind the facts of one distilling, written in the same breath: all that
 * these messages taught is written down. The process that finds it need not ask for them again,
 * though its writer died before it could say so elsewhere.
 */
export interface ReceiptLine {
  /** The lines of its facts name it. */
  readonly id: string;
  readonly at: number;
  readonly scope: Scope;
  /** Which messages of which conversation: a digest that tells neither. */
  readonly line: string;
  readonly first: number;
  readonly last: number;
  /** They were read without a model, and are still to be distilled. */
  readonly quoted?: boolean;
  /** The model is to be asked all the same. */
  readonly owed?: boolean;
  /** The queued work this was. */
  readonly job?: string;
}

const numberOf = (field = ""): number | undefined =>
  /^\d{1,9}$/.test(field) ? Number(field) : undefined;

export function formatReceiptLine(receipt: ReceiptLine): string {
  const { id, at, scope, line, first, last, quoted, owed, job } = receipt;
  return packedLine(
    `${isoOf(at).replace(/^.*T|\..*$/g, "")} receipt: what messages ${first + 1} to ` +
      `${last} of a conversation taught is written down`,
    {
      id,
      at: isoOf(at),
      scope,
      line,
      first: String(first),
      last: String(last),
      quoted: quoted === true ? "yes" : undefined,
      owed: owed === true ? "yes" : undefined,
      job,
    },
  );
}

/** Undefined for any other line, a torn one included. */
export function parseReceiptLine(raw: string): ReceiptLine | undefined {
  const read = readMarkedLine(raw);
  if (read === undefined || !/^\S+ receipt: /.test(read.text)) return undefined;
  const { id, scope, line, quoted, owed, job, ...fields } = read.fields;
  const [at, first, last] = [momentOf(fields.at), numberOf(fields.first), numberOf(fields.last)];
  if (
    id === undefined ||
    at === undefined ||
    !isScope(scope) ||
    line === undefined ||
    first === undefined ||
    last === undefined ||
    last < first
  )
    return undefined;
  return {
    id,
    at,
    scope,
    line,
    first,
    last,
    quoted: quoted === "yes" || undefined,
    owed: owed === "yes" || undefined,
    job,
  };
}

/**
 * The oldest log that can hold a receipt written at or after a moment; a clock may be set back by
 * some hours.
 */
export const oldestDay = (at: number): string => dayOf(at - 86_400_000);
