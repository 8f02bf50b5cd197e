/** Tasks are conversations of this name, so that what was done in them is found as all that was said is. */
export const taskConversation = (id: string): string => `task:${id}`;

export const isTask = (conversation: string): boolean => conversation.startsWith("task:");
