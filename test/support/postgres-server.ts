import { execFileSync } from "node:child_process";
import { chmodSync, chownSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";

const ROOT = "/usr/lib/postgresql";

async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await new Promise((resolve) => server.once("listening", resolve));
  const { port } = server.address() as { port: number };
  await new Promise((resolve) => server.close(resolve));
  return port;
}

/** A PostgreSQL server with a folder, a port and a password of its own; Debian's package has the programs. */
export async function postgresServer({ fsync = "off" }: { fsync?: "on" | "off" } = {}) {
  const [version] = readdirSync(ROOT).sort((a, b) => Number(b) - Number(a));
  if (version === undefined)
    throw new Error("PostgreSQL is not installed: apt-get install postgresql");
  const home = mkdtempSync(join(tmpdir(), "tidemark-postgres-"));
  // The server refuses to run as root.
  const own = process.getuid?.() === 0 ? { uid: 65_534, gid: 65_534 } : {};
  if (own.uid !== undefined) chownSync(home, own.uid, own.gid);
  chmodSync(home, 0o700);
  const data = join(home, "data");
  const run = (program: string, ...given: string[]): string =>
    execFileSync(join(ROOT, version, "bin", program), given, {
      ...own,
      cwd: "/",
      encoding: "utf8",
      stdio: ["ignore", "ignore", "pipe"],
      env: { PATH: "/usr/bin:/bin", HOME: home, LC_ALL: "C" },
    });
  run("initdb", "-D", data, "-U", "ada", "-A", "trust", "-N", "--encoding=UTF8", "--locale=C");
  const port = await freePort();
  const options = `-p ${port} -k ${home} -c listen_addresses=127.0.0.1 -c fsync=${fsync}`;
  const start = (): string =>
    run("pg_ctl", "-D", data, "-w", "-l", join(home, "server.log"), "-o", options, "start");
  const stop = (how = "fast"): string => run("pg_ctl", "-D", data, "-w", "-m", how, "stop");
  start();
  return {
    start,
    stop,
    port,
    address: (schema: string) =>
      `postgres://ada:Xylophonist@127.0.0.1:${port}/postgres?schema=${schema}`,
    /** A second server that follows this one. */
    async replica() {
      const [copy, at] = [join(home, "copy"), await freePort()];
      run(
        "pg_basebackup",
        "-h",
        home,
        "-p",
        String(port),
        "-U",
        "ada",
        "-D",
        copy,
        "-R",
        "-c",
        "fast",
      );
      const how = `-p ${at} -k ${home} -c listen_addresses=127.0.0.1`;
      run("pg_ctl", "-D", copy, "-w", "-l", join(home, "copy.log"), "-o", how, "start");
      return {
        address: (schema: string) => `postgres://ada@127.0.0.1:${at}/postgres?schema=${schema}`,
        stop: () => run("pg_ctl", "-D", copy, "-w", "-m", "fast", "stop"),
      };
    },
    close(): void {
      try {
        stop("immediate");
      } finally {
        rmSync(home, { recursive: true, force: true });
      }
    },
  };
}
