/** Who a remembered sentence is of, before it. */
const SPEAKER = /^(?:User|Agent|用户|助手)[:：]\s?(?=\S)/u;
/** What a record of a conversation's work says of it, before its words. */
const RECORD = /^(?:Open request|Done): /;

/** The sentence alone. */
export const withoutSpeaker = (content: string): string => content.replace(SPEAKER, "");

/** The sentence of a speaker, or the words of a record, alone. */
export const bareWords = (content: string): string => withoutSpeaker(content).replace(RECORD, "");
