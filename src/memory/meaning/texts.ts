/**
 * Questions with a fact that answers each, in other words, from as many corners of life: what an embedder must tell apart.
 * Each question shares no content word with its answer, so an embedder that only compares letters or words finds none.
 * Never edited: scores were calibrated on them. A new set is a new list, and a new `MARK` of calibrations.
 */
const LIST = `
What animals live in her household? | Ada has a tabby cat called Whisker and two goldfish.
Where is his home? | Tom rents a flat near the harbour in Lisbon.
What does she do for a living? | Maria works as a nurse on the children's ward.
Which food must be avoided? | Eating peanuts gives Jonas a rash and swollen lips.
How does he get to the office? | Peter cycles to work along the canal every morning.
When was she born? | Ines celebrates her birthday on the third of May.
Who is he married to? | Karl's wife Susanne teaches the violin.
What sport does the boy play? | Their son trains with the football team on Tuesdays.
Which database do we run on? | All customer records are kept in PostgreSQL 16.
Why did the release fail? | The deployment was rolled back because a migration timed out.
How should code be formatted? | Use tabs for indentation and keep lines under 120 characters.
What is the budget for the trip? | They want to spend no more than 900 euros on the holiday.
Is she ill? | Laura has had the flu and a fever since Sunday.
What music does he enjoy? | Ben listens to jazz records, mostly Coltrane.
How many children do they have? | The couple are parents of twins, Mia and Leo.
What is the deadline? | The report must be handed in by Friday noon.
Which language did she learn? | Nadia took a course and now speaks some Japanese.
What vehicle do they own? | The family drives an old blue Volvo.
How can support be reached? | Customers call the hotline or write to help at example dot org.
What did he study? | Oskar holds a degree in marine biology.
What scares her? | Heights make Emma dizzy, and she panics on ladders.
Which beverage does she prefer? | Green tea without sugar is what Yuki orders.
What happened to the roof? | A storm tore off the tiles and rain came into the attic.
Who is in charge of the project? | Fatima leads the team that builds the new billing system.
What does the garden grow? | Tomatoes, beans and sunflowers stand behind the house.
How do we log in to the server? | Access is over SSH with a hardware key, never with a password.
Has he any religion? | On Sundays Paul sings in the church choir and prays daily.
What book is she reading? | Clara is halfway through a novel by Tolstoy.
How long did the journey take? | Their train needed eleven hours to Vienna.
What is planned for the weekend? | On Saturday they will go camping by the lake.
Why was the customer angry? | The parcel arrived broken and nobody offered a refund.
What instrument can he play? | Luis has taken piano lessons since he was six.
`;

export const QUESTIONS_AND_FACTS: readonly (readonly [question: string, fact: string])[] =
  LIST.trim()
    .split("\n")
    .map((line) => {
      const [question = "", fact = ""] = line.split(" | ");
      return [question, fact] as const;
    });

/** Embedded beside the first texts of every run: an embedder that answers otherwise is another model, whatever its name. */
export const FINGERPRINT =
  "The tide comes in twice a day, and the boats in the old harbour rise with it.";
