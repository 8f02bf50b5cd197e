// A customer and a service: what both say that should be kept.
import { NAMES, called, login, lower, mark, must, number, type Form } from "./form.ts";
import { answers, asks, talk, type Message } from "./scene.ts";

export const SERVICE: readonly Form[] = [
  {
    form: "an identifier that was asked for",
    kind: "service",
    of31: 2,
    scene: ({ orders }, dice, say) => {
      const who = lower(login(dice));
      return {
        messages: [
          ...talk(
            `Hi, I've got a question about my ${orders}.`,
            "Happy to help! Could you tell me your customer number first?",
            say(`My customer number is ${who}.`, [
              `My customer number is ${who}.`,
              `Sure, my account name is ${who}. I haven't got the order number at hand, though. Could you look it up with that?`,
              `Yes, customer number ${who}, thanks.`,
            ]),
          ),
          ...called(dice, "", "get_customer", [
            { customer: who },
            JSON.stringify({ name: dice.of(NAMES), level: "regular", orders: [mark(dice)] }),
          ]),
          answers(`Thank you! I see your ${orders}. What would you like to change?`),
        ],
        facts: [
          must(`Customer number: ${who}.`, "identifier", 2, [
            [who],
            ["user id", "customer", "account", "number"],
          ]),
        ],
      };
    },
  },
  {
    form: "a wish said as a request, repeated",
    kind: "service",
    of31: 1,
    scene: (_of, dice, say) => {
      const card = number(dice);
      return {
        messages: talk(
          say(
            `Could you please change how that's paid? I would prefer to use just one voucher, ideally the bigger one, and put the rest on my ${card} card.`,
            [
              `Could you change how that's paid, please? I'd rather use up just one voucher, the bigger one if possible, and put what's left on my card ending in ${card}.`,
              `Is there a way to pay differently? What I'd like is one voucher only, the larger, and the remainder from card ${card}.`,
            ],
          ),
          "I can try that. Please note that vouchers cannot be paid back.",
          `Right. Please take the larger voucher as far as it goes, the rest comes from my ${card} card then. Thanks.`,
          "I have noted how you would like to pay.",
        ),
        facts: [
          must(
            `The user pays with the larger voucher, the rest with card ${card}.`,
            "preference",
            0,
            [["voucher"], [String(card)], ["bigger", "larger", "rest", "remainder", "one voucher"]],
          ),
        ],
      };
    },
  },
  {
    form: "a request in a question, open at the end",
    kind: "service",
    of31: 1,
    ends: true,
    scene: ({ orders, better: [text, key] }, dice, say) => {
      const open = [mark(dice), mark(dice), mark(dice)];
      const asked = say(
        `Great, thank you! For my other ${orders}, can you change me to ${text} wherever possible?`,
        [
          `Perfect, thanks! As for my other ${orders}, could you switch me to ${text} wherever there is one?`,
          `Lovely. Can you also move all my remaining ${orders} to ${text} if that's possible?`,
        ],
      );
      return {
        messages: [
          ...talk(
            asked,
            `I have to look at each of them. Shall I change all of these to ${text}: ${open.join(", ")}?`,
            say(
              `Yes, please go ahead and change all the remaining ${orders} to ${text} wherever you can. Thank you!`,
              [`Yes, those. Go through them and give me ${text} for each one that can have it.`],
            ),
          ),
          ...called(dice, "", "find_offer", [{ order: open[0] }, '{"offers":[]}']),
          ...called(
            dice,
            `**${open[0]}** cannot be changed. I go on with **${open[1]}**.`,
            "find_offer",
            [{ order: open[1] }, '{"offers":[{"price":41,"left":2}]}'],
          ),
        ],
        facts: [
          must(`Open: change all remaining ${orders} to ${text}.`, "open-request", 0, [
            [key],
            ["switch", "move", "change"],
            ["remaining", "other", "all "],
          ]),
        ],
      };
    },
  },
  {
    form: "an agent's closing report of an order",
    kind: "service",
    of31: 1,
    ends: true,
    scene: ({ orders, better }, dice, say) => {
      const [order, card, price] = [mark(dice), number(dice), 40 + dice.below(900)];
      return {
        messages: [
          asks(dice.of(["Then please book it with my card.", "Ok, go ahead and book that one."])),
          ...called(dice, "", "book_order", [
            { item: better[0], payment: `card_${card}` },
            JSON.stringify({ order_id: order, item: better[0], total: price, status: "booked" }),
          ]),
          answers(
            `${say(`Your order of ${better[0]} has been successfully booked using your card ending in ${card}.`, [`All set, ${better[0]} is booked on your card.`])} The details:\n\n- **Item:** ${better[0]}\n- **Kind:** ${orders}\n- **Insurance:** no\n- **Payment:**\n  - Card ending in ${card}: €${price}\n\nThe number of your new order is **${order}**. Tell me if there is anything else!`,
          ),
        ],
        facts: [
          must(`${better[0]} is booked as ${order} for €${price}.`, "outcome", 3, [
            [lower(order)],
            [String(price), "book", String(card), "order"],
          ]),
        ],
      };
    },
  },
  {
    form: "what stayed behind: done twice, never undone",
    kind: "service",
    of31: 1,
    scene: ({ better }, dice) => {
      const [one, two] = [mark(dice), mark(dice)];
      const [voucher, other] = [String(1e6 + dice.below(9e6)), number(dice)];
      const report = (order: string, paid: string): string =>
        `${better[0][0]?.toUpperCase()}${better[0].slice(1)} is booked. The details:\n\n- **Item:** ${better[0]}\n- **Payment:**\n  - ${paid}\n\nYour order is **${order}**. Anything else?`;
      const book = (order: string, payment: string): Message[] =>
        called(dice, "", "book_order", [
          { item: better[0], payment },
          JSON.stringify({ order_id: order, payment }),
        ]);
      return {
        messages: [
          asks("Yes, that one, please, with my voucher."),
          ...book(one, `voucher_${voucher}`),
          answers(report(one, `Voucher ${voucher}: €120`)),
          asks("Hm, I'd like it on my card after all. Could you do that again?"),
          ...book(two, `card_${other}`),
          answers(report(two, `Card ending in ${other}: €120`)),
        ],
        facts: [
          must(`${one} was never cancelled and binds voucher ${voucher}.`, "open-request", 3, [
            [lower(one)],
            ["voucher", voucher, "not cancel", "never cancel", "still", "twice"],
          ]),
        ],
      };
    },
  },
  {
    form: "an agent's report in one sentence",
    kind: "service",
    of31: 1,
    scene: ({ orders }, dice, say) => {
      const order = mark(dice);
      return {
        messages: [
          asks(`Yes, cancel ${order} then, please.`),
          ...called(dice, "", "cancel_order", [
            { order_id: order },
            JSON.stringify({ order_id: order, kind: orders, refund: 84, status: "cancelled" }),
          ]),
          answers(
            say(
              `The order with the number **${order}** has been successfully cancelled. The money goes back to the card you paid with within a week.`,
              [
                `Your order **${order}** is cancelled now. You get the money back on the card you paid with within a week or so. Just say if you need anything else!`,
              ],
            ),
          ),
        ],
        facts: [must(`${order} was cancelled.`, "outcome", 3, [[lower(order)], ["cancel"]])],
      };
    },
  },
];
