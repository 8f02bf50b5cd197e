import type { Complete } from "../../src/core/request.ts";

/** A model that answers with talk, or not at all. */
export const junkModel: Complete = () =>
  Promise.resolve({ text: "It was a pleasant conversation about many things.", stop: "end_turn" });
export const failingModel: Complete = () =>
  Promise.reject(new Error("529 overloaded_error: Overloaded"));
