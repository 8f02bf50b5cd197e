import { Tiktoken } from "js-tiktoken/lite";
import ranks from "js-tiktoken/ranks/o200k_base";

const encoder = new Tiktoken(ranks);

/** Tokens of a text in o200k_base; what looks like a special token is the text it is. */
export const exactTokens = (text: string): number => encoder.encode(text, [], []).length;
