interface Retold {
  readonly fact: string;
  /** The same in other words of content. */
  readonly again: readonly string[];
  /** Another fact, by one word that words alone cannot tell from a synonym (alike.ts lets each of them pass). */
  readonly edited: readonly string[];
}

/** Never edited: embedders were measured on them. A new set is a new list, and a new mark in meaning-alike.ts. */
export const RETOLD: readonly Retold[] = [
  {
    fact: "Ada owns a house near the river.",
    again: ["Ada has a house near the river."],
    edited: [
      "Ada owns a boat near the river.",
      "Ada rents a house near the river.",
      "Ada sells a house near the river.",
      "Ada owns a house near the station.",
    ],
  },
  {
    fact: "The dog of the neighbours is named Bruno.",
    again: ["The dog of the neighbours is called Bruno."],
    edited: [
      "The cat of the neighbours is named Bruno.",
      "The son of the neighbours is named Bruno.",
      "The dog of the tenants is named Bruno.",
    ],
  },
  {
    fact: "The course begins on the first Monday of the month.",
    again: [
      "The course starts on the first Monday of the month.",
      "On the first Monday of the month begins the class.",
    ],
    edited: [
      "The course ends on the first Monday of the month.",
      "The trial begins on the first Monday of the month.",
      "The lease begins on the first Monday of the month.",
    ],
  },
  {
    fact: "Last year Tom bought shares of the bakery.",
    again: ["Last year Tom acquired shares of the bakery."],
    edited: [
      "Last year Tom sold shares of the bakery.",
      "Last year Tom lost shares of the bakery.",
      "Last year Tom bought shares of the brewery.",
    ],
  },
  {
    fact: "Ines likes walking in the forest before breakfast.",
    again: [
      "Ines enjoys walking in the forest before breakfast.",
      "Before breakfast Ines likes walking in the woods.",
    ],
    edited: [
      "Ines hates walking in the forest before breakfast.",
      "Ines likes walking in the city before breakfast.",
      "Ines likes cycling in the forest before breakfast.",
      "Ines likes walking in the forest before dinner.",
    ],
  },
  {
    fact: "His mother works as a doctor in Leeds.",
    again: ["His mother works as a physician in Leeds."],
    edited: [
      "His sister works as a doctor in Leeds.",
      "His mother works as a lawyer in Leeds.",
      "His mother works as a nurse in Leeds.",
    ],
  },
  {
    fact: "The kitchen walls are red.",
    again: ["The walls of the kitchen are red."],
    edited: [
      "The kitchen walls are blue.",
      "The kitchen walls are green.",
      "The kitchen doors are red.",
    ],
  },
  {
    fact: "The manager hired a crew of engineers in March.",
    again: ["The boss hired a crew of engineers in March."],
    edited: [
      "The manager dismissed a crew of engineers in March.",
      "The manager met a crew of engineers in March.",
      "The manager hired a crew of painters in March.",
    ],
  },
  {
    fact: "The script deletes old orders at midnight.",
    again: [
      "The script removes old orders at midnight.",
      "The script erases old orders at midnight.",
    ],
    edited: [
      "The script creates old orders at midnight.",
      "The script copies old orders at midnight.",
      "The script deletes new orders at midnight.",
      "The script deletes old invoices at midnight.",
    ],
  },
  {
    fact: "The shop allows dogs at the counter.",
    again: ["The shop permits dogs at the counter.", "The store allows dogs at the counter."],
    edited: [
      "The shop forbids dogs at the counter.",
      "The shop allows bikes at the counter.",
      "The hotel allows dogs at the counter.",
    ],
  },
  {
    fact: "The package arrived at the office on Friday.",
    again: ["The parcel arrived at the office on Friday."],
    edited: [
      "The letter arrived at the office on Friday.",
      "The package vanished at the office on Friday.",
      "The package arrived at the school on Friday.",
    ],
  },
  {
    fact: "Emma fears the high ladders in the barn.",
    again: [
      "Emma dreads the high ladders in the barn.",
      "Emma is afraid of the high ladders in the barn.",
    ],
    edited: [
      "Emma loves the high ladders in the barn.",
      "Emma climbs the high ladders in the barn.",
      "Emma fears the high shelves in the barn.",
    ],
  },
  {
    fact: "Leo repaired the old bicycle in the garage.",
    again: [
      "Leo fixed the old bicycle in the garage.",
      "Leo mended the old bicycle in the garage.",
    ],
    edited: [
      "Leo stole the old bicycle in the garage.",
      "Leo painted the old bicycle in the garage.",
      "Leo repaired the old piano in the garage.",
      "Leo repaired the old bicycle in the cellar.",
    ],
  },
  {
    fact: "The meeting was moved to the large room.",
    again: ["The meeting was shifted to the large room.", "The meeting was moved to the big room."],
    edited: [
      "The meeting was moved to the small room.",
      "The exam was moved to the large room.",
      "The meeting was moved to the large tent.",
    ],
  },
  {
    fact: "Nadia speaks quickly when she is nervous.",
    again: ["Nadia talks quickly when she is nervous."],
    edited: [
      "Nadia speaks slowly when she is nervous.",
      "Nadia eats quickly when she is nervous.",
      "Nadia speaks quickly when she is hungry.",
    ],
  },
  {
    fact: "The firm employs many people in its warehouse.",
    again: ["The company employs many people in its warehouse."],
    edited: [
      "The prison employs many people in its warehouse.",
      "The firm trains many people in its warehouse.",
      "The firm employs many people in its kitchen.",
    ],
  },
  {
    fact: "The couple live in a small flat above the bakery.",
    again: [
      "The couple live in a small apartment above the bakery.",
      "The couple live in a tiny flat above the bakery.",
    ],
    edited: [
      "The couple live in a large flat above the bakery.",
      "The couple live in a small tent above the bakery.",
      "The couple live in a small flat above the garage.",
    ],
  },
  {
    fact: "Peter quit smoking after his operation.",
    again: ["Peter stopped smoking after his operation.", "Peter quit smoking after his surgery."],
    edited: [
      "Peter began smoking after his operation.",
      "Peter quit gambling after his operation.",
      "Peter quit smoking after his divorce.",
    ],
  },
  {
    fact: "The test is hard for beginners.",
    again: ["The test is difficult for beginners."],
    edited: [
      "The test is easy for beginners.",
      "The test is hard for experts.",
      "The game is hard for beginners.",
    ],
  },
  {
    fact: "Clara earns more than her husband.",
    again: ["Clara earns more than her spouse."],
    edited: [
      "Clara earns more than her brother.",
      "Clara sleeps more than her husband.",
      "Clara spends more than her husband.",
    ],
  },
  {
    fact: "A guard watches the northern gate at night.",
    again: ["A sentry watches the northern gate at night."],
    edited: [
      "A camera watches the northern gate at night.",
      "A guard watches the northern tower at night.",
      "A guard locks the northern gate at night.",
    ],
  },
  {
    fact: "ben keeps his savings in a tin box under the bed",
    again: ["ben stores his savings in a tin box under the bed"],
    edited: [
      "tom keeps his savings in a tin box under the bed",
      "ben keeps his letters in a tin box under the bed",
      "ben keeps his savings in a tin box under the desk",
    ],
  },
  {
    fact: "jonas and mira argued about money on the way to the airport",
    again: [
      "jonas and mira quarrelled about money on the way to the airport",
      "about money jonas and mira argued on the way to the airport",
    ],
    edited: [
      "jonas and lena argued about money on the way to the airport",
      "jonas and mira laughed about money on the way to the airport",
      "jonas and mira argued about music on the way to the airport",
    ],
  },
  {
    fact: "When the heating in the workshop fails in winter, the caretaker brings two electric stoves from the cellar and puts them beside the long benches.",
    again: [
      "When the heating in the workshop fails in winter, the janitor brings two electric stoves from the cellar and puts them beside the long benches.",
    ],
    edited: [
      "When the heating in the workshop fails in winter, the gardener brings two electric stoves from the cellar and puts them beside the long benches.",
      "When the heating in the workshop fails in winter, the caretaker brings two electric lamps from the cellar and puts them beside the long benches.",
      "When the heating in the workshop fails in winter, the caretaker brings two electric stoves from the attic and puts them beside the long benches.",
    ],
  },
  {
    fact: "Every night the job writes a summary of each broken build into the shared notes before the team arrives in the morning.",
    again: [
      "Every night the task writes a summary of each broken build into the shared notes before the team arrives in the morning.",
    ],
    edited: [
      "Every night the job deletes a summary of each broken build into the shared notes before the team arrives in the morning.",
      "Every night the job writes a summary of each locked build into the shared notes before the team arrives in the morning.",
      "Every night the job writes a summary of each broken build into the shared notes before the team leaves in the morning.",
    ],
  },
];
