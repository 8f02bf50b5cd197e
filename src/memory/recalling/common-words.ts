import { terms } from "../../text/terms.ts";

/**
 * Words of every day that are no stop words: a memory that shares only such a word with a question does not answer it.
 * A young memory cannot tell them by its own counts.
 */
const ENGLISH =
  "able add afternoon anything ask away back bad begin believe best better big bit book bring build call care change check close come cool couple create day deal " +
  "decide different easy end enjoy enough evening everything exactly example explain fact far feel find fine finish first fix friend full fun give good great guess " +
  "guy hand happen happy hard hate hear hello help hey hi high hope hour huge hurt idea important include interesting issue job keep kind know last late later learn " +
  "leave less let life line list little long look lose lot love main make maybe mean meet mention mind minute moment month morning move name need new next " +
  "nice night note number old open order part pay people person pick place plan play point possible prefer pretty problem question quick read ready real " +
  "reason recommend remember remind report right run say see seem send sense set share show side simple small something soon sorry sort sound start stay step still stop story stuff " +
  "suggest suggestion support suppose sure switch take talk team tell test thing think time today together told tomorrow tonight try turn understand update use " +
  "used useful usual wait walk watch way week weekend weird whole wish wonder word work world worry write wrong year yesterday";
const GERMAN =
  "aber abend alle alles als also auch auf aus bei beim bin bis bitte brauche brauchen danke dann das dass dein dem den denn der des dich die dies diese " +
  "diesen dir doch du ein eine einem einen einer eines er es etwas euch finden frage für ganz geben gehen gern gerne gestern gibt gut habe haben hallo hast hat helfen " +
  "heute hier hilf hilfst ich ihr im in ist ja jetzt kann kannst kein keine können machen mal man mein meine meinem meinen meiner mich mir mit möchte morgen muss nach nicht noch " +
  "nun nur ob oder ohne schon schreiben sehr sein seine sich sie sind so soll sollte tag über um und uns unser unsere unter viel vom von vor wann war warum was weil wenn wer " +
  "werden wie wieder will wir wird wo wurde zeit zu zum zur";

const COMMON: ReadonlySet<string> = new Set(
  `${ENGLISH} ${GERMAN}`.split(" ").flatMap((word) => terms(word)),
);

export const isCommon = (term: string): boolean => COMMON.has(term);
