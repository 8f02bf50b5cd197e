// Dies with the lock in its hand.
import { exclusively } from "../../../src/workspace/disk/disk-folder.ts";

await exclusively(process.argv[2] ?? "", async () => process.kill(process.pid, "SIGKILL"));
