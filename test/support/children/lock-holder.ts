// A process that holds the write lock of a database until it is told to let go; then it tells so and ends.
import Database from "better-sqlite3";

const database = new Database(process.argv[2]);
database.exec("begin immediate");
console.log("held");
process.stdin.once("data", () => {
  database.exec("rollback");
  database.close();
  console.log("gone");
});
