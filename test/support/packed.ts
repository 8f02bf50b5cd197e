import { execFile } from "node:child_process";
import { createHash } from "node:crypto";
import {
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, dirname, join, resolve } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { promisify } from "node:util";

export const REPOSITORY = resolve(import.meta.dirname, "../..");
/** All that `npm pack` reads. A new kind of file that is shipped belongs here too. */
const INPUTS = [
  "package.json",
  "tsconfig.json",
  "tsconfig.build.json",
  "scripts",
  "src",
  "test/contracts",
  "page",
  "workspace-template",
  "docs",
  "README.md",
  "CHANGELOG.md",
  "CONTRIBUTING.md",
  "SECURITY.md",
  "LICENSE",
];
const SDK = "@anthropic-ai/sdk";
/** Not needed by the repository itself. */
const OTHERS = ["openai@7.59.0", "ai@7.0.173", "@ai-sdk/anthropic@4.0.105"];

/** Younger installs may be in use by a run of other sources. */
const KEPT_MS = 3_600_000;

export interface Packed {
  /** An otherwise empty project that has the tarball and the SDKs installed. */
  readonly project: string;
  /** The package as it was installed. */
  readonly root: string;
  readonly tarball: string;
  /** Paths in the tarball. */
  readonly files: readonly string[];
}

const execute = promisify(execFile);
/** npm as the repository runs it: on its own Node. */
const npm = (cwd: string, ...args: string[]) =>
  execute("npm", args, {
    cwd,
    env: {
      ...process.env,
      PATH: `${dirname(process.execPath)}${delimiter}${process.env["PATH"] ?? ""}`,
    },
    maxBuffer: 64 << 20,
  });

/**
 * The repository packed and installed elsewhere, once for each state of its sources: test files run in processes of their
 * own, and an install takes longer than all of them. The first to come makes it, the others wait.
 */
export async function packed(): Promise<Packed> {
  const home = join(
    process.env.TIDEMARK_PACKED_IN ?? tmpdir(),
    `tidemark-packed-${process.getuid?.() ?? "one"}`,
    fingerprint(),
  );
  const done = join(home, "packed.json");
  const lock = `${home}.lock`;
  mkdirSync(dirname(home), { recursive: true });
  while (!existsSync(done)) {
    if (!take(lock)) {
      await pause(100);
      continue;
    }
    try {
      if (!existsSync(done)) writeFileSync(done, JSON.stringify(await make(home)));
    } finally {
      rmSync(lock, { force: true });
    }
  }
  return JSON.parse(readFileSync(done, "utf8")) as Packed;
}

async function make(home: string): Promise<Packed> {
  for (const old of readdirSync(dirname(home)).map((name) => join(dirname(home), name)))
    if (old === home || statSync(old).mtimeMs < Date.now() - KEPT_MS)
      rmSync(old, { recursive: true, force: true });
  const copy = join(home, "repository");
  mkdirSync(copy, { recursive: true });
  // Packed from a copy: building removes dist, which other tests may be reading.
  for (const input of INPUTS.filter((name) => existsSync(join(REPOSITORY, name))))
    cpSync(join(REPOSITORY, input), join(copy, input), { recursive: true });
  symlinkSync(join(REPOSITORY, "node_modules"), join(copy, "node_modules"));
  const { stdout } = await npm(copy, "pack", "--json", "--pack-destination", home);
  // What the build says stands before it.
  const [tarball] = JSON.parse(stdout.slice(stdout.search(/^\[/m))) as {
    filename: string;
    files: { path: string }[];
  }[];
  if (!tarball) throw new Error(`npm pack told of no tarball: ${stdout}`);

  const project = join(home, "project");
  mkdirSync(project);
  writeFileSync(
    join(project, "package.json"),
    JSON.stringify({ name: "empty", private: true, type: "module" }),
  );
  const version = (
    JSON.parse(readFileSync(join(REPOSITORY, "node_modules", SDK, "package.json"), "utf8")) as {
      version: string;
    }
  ).version;
  await npm(
    project,
    "install",
    "--no-audit",
    "--no-fund",
    "--prefer-offline",
    join(home, tarball.filename),
    `${SDK}@${version}`,
    ...OTHERS,
  );
  return {
    project,
    root: join(project, "node_modules/tidemark"),
    tarball: join(home, tarball.filename),
    files: tarball.files.map(({ path }) => path).sort(),
  };
}

function fingerprint(): string {
  const hash = createHash("sha256");
  const read = (path: string): void => {
    if (!existsSync(path)) return;
    if (statSync(path).isDirectory())
      return readdirSync(path)
        .sort()
        .forEach((name) => read(join(path, name)));
    hash.update(path).update(readFileSync(path));
  };
  for (const input of INPUTS) read(join(REPOSITORY, input));
  return hash.digest("hex").slice(0, 16);
}

/** True when the lock is ours. One whose process is gone is nobody's. */
function take(lock: string): boolean {
  try {
    writeFileSync(lock, String(process.pid), { flag: "wx" });
    return true;
  } catch {
    const holder = existsSync(lock) ? Number(readFileSync(lock, "utf8")) : 0;
    if (holder > 0 && !alive(holder)) rmSync(lock, { force: true });
    return false;
  }
}

function alive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}
