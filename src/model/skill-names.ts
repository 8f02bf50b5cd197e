/** Words that stand in no name of a skill: Anthropic's API refuses them. */
export const RESERVED = /anthropic|claude/;
