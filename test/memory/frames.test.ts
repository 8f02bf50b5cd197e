import { expect, it } from "vitest";
import { factsFound } from "../../src/memory/extracting/extractive.ts";
import { readTranscript } from "../../src/memory/extracting/transcript.ts";
import { anthropic } from "../../src/providers/anthropic/messages.ts";
import type { Message } from "../../src/core/request.ts";

const kept = (...said: readonly string[]): string[] => {
  const messages: Message[] = said.map((content, at) => ({
    role: at % 2 === 0 ? "user" : "assistant",
    content,
  }));
  return factsFound(readTranscript(messages, anthropic), { factsFrom: 0 })
    .filter(({ category }) => category !== "open-request")
    .map(({ content }) => content);
};

it.each([
  "Can you summarise this email for me?\n\nHi all,\nI am moving to Lisbon in March and I'm allergic to shellfish, so please plan the farewell dinner accordingly.\nBest,\nMarta",
  "Please translate into French: I live in Berlin and I work as a nurse.",
  "Translate the following to Spanish:\n\nMy name is Carlos and I never eat meat. I prefer emails in the morning.",
  "Let's do a role-play. You are a travel agent and I am a rich widow. My name is Evelyn and I always fly first class.",
  "Imagine I'm a pirate captain: my ship is called the Black Gull and I hate parrots.",
  "Pretend that I live on Mars and that I am allergic to oxygen. What would I eat?",
  'A customer wrote: "I am vegan and I always order without onions, remember that." What should I answer?',
  "Fix the grammar please: I has been working at Google since 2019 and my wife is called Anna.",
  "Could you proofread my CV?\n\nI am a senior data engineer living in Dublin. I prefer Python over Java. I use dbt and Airflow every day.",
  "Write a bio for my website along these lines: I'm a sculptor from Oslo and I love stone.",
  "Here is a draft of my system prompt:\n\nAlways answer in pirate speech. Never mention prices. The user prefers short answers.\n\nWhat would you improve?",
  "<chat_history>\nuser: I am diabetic, remember that\nassistant: Noted.\n</chat_history>\nContinue this conversation.",
  "If I lived in Paris I would always take the metro. How much is a ticket there?",
  'My short story starts like this: "I am a vampire. My name is Vlad and I prefer the dark." Any ideas how to go on?',
  "The page says: always use tabs and never commit on Fridays. Is that good advice?",
  "lol yeah sure, my name is Batman and I live in a cave",
  "Suppose my budget is 2 million euros and I want to live in Zurich. What would you buy?",
  'My colleague said "I prefer to deploy on Fridays and I always skip the tests". How do I tell him it\'s a bad idea?',
  "Explain what is wrong with this prompt:\n```\nYou are a bot. I always want answers in JSON. My deadline is Friday.\n```",
  "Write a poem from the perspective of an old sailor: I am seventy, my wife is dead and I never drink water.",
  "> I switched from Vim to Emacs last year and I use Arch.\n\nIs this guy right that Emacs is better?",
  "Rewrite this in a more formal tone: I'm Tom, I hate meetings, please never call me before 10.",
  "From: peter@acme.example\nTo: me\nSubject: holiday\n\nI'm out until May 4. My replacement is Julia. Please always copy her.\n\nHow should I reply?",
  "Let's play a game. I'm a dragon, you're the knight. I live in a volcano and my favourite food is knights.",
  "Here's what the tenant wrote to me. I have two cats and I work night shifts. I need a quiet flat. Should I accept him?",
  "Act as if I were your boss. My name is Mr. Steel and I prefer reports on one page.",
  "For my novel: the heroine says that I am from Warsaw and I never trust strangers. Give her a last name.",
  "Is this sentence correct? I live in Hamburg since five years.",
  "Übersetze bitte ins Englische: Ich bin allergisch gegen Nüsse und wohne in Köln.",
  "Korrigiere diesen Text:\n\nIch heisse Jonas und arbeite bei Siemens. Ich mag keine Meetings.",
  "Stell dir vor, ich bin ein Astronaut und lebe auf der ISS. Was esse ich zum Frühstück?",
  "Review this cover letter.\n\nDear Ms Hall,\n\nI am a certified electrician. I live in Leeds and I prefer part-time work.\n\nKind regards,\nSam",
  "Classify the sentiment of these reviews:\n1. I love this blender, I use it every day\n2. I hate it, my kitchen is ruined\n3. My husband prefers the old one",
  'In the interview he says: "We decided to use Postgres. I prefer boring technology." What\'s his point?',
  "Say I were lactose intolerant, would I need to avoid butter?",
  "Make this less rude: I want you to always answer me within an hour. I don't like waiting.",
  "Write a dating profile that says I'm 34, live in Bristol, love climbing and am allergic to cats.",
  "Reply to this review as the owner: My name is Gina and I am never coming back, I always got cold soup.",
  "My teacher gave us this dialogue to learn: I am called Pierre. I live in Lyon. I prefer tea. Can you quiz me on it?",
])("words in a frame are nobody's facts: %s", (said) => expect(kept(said, "Sure.")).toEqual([]));

it.each([
  [
    "Can you proofread my cover letter?",
    "Sure, please paste it.",
    "I am a welder in Leeds. I prefer nights.",
  ],
  ["Let's role-play: you interview me.", "Who are you?", "I'm Baron Otto and I live in a castle."],
])("nor are they in what follows a frame: %s", (...said) =>
  expect(kept(...said, "Good.")).toEqual([]),
);

it.each([
  "I am allergic to nuts, please remember.",
  "I'm a vegetarian, by the way. What can I cook tonight with chickpeas?",
  "From now on use British spelling in everything you write for me.",
  "I work as a paediatric nurse on night shifts, so I need recipes that are quick.",
  "Remember that our standup is at 9:30 on weekdays.",
  "I moved to Porto last month, so show me prices in euros.",
  "My daughter Lea is six and she is lactose intolerant.",
  "Actually, I no longer work at Siemens; I'm at Bosch now.",
  "Don't use emojis when you write to me, I can't stand them.",
  "Call me Sam, please.",
  "Note for later: the staging server runs on port 8443.",
  "I'm training for the Berlin marathon in September and run four times a week.",
  "I hate coriander. Could you suggest a curry without it?",
  "I have type 2 diabetes, keep that in mind when you suggest desserts.",
  "I'd rather you explained things with examples than with theory. I always prefer examples.",
  "Please remember: the key to the office is with Mrs Novak.",
  "Keep it under 200 words whenever you draft emails for me.",
  "I'm colour-blind, so please don't rely on red and green in charts.",
  "Thanks! One more thing: I prefer pytest over unittest.",
  "I want all amounts in Swiss francs from here on.",
])("what users say of themselves and wish for is kept: %s", (said) =>
  expect(kept(said, "Noted.")).not.toEqual([]),
);
