import { expect, it } from "vitest";
import { assistant, call, openRoom, result, tell, user } from "../support/talk.ts";

it.each([
  ["AskUserQuestion", "agent"],
  ["ask_docs", "tool"],
] as const)(
  "what %s answers is the word of the %s, and told next time where it is trusted",
  async (name, origin) => {
    const read: string[] = [];
    const chosen = "Ruff, and Pyright once the migration of the old tests has landed";
    const room = await openRoom({
      distil: ({ messages }) => {
        read.push(JSON.stringify(messages));
        const content = "The user chose Ruff, and Pyright once the migration has landed.";
        const facts = [{ content, category: "decision", importance: 0.8, from: [3] }];
        return Promise.resolve({ text: JSON.stringify({ facts, summary: "Checkers." }) });
      },
    });
    const talk = [
      user("I want the checkers of this repository set up before Friday."),
      call("a", name, { questions: ["Which of the checkers do you want?"] }),
      result(
        "a",
        `User has answered your questions: "Which of the checkers do you want, and in which order?"="${chosen}".`,
      ),
    ];
    await tell(room.tidemark, talk, assistant("Both are set up."));
    const next = await room.reopen();
    await tell(next, [user("Good morning.")], assistant("Good morning!"));
    await next.idle();
    const isUsers = origin === "agent";
    // It is read whole where the user chose it.
    expect(read.join().includes(chosen)).toBe(isUsers);
    const kept = (await next.memory.list()).filter(({ content }) => content.includes("chose Ruff"));
    expect(kept).toMatchObject([{ origin }]);
    const later = await room.reopen();
    const turn = await tell(later, [user("Hello, let us go on.")]);
    expect(JSON.stringify(turn.request).includes("The user chose Ruff")).toBe(isUsers);
  },
);
