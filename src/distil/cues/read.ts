import { remembering } from "../../base/cache.ts";
import { chinese } from "./zh.ts";
import { english } from "./en.ts";
import { german } from "./de.ts";
import { reader } from "./phrases.ts";

/** What a sentence is for, by the phrases of the three languages; another language tells nothing here. */
export const meanings = remembering(reader([english, german, chinese]));
