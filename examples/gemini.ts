// A chat in the terminal, with Google's SDK: GEMINI_API_KEY=… node examples/gemini.ts
import { createInterface } from "node:readline";
import { type Content, GoogleGenAI } from "@google/genai";
import { openTidemark } from "tidemark";
import { geminiMiddleware } from "tidemark/gemini";

const tidemark = await openTidemark();
const client = new GoogleGenAI({ httpOptions: { fetch: geminiMiddleware(tidemark) } });
const contents: Content[] = [];
for await (const text of createInterface({ input: process.stdin })) {
  contents.push({ role: "user", parts: [{ text }] });
  const reply = await client.models.generateContent({ model: "gemini-3.8-flash", contents });
  contents.push(reply.candidates?.[0]?.content ?? { role: "model", parts: [] });
  console.log(reply.text);
}
await tidemark.close();
