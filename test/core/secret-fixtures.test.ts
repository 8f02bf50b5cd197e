import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { beforeEach, describe, expect, it } from "vitest";
import { fixturesIn } from "../../bench/support/secret-fixtures.ts";
import { freshFolder } from "../support/afterwards.ts";

let root = "";
beforeEach(() => void (root = freshFolder()));

const write = (path: string, text: string): void => {
  mkdirSync(dirname(join(root, path)), { recursive: true });
  writeFileSync(join(root, path), text);
};
/** A case as the scanner keeps it: the text, and what its rule named in it. */
function written(
  folder: string,
  text: string,
  named: readonly { said?: string; at?: readonly [number, number]; rule: string }[],
): void {
  write(`${folder}/input.txt`, text);
  const messages = named.map(({ said, at, rule }) => ({
    ruleId: `@secretlint/secretlint-rule-${rule}`,
    messageId: "FOUND",
    range: at ?? [0, 1],
    ...(said === undefined ? {} : { data: { KEY: said } }),
  }));
  write(`${folder}/output.json`, JSON.stringify({ messages }));
}
const secretsOf = (): string[][] =>
  fixturesIn(root).map(({ text, secrets }) =>
    secrets.map(({ start, end }) => text.slice(start, end)),
  );

describe("the fixtures of a scanner", () => {
  it("hold of a setting, an address, a list and a manifest the value alone", () => {
    written("a/ng.setting", "token = k3yk3yk3y\n", [
      { rule: "pattern", said: "token = k3yk3yk3y" },
    ]);
    written("b/ng.address", "postgres://app:h7! k2@db.example.com/x", [
      { rule: "database", said: "postgres://app:h7! k2@db.example.com/x" },
    ]);
    written("c/ng.list", "Server=db;Uid=app;Pwd=h7k2h7;", [
      { rule: "database", said: "Uid=app;Pwd=h7k2h7" },
    ]);
    written("d/ng.manifest", "kind: Secret\ndata:\n  password: aDdrMg==\n", [
      { rule: "no-k8s-kind-secret", at: [0, 40] },
    ]);
    written("e/ng.token", "glc_eyJvIjoifQ==", [{ rule: "grafana", at: [0, 16] }]);
    expect(secretsOf()).toEqual([
      ["k3yk3yk3y"],
      ["h7! k2"],
      ["h7k2h7"],
      ["aDdrMg=="],
      ["glc_eyJvIjoifQ=="],
    ]);
  });

  it("count a text once with all that any of their rules names in it, and a place once", () => {
    written("a/one", "first h7k2a second h7k2b", [{ rule: "x", said: "h7k2a" }]);
    written("b/two", "first h7k2a second h7k2b", [
      { rule: "y", said: "h7k2b" },
      { rule: "x", said: "h7k2a" },
    ]);
    expect(secretsOf()).toEqual([["h7k2a", "h7k2b"]]);
  });

  it("hold each password of an address in a case that must be caught, and no word for one", () => {
    written(
      "a/ng.addresses",
      "https://a:h7k2@x.example https://b:p@ss1@y.example ftp://c:your_password@z.example",
      [{ rule: "basicauth", said: "https://a:h7k2@x.example" }],
    );
    written("b/ok.addresses", "https://a:h7k2@example.com", []);
    const [caught, left] = fixturesIn(root);
    expect(caught?.secrets.map(({ start, end }) => caught.text.slice(start, end))).toEqual([
      "h7k2",
      "p@ss1",
    ]);
    expect(caught?.words).toBe(1);
    expect(left?.secrets).toEqual([]);
  });

  it("hold a key beside a case, and no number of an account", () => {
    write("a/ng.p12/prvkey.pem", "-----BEGIN PRIVATE KEY-----\nabc\n-----END PRIVATE KEY-----\n");
    write("b/ng.account/input", "0000-1111");
    write(
      "b/ng.account/output.json",
      JSON.stringify({ messages: [{ ruleId: "x", messageId: "AWSAccountID", range: [0, 9] }] }),
    );
    const found = fixturesIn(root);
    expect(found.map(({ leftOut }) => leftOut)).toEqual([
      "the number of an account, no credential",
      undefined,
    ]);
    expect(found[1]?.secrets).toEqual([{ kind: "privatekey PrivateKey", start: 27, end: 32 }]);
  });
});

describe("the committed figures of secrets", () => {
  interface Figures {
    readonly kinds: number;
    readonly places?: number;
    readonly distinct: number;
    readonly tried: number;
    readonly recall: number;
    readonly lookAlikes: number;
    readonly falseAlarmShare: number;
  }
  const { fixtures, madeUp } = (
    JSON.parse(
      readFileSync(join(import.meta.dirname, "../../bench/results/secrets.json"), "utf8"),
    ) as { figures: { fixtures: Figures; madeUp: Figures } }
  ).figures;

  it("are of 300 secrets of 25 kinds and more, half of them in the scanner's own fixtures, and of 2,000 look-alikes", () => {
    expect(fixtures.places).toBeGreaterThanOrEqual(150);
    expect(fixtures.tried).toBe(2 * (fixtures.places ?? 0));
    expect(fixtures.distinct).toBeLessThanOrEqual(fixtures.places ?? 0);
    expect(madeUp.distinct).toBe(madeUp.tried);
    expect(madeUp.tried).toBeGreaterThanOrEqual(150);
    for (const { kinds, recall, falseAlarmShare } of [fixtures, madeUp]) {
      expect(kinds).toBeGreaterThanOrEqual(25);
      expect(recall).toBeGreaterThanOrEqual(0.98);
      expect(falseAlarmShare).toBeLessThanOrEqual(0.01);
    }
    expect(madeUp.lookAlikes).toBeGreaterThanOrEqual(2_000);
  });
});
