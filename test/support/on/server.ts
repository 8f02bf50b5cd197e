import { postgresServer } from "../postgres-server.ts";

/** One server for all files of a run. */
export default async function setup(): Promise<() => void> {
  if (process.env.TIDEMARK_SERVER !== undefined) return () => undefined;
  const server = await postgresServer();
  process.env.TIDEMARK_SERVER = server.address("").replace(/\?.*/, "");
  return () => server.close();
}
