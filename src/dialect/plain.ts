import { type ProviderRequest } from "../model/request.ts";
import { anthropic } from "./anthropic.ts";
import { type Dialect } from "./dialect.ts";
import { isBlank } from "./reading.ts";

/**
 * A request of plain words for a model that no table knows: nothing tells whose it is. What is added has the form that both
 * makers take, a first message of the user's; cache marks and system fields are left to those who surely know them.
 */
export const plain: Dialect = {
  ...anthropic,
  plain: true,
  appendSystem: (request: ProviderRequest, text) => (isBlank(text) ? request : { ...request, messages: [{ role: "user", content: text }, ...request.messages] }),
};
