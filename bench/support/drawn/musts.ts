// The forms in which people and agents say what should be kept, as counted among the 31 musts of the labelled transcripts:
// `of31` says how often. Contents are our own; no sentence stands in the data.
import { OF_AGENTS } from "./agents.ts";
import { CHAT } from "./chat.ts";
import { OF_DEVELOPERS } from "./developers.ts";
import type { Form } from "./form.ts";
import { SERVICE } from "./service.ts";

export const MUSTS: readonly Form[] = [...CHAT, ...SERVICE, ...OF_DEVELOPERS, ...OF_AGENTS];
