import { either, phrases } from "../../core/base.ts";
import type { Message } from "../../core/request.ts";
import { contentWords } from "../../core/text/sentences.ts";
import type { Dialect } from "../../providers/common/dialect.ts";
import { isQuestion, opened, spoken } from "./frames.ts";
import { DOCUMENT } from "./pasted.ts";
import { saysSomething } from "./statements.ts";
import { readTranscript, type Turn } from "./transcript.ts";

/**
 * Words of greeting, thanks and assent: of nothing else no model need be asked. A word that is
 * missing here costs a call, and no memory.
 */
const SMALL_TALK: ReadonlySet<string> = new Set(
  (
    "hi hiya hello hey hallo moin servus salut bonjour bonsoir coucou hola ciao salve olá oi " +
    "hej moi привет good morning evening afternoon night day guten morgen tag abend buenos " +
    "días dias buenas tardes noches bom dia boa tarde noite buongiorno buonasera bonne " +
    "journée soirée thanks thank thx ty cheers danke dankeschön vielen dank dir merci " +
    "beaucoup gracias muchas grazie mille obrigado obrigada tack kiitos dziękuję спасибо " +
    "bitte please bye goodbye tschüss adiós adios au revoir arrivederci tchau ok okay okey " +
    "yes yep yeah ja oui sí sim no nope nein non sure right great perfect perfekt parfait " +
    "perfecto perfetto super cool nice lovely awesome amazing excellent works worked done " +
    "lol haha wow yo sup mate way lot help helped helps much welcome så mycket alles klar 你好 您好 " +
    "谢谢 好的 再见"
  ).split(" "),
);

/** Who speaks of what is theirs, in the languages that are written most. */
const MINE = either(
  /(?<!\p{L})(?:my|mine|our|us|i['’](?:m|ve|d)|we['’](?:re|ve)|(?:i|we) (?:am|are|have|had))\b/iu,
  /(?<!\p{L})(?:mein\p{L}*|unser\p{L}*|m[io]s?|mon|ma|mes|notre|meus?|minhas?|mijn|min)(?!\p{L})/iu,
  /我[的们家]|私の|うちの|제|우리/u,
);
const SPEAKERS = /(?<!\p{L})(?:i|we)(?!\p{L})/giu;
/** What begins so asks, without a sign, or orders what is over when it is done. */
const ORDERS = phrases(
  "^",
  "what|who|whose|how|when|where|which|why|is|are|do|does|did|can|could|should|would|will|am",
  "were|has|add|ask|calculate|change|check|compare|compose|continue|convert|correct|create",
  "define|describe|design|draft|explain|find|fix|format|generate|give|help|let['’]s|list|make",
  "name|pick|plan|proofread|quiz|read|recommend|rewrite|say|send|shorten|show|sing|solve|sort",
  "spell|suggest|summari[sz]e|talk|teach|tell|translate|try|update|write",
);

const speaks = (said: string): number => said.match(SPEAKERS)?.length ?? 0;
const isMine = (said: string): boolean => MINE.test(said) || speaks(said) > 1;
const orders = (said: string): boolean => ORDERS.test(opened(said));
const newsIn = (said: string): number =>
  contentWords(said).filter((word) => !SMALL_TALK.has(word)).length;

/** How many words say something of the speaker, or of the world, that may hold tomorrow. */
function told(said: string): number {
  const news = newsIn(said);
  if (news === 0) return isQuestion(said) && isMine(said) ? ENOUGH : 0;
  if (saysSomething(said)) return ENOUGH;
  if (orders(said)) return news > 1 && isMine(said) ? ENOUGH : 0;
  if (!isQuestion(said)) return speaks(said) > 0 ? ENOUGH : news;
  // Before what is asked may stand why: "Ich bin Veganer, was kann ich kochen?"
  const why = said.split(/[,;:，、–—]/u).slice(0, -1);
  return isMine(said) || why.some((part) => told(part) > 0) ? ENOUGH : 0;
}
const ENOUGH = 2;

const tells = ({ own }: Turn): boolean =>
  spoken(own).reduce((sum, said) => sum + told(said), 0) >= ENOUGH;

/** In doubt a long text is the user's own: no order stands before it, or it tells of "I". */
const isOwnStory = ({ text }: Turn): boolean =>
  text.length > DOCUMENT && (!orders(text) || speaks(text) > ENOUGH);

/** A short answer tells as much as was asked for. */
const answers = ({ own }: Turn, before: Turn | undefined): boolean =>
  before?.speaker === "assistant" &&
  isQuestion(before.text) &&
  !isQuestion(own) &&
  !orders(own) &&
  newsIn(own) > 0;

/**
 * Does the user say anything in these messages that is worth a model's reading? Questions, orders
 * and small talk are not; in doubt, and in a language that is not known here, it is.
 */
export function holdsStatement(messages: readonly Message[], dialect: Dialect): boolean {
  const turns = readTranscript(messages, dialect);
  return turns.some(
    (turn, at) =>
      turn.heard !== undefined && (isOwnStory(turn) || tells(turn) || answers(turn, turns[at - 1])),
  );
}
