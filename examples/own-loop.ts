// A chat in the terminal with nothing but fetch: OPENAI_API_KEY=… node examples/own-loop.ts
import { createInterface } from "node:readline";
import { openTidemark, type Message } from "tidemark";

const { OPENAI_BASE_URL = "https://api.openai.com/v1", OPENAI_API_KEY } = process.env;

async function ask(request: object): Promise<{ choices: { message: Message }[] }> {
  const headers = { authorization: `Bearer ${OPENAI_API_KEY}`, "content-type": "application/json" };
  const body = JSON.stringify(request);
  const response = await fetch(`${OPENAI_BASE_URL}/chat/completions`, {
    method: "POST",
    headers,
    body,
  });
  if (!response.ok)
    throw Object.assign(new Error(await response.text()), { status: response.status });
  return (await response.json()) as { choices: { message: Message }[] };
}

const tidemark = await openTidemark();
const messages: Message[] = [];
for await (const content of createInterface({ input: process.stdin })) {
  messages.push({ role: "user", content });
  let turn = await tidemark.begin({ model: "gpt-6.2", messages });
  const reply = await ask(turn.request).catch(async (error: unknown) => {
    const smaller = await turn.recover(error); // only after "too long" and its like
    if (!smaller) throw error;
    turn = smaller;
    return ask(turn.request);
  });
  await turn.end(reply);
  const [choice] = reply.choices;
  if (choice) messages.push(choice.message);
  console.log(choice?.message.content);
}
await tidemark.close();
