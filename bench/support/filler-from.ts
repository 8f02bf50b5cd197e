import type { Filler } from "./trial/filler.ts";
import type { Message } from "../../src/core/request.ts";

/** A conversation in whole exchanges: from the user's words to the assistant's last before the next. */
export function exchangesOf(messages: readonly Message[]): Message[][] {
  const exchanges: Message[][] = [];
  for (const message of messages) {
    if (message.role !== "user" && message.role !== "assistant") continue;
    const opens =
      message.role === "user" && !JSON.stringify(message.content).includes('"tool_result"');
    const last = exchanges.at(-1);
    if (opens && (last === undefined || last.at(-1)?.role === "assistant"))
      exchanges.push([message]);
    else last?.push(message);
  }
  return exchanges.filter(
    (exchange) =>
      exchange.at(-1)?.role === "assistant" &&
      !JSON.stringify(exchange.at(-1)?.content).includes('"tool_use"'),
  );
}

/** A conversation that was had, exchange by exchange, from its start again when it is at its end; logs use an id twice, so each exchange has its own. */
export function fillerFrom(messages: readonly Message[]): Filler {
  const exchanges = exchangesOf(messages);
  let turn = 0;
  return () => {
    const exchange = exchanges[turn++ % Math.max(1, exchanges.length)] ?? [];
    return JSON.parse(
      JSON.stringify(exchange).replace(/"(id|tool_use_id)":"([^"]+)"/g, `"$1":"$2_x${turn}"`),
    ) as Message[];
  };
}
