import type { OrgCategory, Scope } from "../../core/identity.ts";
import type { Hit, Memory, Moment } from "../../core/memory.ts";

export interface OrgInput {
  content: string;
  category: OrgCategory;
  /** A name that stands with the value; the rights are those of the identity's role. */
  author: string;
  /** Why, on one line of at most 180 characters. */
  reason?: string;
  /** The same key takes the place of what was. */
  key?: string;
}

/** One step in the life of what a scope keeps. Times are ms since epoch. */
export interface AuditLine {
  readonly at: number;
  readonly did: "wrote" | "changed" | "retracted";
  readonly id: string;
  readonly version: number;
  readonly category: string;
  readonly content: string;
  readonly author?: string;
  readonly role?: string;
  readonly reason?: string;
}

/**
 * What the organisation of the identity holds to. Rejects with "config" where the identity has no
 * `org`, with "scope-denied" for a role that may not write the category (option `writers`).
 */
export interface OrgApi {
  /**
   * The core policies, which stand first in the system text of every agent, the oldest first.
   *
   * @example
   * for (const { content } of await tidemark.org.policies()) console.log(content);
   */
  policies(): Promise<Memory[]>;
  /**
   * Writes down a core_policy (at most 10, of 2,000 characters), an adr, a convention, a standard
   * or a procedure. Earlier values stay in the past.
   *
   * @example
   * const rule = { category: "core_policy", content: "No card numbers in chats.", author: "ada" };
   * await tidemark.as({ org: "acme", role: "human" }).org.write(rule);
   */
  write(input: OrgInput): Promise<Memory>;
  /**
   * What the organisation has on a question, the best first, at most `max` (5).
   *
   * @example
   * const [hit] = await tidemark.org.query("how do we version an API?");
   */
  query(text: string, options?: { max?: number }): Promise<Hit[]>;
  /**
   * Ends what was written; its past stays. False where there is nothing of that id.
   *
   * @example
   * await tidemark.org.retract(id, { author: "ada", reason: "The law has changed." });
   */
  retract(id: string, why?: { author?: string; reason?: string }): Promise<boolean>;
  /**
   * What was written, changed and retracted in the scope (the organisation's), the oldest first,
   * from `since` on and by the author `by`.
   *
   * @example
   * const lines = await tidemark.org.audit({ by: "ada" });
   */
  audit(options?: { scope?: Scope; since?: Moment; by?: string }): Promise<AuditLine[]>;
}
