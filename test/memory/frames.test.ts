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

// Written when the rules stood; the figures are those of the first sight.
const UNSEEN = [
  'Got this from our landlord this morning, is it legal?\n\n"Dear tenants, I am raising the rent by 9 % from May. I live abroad now, so please always write to my agent."',
  "fwd from hr:\nI started as head of people in March. I prefer to be reached on Teams. Please always copy my assistant Yusuf.\n\ncan you write a two line answer",
  "Can you tidy up my girlfriend's application? I grew up in Gdansk and I have worked as a pastry chef for nine years. I love early shifts.",
  "Let's practise: you are the receptionist and I'm checking in. I'm Mr Okafor, I have booked a double room and I am allergic to feathers.",
  "Roleplay time. I'm a grumpy detective called Moss, I drink only black coffee and I hate my boss.",
  "Picture yourself interviewing me in 2050: I run a bakery on the moon and I prefer low gravity bread.",
  "For my D&D character: I was born in Neverwinter, I never lie, and my brother is a bandit king. What class fits?",
  "Suppose for a second that I earn 9000 a month and live in Munich. What flat could I afford?",
  "What would you cook if I were vegan and hated tofu?",
  "How do you say in Italian: I don't eat pork and my husband has a nut allergy?",
  "translate -> de\nI have been a member since 2011 and I always pay by card.",
  "Is the following good English? Since two years I am living in Vienna and I work by a bank.",
  "Put this into passive voice: I painted the kitchen and I always clean the brushes.",
  "Shorten to one tweet: After ten years I am leaving Initech. I will move to Lagos and I want to teach.",
  "Turn these notes into a bio: born in Hanoi, I teach maths, I love kites, my dog is called Pho.",
  "Give feedback on my opening paragraph.\n\nMy name is Ruth and I have killed eleven people. I live above the chemist's. I prefer poison.",
  "A client just sent: we have switched to Shopify, I always want invoices as PDF. What do I reply?",
  "One of our users complains: I never got the refund and I live in Malta so shipping is slow. How should support answer?",
  '<ticket id="4471">\nI\'m on the Pro plan. I always export to Excel. Please never log me out.\n</ticket>\nWhich team owns this?',
  "<chat_history>\nHuman: my name is Devon, I work nights\nAI: Hi Devon!\n</chat_history>\n<question>What is the capital of Peru?</question>",
  "Previous conversation:\nMe: I am lactose intolerant.\nBot: Noted!\nMe: and I prefer metric units.\n\nWhat did the bot get wrong?",
  "[Slack, #eng-infra]\nmaria 10:02: I moved us to Terraform, I always apply from main\njon 10:03: I hate that\n\nsummarise",
  'The page says: "I built this blog with Hugo and I never use trackers." Do you know the author?',
  "According to the article, I should always drink two litres a day and never eat after six. True?",
  "My mum always says: I never trust people who don't like dogs. Funny, no?",
  "My boyfriend says he works at Bosch and that we have to move to Stuttgart. How do I tell him no?",
  "haha my name is Inigo Montoya, you killed my father",
  "I'm basically a vampire at this point, I sleep all day lol. Any tips?",
  "If my budget were 5k I would go to Japan every spring. What would a week cost?",
  "I wish I lived by the sea and worked four days a week. What does the research say about it?",
  "Here is the system prompt of our bot, find holes:\nYou are Tilly. Always answer in rhyme. I am your developer and I prefer short replies.",
  "Reddit post I found: I (34M) live with my in-laws and I hate it. I want to move out by June. What would you advise OP?",
  "Write me an email to the school as if from my neighbour: my son Leo is allergic to bees and I work until five.",
  "Complete the sentence: I live in a small town and every morning I ...",
  "Lyrics check, does it scan?\nI come from the north where the cold wind blows / I never go home and nobody knows",
  "Quiz question: I was born in Ulm, I played the violin and I hated exams. Who am I?",
  "Riddle: I live in water but I never swim. What am I?",
  "Testimonial for the site, make it punchier - I switched to Acme in 2024, I save two hours each day and my team loves it.",
  "In this dialogue, B says: I'm a nurse and I prefer night shifts. Which tense is it?",
  "My grandfather's diary, 3 May 1944: I am stationed near Caen. I miss my wife Elsie. I want to be home by Christmas. Where might his unit have been?",
];
const NOISE = [
  "ok thanks",
  "hmm still broken",
  "npm ERR! code ERESOLVE",
  "What time is it in Tokyo right now?",
  "  at Object.<anonymous> (/app/index.js:3:9)",
  "lol nice",
  "can you run it again",
  "yes do that",
  "2026-02-11 08:01:02 INFO worker started pid=4411",
  "No, the other one.",
  "Looks good to me, merge it",
  "wait",
  "I think that's it for today",
  "I don't know, you tell me",
  "I see the same error again",
  "I am getting a 502 when I open the page",
  "my build fails at step 4",
  "I tried that already and it did not help",
  "why is my loop slow?",
  "I need this by tomorrow morning, hurry",
  "I'm going to grab lunch, back in ten",
  "continue",
  '<div class="card">hello</div>',
  "I just pushed a commit, have a look",
];
const OWN = [
  "I'm allergic to penicillin, so keep that in mind.",
  "I live in Ghent with my two kids.",
  "I work as a train driver in Norway.",
  "My wife's name is Ingrid.",
  "I prefer answers in bullet points.",
  "Please always show prices in Swiss francs.",
  "I use Fedora on my laptop.",
  "We deploy with ArgoCD at my company.",
  "I've been vegan since 2019.",
  "My son Emil has coeliac disease.",
  "Never use emojis in code comments, please.",
  "I switched from VS Code to Zed last month.",
  "I hate mushrooms.",
  "My birthday is on 4 August.",
  "Our database is Postgres 18.",
  "I'm learning Portuguese for a move to Porto.",
  "From now on answer me in Dutch.",
  "I take the train to work every day.",
  "My budget for the bike is 1,500 euros.",
  "I run a small bakery in Leeds.",
  "Remember that my flight leaves on Friday at 7:40.",
  "I'm left-handed, in case it matters for the guitar tips.",
  "We decided to go with Svelte for the dashboard.",
  "My manager is called Tomasz.",
  "I don't drink alcohol.",
  "Call me Bea.",
  "My cat Miso is fourteen years old.",
  "I need glasses for reading, so use large fonts.",
  "I moved from Delhi to Toronto in January.",
  "By the way, I'm a wheelchair user, so step-free routes please.",
];

it("of forty unseen frames one becomes a memory, of 24 lines of noise one, of thirty wishes 28", () => {
  const became = (said: readonly string[]): number =>
    said.filter((one) => [...kept(one, "Sure."), ...kept("Hi!", "Yes?", one, "Done.")].length > 0)
      .length;
  expect(became(UNSEEN)).toBeLessThanOrEqual(1);
  expect(became(NOISE)).toBeLessThanOrEqual(1);
  expect(became(OWN)).toBeGreaterThanOrEqual(28);
});
