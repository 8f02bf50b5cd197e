import { type Dict, dicts, isDict } from "../../base/guards.ts";
import { type ProviderRequest } from "../../model/request.ts";

const nameOf = (tool: Dict): unknown => (isDict(tool.function) ? tool.function.name : tool.name);

/** Whether the model may call a tool of this name. */
export const offersTool = ({ tools }: ProviderRequest, name: string): boolean =>
  dicts(tools).some((tool) => nameOf(tool) === name);
