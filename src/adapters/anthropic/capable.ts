import { holdsCompaction } from "../../dialect/betas.ts";
import { capabilitiesOf, type ModelOverrides } from "../../dialect/models/capabilities.ts";
import { ON_DEMAND } from "../../dialect/models/table.ts";
import { type Asked, type Capabilities } from "../../model/capability.ts";
import { type ProviderRequest } from "../../model/request.ts";

export type Capable = (model: string) => Capabilities;

/** What models can do while one call of the caller's lasts: what the provider says meanwhile counts from the next on. */
export function createCapable(
  body: ProviderRequest,
  models: ModelOverrides | undefined,
  { said }: Asked,
): Capable {
  // A summary in what is sent for a request that holds none was put there by us, and the provider has written it.
  const ours = !holdsCompaction(body);
  return (model) => {
    const can = capabilitiesOf(model, models, model === body.model ? said : undefined);
    return ours && can.serverCompaction === undefined
      ? { ...can, serverCompaction: ON_DEMAND }
      : can;
  };
}
