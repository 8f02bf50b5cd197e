import { execFile } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { beforeAll, expect, it } from "vitest";
import { openTidemark } from "../../src/index.ts";
import { blocks, learningPage } from "../support/readme.ts";
import { fileFolder } from "../support/afterwards.ts";
import { builtUrl } from "../support/built.ts";

const library = builtUrl("index").href;
const folder = fileFolder();
const workspace = join(folder, "workspace");
const KNOWN = "The billing service is moved with bin/unlock at hand.";

beforeAll(async () => {
  writeFileSync(join(folder, "package.json"), '{ "type": "module" }');
  const tidemark = await openTidemark({ workspace, embed: false });
  await tidemark.memory.save(KNOWN);
  await tidemark.close();
});

it("docs/learning.md has an example that begins with what is known and leaves what was learnt", async () => {
  const [code = "", ...others] = blocks("ts", learningPage);
  expect(others).toEqual([]);
  const file = join(folder, "example.ts");
  writeFileSync(file, code.replace('"tidemark"', JSON.stringify(library)));
  const { stdout, stderr } = await promisify(execFile)(process.execPath, [file], { cwd: folder });
  expect(stderr).toBe("");
  expect(stdout).toContain(KNOWN);

  const tidemark = await openTidemark({ workspace, embed: false });
  const { text } = await tidemark.brief("Move the billing service again");
  expect(text).toContain("the old cluster is kept until Friday");
  await tidemark.close();
});
