export { databaseIn as openStorage } from "./stores.ts";
