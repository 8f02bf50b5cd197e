import * as z from "zod/mini";
import { type Dict, parsed } from "../../core/base.ts";
import { packageVersion } from "../../core/installed.ts";
import { FORMS, type JsonForm, object, optional, type Schema } from "../../core/schema.ts";
import { FIELDS, type ApiCall } from "./fields.ts";

/** A line as it is routed: what it needs, and what it takes beside its path. */
export interface ApiRoute {
  readonly method: string;
  /** With ":id" for a part, and ":name+" for all parts that follow. */
  readonly path: string;
  readonly says: string;
  readonly needs: "read" | "write" | "host";
  readonly takesBody: boolean;
  readonly input: Schema<object>;
  readonly form: JsonForm;
  readonly answer: ApiCall[3];
}

export function routeOf([place, says, named, answer]: ApiCall): ApiRoute {
  const [method = "", path = ""] = place.split(" ");
  const isReading = method === "GET" || /^\/(?:search|recall|brief)$/.test(path);
  const known: Readonly<Record<string, Schema>> = FIELDS;
  const schemas = (named.match(/\S+/g) ?? []).map((field) => {
    const [name = "", isNeeded] = field.split("!");
    const schema = known[name] ?? FIELDS.text;
    return [name, isNeeded === undefined ? optional(schema) : schema];
  });
  const input = object<Dict>(Object.fromEntries(schemas) as never);
  const form = z.toJSONSchema(input as z.ZodMiniType, {
    unrepresentable: "any",
    metadata: FORMS as typeof z.globalRegistry,
  }) as JsonForm;
  const needs = isReading ? "read" : "write";
  const takesBody = method !== "GET" && method !== "DELETE";
  return {
    ...{ method, path, says, input, form, takesBody, answer },
    needs: path.startsWith("/users") ? "host" : needs,
  };
}

/** A text of an address as the value that it must stand for; another stays a text. */
export function meant(text: string, { type, items }: JsonForm = {}): unknown {
  if (items !== undefined) return text.split(",");
  const value = parsed(text);
  return type === "string" || typeof value === "object" ? text : (value ?? text);
}

/** All routes as OpenAPI 3.1, from the schemas that check what is asked. */
export function openApi(base: string, routes: readonly ApiRoute[]): Dict {
  const paths = Map.groupBy(routes, ({ path }) => base + path.replace(/:(\w+)\+?/g, "{$1}"));
  return {
    openapi: "3.1.0",
    info: { title: "Tidemark", version: packageVersion() },
    security: [{ token: [] }],
    components: { securitySchemes: { token: { type: "http", scheme: "bearer" } } },
    paths: Object.fromEntries(
      Array.from(paths, ([path, all]) => [
        path,
        Object.fromEntries(all.map((route) => [route.method.toLowerCase(), operation(route)])),
      ]),
    ),
  };
}

function operation({ path, says, form, takesBody }: ApiRoute): Dict {
  const { properties = {}, required = [] } = form;
  const inPath = Array.from(path.matchAll(/:(\w+)/g), ([, name = ""]) => name);
  const parameter = (place: "path" | "query") => (name: string) => ({
    ...{ name, in: place, schema: properties[name] ?? { type: "string" } },
    required: place === "path" || required.includes(name),
  });
  const inQuery = takesBody ? [] : Object.keys(properties);
  return {
    summary: says,
    parameters: [...inPath.map(parameter("path")), ...inQuery.map(parameter("query"))],
    ...(takesBody && { requestBody: { content: { "application/json": { schema: form } } } }),
    responses: { default: { description: "JSON; an error is { error: { code, message } }" } },
  };
}
