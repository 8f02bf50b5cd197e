interface Retold {
  readonly fact: string;
  readonly again: readonly string[];
  readonly edited: readonly string[];
}

/**
 * Facts, each with the same in other words of content ("=") and with other facts ("!"), by one word that words alone cannot tell
 * from a synonym (alike.ts lets each of them pass). Never edited: embedders were measured on them. A new set is a new list, and a
 * new `RETOLD_MARK`.
 */
const LIST = `
Ada owns a house near the river.
= Ada has a house near the river.
! Ada owns a boat near the river.
! Ada rents a house near the river.
! Ada sells a house near the river.
! Ada owns a house near the station.

The dog of the neighbours is named Bruno.
= The dog of the neighbours is called Bruno.
! The cat of the neighbours is named Bruno.
! The son of the neighbours is named Bruno.
! The dog of the tenants is named Bruno.

The course begins on the first Monday of the month.
= The course starts on the first Monday of the month.
= On the first Monday of the month begins the class.
! The course ends on the first Monday of the month.
! The trial begins on the first Monday of the month.
! The lease begins on the first Monday of the month.

Last year Tom bought shares of the bakery.
= Last year Tom acquired shares of the bakery.
! Last year Tom sold shares of the bakery.
! Last year Tom lost shares of the bakery.
! Last year Tom bought shares of the brewery.

Ines likes walking in the forest before breakfast.
= Ines enjoys walking in the forest before breakfast.
= Before breakfast Ines likes walking in the woods.
! Ines hates walking in the forest before breakfast.
! Ines likes walking in the city before breakfast.
! Ines likes cycling in the forest before breakfast.
! Ines likes walking in the forest before dinner.

His mother works as a doctor in Leeds.
= His mother works as a physician in Leeds.
! His sister works as a doctor in Leeds.
! His mother works as a lawyer in Leeds.
! His mother works as a nurse in Leeds.

The kitchen walls are red.
= The walls of the kitchen are red.
! The kitchen walls are blue.
! The kitchen walls are green.
! The kitchen doors are red.

The manager hired a crew of engineers in March.
= The boss hired a crew of engineers in March.
! The manager dismissed a crew of engineers in March.
! The manager met a crew of engineers in March.
! The manager hired a crew of painters in March.

The script deletes old orders at midnight.
= The script removes old orders at midnight.
= The script erases old orders at midnight.
! The script creates old orders at midnight.
! The script copies old orders at midnight.
! The script deletes new orders at midnight.
! The script deletes old invoices at midnight.

The shop allows dogs at the counter.
= The shop permits dogs at the counter.
= The store allows dogs at the counter.
! The shop forbids dogs at the counter.
! The shop allows bikes at the counter.
! The hotel allows dogs at the counter.

The package arrived at the office on Friday.
= The parcel arrived at the office on Friday.
! The letter arrived at the office on Friday.
! The package vanished at the office on Friday.
! The package arrived at the school on Friday.

Emma fears the high ladders in the barn.
= Emma dreads the high ladders in the barn.
= Emma is afraid of the high ladders in the barn.
! Emma loves the high ladders in the barn.
! Emma climbs the high ladders in the barn.
! Emma fears the high shelves in the barn.

Leo repaired the old bicycle in the garage.
= Leo fixed the old bicycle in the garage.
= Leo mended the old bicycle in the garage.
! Leo stole the old bicycle in the garage.
! Leo painted the old bicycle in the garage.
! Leo repaired the old piano in the garage.
! Leo repaired the old bicycle in the cellar.

The meeting was moved to the large room.
= The meeting was shifted to the large room.
= The meeting was moved to the big room.
! The meeting was moved to the small room.
! The exam was moved to the large room.
! The meeting was moved to the large tent.

Nadia speaks quickly when she is nervous.
= Nadia talks quickly when she is nervous.
! Nadia speaks slowly when she is nervous.
! Nadia eats quickly when she is nervous.
! Nadia speaks quickly when she is hungry.

The firm employs many people in its warehouse.
= The company employs many people in its warehouse.
! The prison employs many people in its warehouse.
! The firm trains many people in its warehouse.
! The firm employs many people in its kitchen.

The couple live in a small flat above the bakery.
= The couple live in a small apartment above the bakery.
= The couple live in a tiny flat above the bakery.
! The couple live in a large flat above the bakery.
! The couple live in a small tent above the bakery.
! The couple live in a small flat above the garage.

Peter quit smoking after his operation.
= Peter stopped smoking after his operation.
= Peter quit smoking after his surgery.
! Peter began smoking after his operation.
! Peter quit gambling after his operation.
! Peter quit smoking after his divorce.

The test is hard for beginners.
= The test is difficult for beginners.
! The test is easy for beginners.
! The test is hard for experts.
! The game is hard for beginners.

Clara earns more than her husband.
= Clara earns more than her spouse.
! Clara earns more than her brother.
! Clara sleeps more than her husband.
! Clara spends more than her husband.

A guard watches the northern gate at night.
= A sentry watches the northern gate at night.
! A camera watches the northern gate at night.
! A guard watches the northern tower at night.
! A guard locks the northern gate at night.

ben keeps his savings in a tin box under the bed
= ben stores his savings in a tin box under the bed
! tom keeps his savings in a tin box under the bed
! ben keeps his letters in a tin box under the bed
! ben keeps his savings in a tin box under the desk

jonas and mira argued about money on the way to the airport
= jonas and mira quarrelled about money on the way to the airport
= about money jonas and mira argued on the way to the airport
! jonas and lena argued about money on the way to the airport
! jonas and mira laughed about money on the way to the airport
! jonas and mira argued about music on the way to the airport

When the heating in the workshop fails in winter, the caretaker brings two electric stoves from the cellar and puts them beside the long benches.
= When the heating in the workshop fails in winter, the janitor brings two electric stoves from the cellar and puts them beside the long benches.
! When the heating in the workshop fails in winter, the gardener brings two electric stoves from the cellar and puts them beside the long benches.
! When the heating in the workshop fails in winter, the caretaker brings two electric lamps from the cellar and puts them beside the long benches.
! When the heating in the workshop fails in winter, the caretaker brings two electric stoves from the attic and puts them beside the long benches.

Every night the job writes a summary of each broken build into the shared notes before the team arrives in the morning.
= Every night the task writes a summary of each broken build into the shared notes before the team arrives in the morning.
! Every night the job deletes a summary of each broken build into the shared notes before the team arrives in the morning.
! Every night the job writes a summary of each locked build into the shared notes before the team arrives in the morning.
! Every night the job writes a summary of each broken build into the shared notes before the team leaves in the morning.
`;

export const RETOLD: readonly Retold[] = LIST.trim()
  .split("\n\n")
  .map((group) => {
    const [fact = "", ...others] = group.split("\n");
    const marked = (mark: string): string[] =>
      others.filter((line) => line.startsWith(mark)).map((line) => line.slice(mark.length));
    return { fact, again: marked("= "), edited: marked("! ") };
  });
