import { createHash, randomBytes } from "node:crypto";
import { refuse, shown } from "../../core/errors-and-events.ts";
import type { Identity } from "../../core/identity.ts";
import type { Tidemark } from "../../session/options/tidemark-api.ts";
import type { Rights } from "./route.ts";

/** One who may ask, and for this. */
export interface Grant extends Rights {
  readonly identity: Identity;
}

/** A token is known by its digest alone. */
interface TokenRow {
  readonly digest: string;
  readonly name: string;
  /** The token goes with its user. */
  readonly user?: string | undefined;
  readonly grant: Grant;
}

export const digestOf = (token: string): string => createHash("sha256").update(token).digest("hex");

export const drawn = (): string => randomBytes(24).toString("base64url");

export function tokensOf({ data }: Tidemark) {
  const rows = data.repository<TokenRow>("tokens", { key: "digest", indexes: ["name"] });
  return {
    /** Answers the token, which nothing tells again. */
    async add(name: string, grant: Grant): Promise<string> {
      if ((await rows.list({ name })).length > 0)
        refuse(`There is a token ${shown(name)} already: revoke it, or choose another name.`);
      const token = drawn();
      await rows.save({ digest: digestOf(token), name, user: grant.identity.user, grant });
      return token;
    },
    list: async () => (await rows.list()).map(({ name, grant }) => ({ name, ...grant })),
    async revoke(name: string): Promise<boolean> {
      const [row] = await rows.list({ name });
      return row !== undefined && rows.delete(row.digest);
    },
    grantOf: async (token: string) => (await rows.get(digestOf(token)))?.grant,
  };
}
