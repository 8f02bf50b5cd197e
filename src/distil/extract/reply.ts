import { contentWords } from "../../text/content-words.ts";
import { sentences } from "../../text/sentences.ts";
import { isCourtesy } from "./cues.ts";

/** What the assistant's words do about what was asked. */
export interface Reply {
  /**
   * "nod": heard, and no more. "pending": promised, begun, or not possible now. "refused": not possible, and why.
   * "answer": says or reports something.
   */
  readonly kind: "nod" | "pending" | "refused" | "answer";
  /** What it says beside nods and promises. */
  readonly substance: string;
  /** "I'll come on Monday": a promise that says something itself, which may be what was asked. */
  readonly promised: string;
  /** An answer beside a promise, of which only the passive speaks ("the office was closed"): it must be about what was asked. */
  readonly doubtful: boolean;
  /** Something was done, or is so now. */
  readonly reported: boolean;
}

/** A whole clause that only says the words were heard. */
const NOD = new RegExp(
  `^(?:(?:${[
    "(?:for |very )?sure(?: thing)?", "of course", "certainly", "absolutely", "definitely", "ok(?:ay)?", "k", "al(?:l )?right(?: then)?", "right(?: away)?", "yes", "yeah", "yep", "fine", "got (?:it|that)", "understood", "noted", "heard", "will do", "on it",
    "i(?:'m| am) on it", "sounds good", "(?:i(?:'d| would) be )?happy to(?: help| do (?:that|it|so))?", "glad to(?: help)?", "gladly", "with pleasure", "my pleasure", "no problem", "no worries", "consider it done", "you(?:'ve)? got it", "roger(?: that)?", "copy that",
    "makes sense", "agreed", "fair enough", "good (?:to know|point|idea|thinking|call|question)", "that (?:helps|makes sense|works)", "great(?: idea)?", "perfect", "cool", "nice", "thanks?(?: you)?(?: very much| so much| a lot| for .{1,60})?", "you(?:'re| are) welcome", "i see", "i understand",
    "i (?:hear you|agree)", "(?:that is |that's )?(?:duly )?noted", "i(?:'ve| have)? (?:made a note|noted (?:it|that|this)|taken note)(?: of (?:it|that|this))?", "i won'?t forget(?: it)?", "it(?:'s| is) on (?:my|the) (?:list|radar|agenda)", "sorry(?: about that)?", "my apologies",
    "(?:is there )?(?:anything|something|what) else(?: (?:that )?(?:i|we) (?:can|could|may) (?:do|help)(?: .{1,40})?)?", "(?:do you )?(?:need|want) anything else", "(?:there(?:'s| is) )?no (?:rush|hurry)", "take your time", "whenever (?:it suits(?: you)?|you (?:like|want))",
    "(?:darf es )?sonst noch (?:etwas|was)", "noch (?:etwas|was)", "keine eile", "eilt nicht", "还有(?:什么|别的|其他)(?:事|需要|问题|可以帮|吗).{0,15}", "不急", "klar(?: doch)?", "gern(?:e)?", "alles klar", "verstanden", "natürlich", "sicher", "selbstverständlich", "in ordnung", "(?:ist |habe ich )?notiert", "geht klar", "kein problem", "jawohl", "einverstanden", "gut", "danke(?: dir| ihnen)?", "ja", "okay",
    "好的?", "没问题", "收到", "明白了?", "知道了", "当然(?:可以)?", "可以", "行", "嗯+", "了解了?", "是的", "记下了", "已记录", "谢谢", "不客气",
  ].join("|")})[\\s!.~…,，。！]*(?:then|too|again|boss|sir)?[\\s!.~…,，。！]*){1,4}$`,
  "iu",
);
/** "Adding it to my list": where words go that nothing was done about. */
const LISTED = /\b(?:add(?:ed|ing)?|put(?:ting)?|wr(?:ote|itten|iting)|not(?:ed|ing)|jott?(?:ed|ing)?|schedul(?:ed|ing))\b.{0,30}\b(?:my|our|the) (?:to-?do |task )?(?:lists?|agenda|backlog|radar|notes?|plan|plate|to-?dos?)\b/iu;
const PROMISE = new RegExp(
  [
    "\\b(?:(?:i|we)(?:(?:'|’)ll| will| shall| am going| are going|(?:'|’)m going|(?:'|’)re going| plan| intend| aim| hope|(?:'|’)m about| am about)|i (?:need|want|can|could|might|may|should) (?!see\\b|tell\\b|confirm\\b|recommend\\b|suggest\\b))\\b(?!(?:'|’))",
    "^(?:then |so |and |first |now |but |next )?(?:will|going to|gonna|shall|let me|let(?:'|’)s|trying to|planning to|about to)\\b",
    "\\b(?:let me (?:see|check|look|think|know|get|try|find|take|do|have)|going to (?:try|look|check|do|get|have)|get(?:ting)? (?:back to you|to it|on (?:it|that|with it)|right on)|report back|keep you (?:posted|updated)|hold on|give me (?:a|some|an?other|until)|bear with me|stay tuned|as soon as|remind you|come back to (?:it|that|this|you))\\b",
    "\\b(?:working on|looking into|look into|on (?:it|to it)|start(?:ed|ing)? (?:on|with|to work)|beg(?:un|an|inning)|in progress|under ?way|not (?:finished|done|ready)|haven(?:'|’)t (?:finished|started|begun)|almost (?:done|there|ready)|nearly (?:done|there|ready))\\b",
    "\\b(?:ich (?:werde|will|kann|schaue?|sehe|prüfe|mache|erledige|kümmere|melde|versuche|bin dran)|(?:werde|mache|schaue?|sehe|prüfe|erledige|kümmere|melde|versuche|übernehme) ich|wird (?:gemacht|erledigt)|bin (?:schon )?dran|(?:mache|erledige|kommt|folgt|schicke|liefere|prüfe) (?:es |das |ich )?(?:morgen|nachher|später|gleich|heute|bald|noch))\\b",
    "我(?:会|来|将|去|先|马上|稍后|尽快|这就|现在就|明天|晚点)|马上|稍后|待会|回头|尽快|正在|让我|晚点|稍等|等一下|这就",
  ].join("|"),
  "iu",
);
const UNABLE = new RegExp(
  [
    "\\b(?:can(?:'|’)?t|cannot|can not|could(?:n(?:'|’)t| not)|unable|not able|no access|no idea|not sure|don(?:'|’)t (?:know|remember)|don(?:'|’)t have (?:access|permission|the|any|a)|(?:haven(?:'|’)t|have not) (?:been able|had|got|managed|found|seen|looked|done)|not (?:yet|possible|right now|at the moment|now)|won(?:'|’)t be able|out of my (?:reach|hands)|did(?:n(?:'|’)t| not) (?:manage|get (?:to|around))|(?:is|are|was|were|seems?|'s) (?:still |currently |temporarily |all )?(?:down|offline|unavailable|closed|locked|unreachable|busy|away|not (?:responding|working|answering|available))|no luck (?:yet|so far)|failed to)\\b",
    "\\b(?:can|will|has to|must|may) wait\\b|\\bfor (?:later|another (?:day|time))\\b|\\bstill (?:to (?:be|do|come)|open|pending|outstanding)\\b|\\b(?:remains?|stays?) (?:open|pending|outstanding|to be)\\b|\\b(?:kann warten|noch offen|steht noch aus|stehen noch aus)\\b|可以等|不急|以后再说|还没",
    "\\b(?:noch nicht|kann (?:ich |das |es |leider |gerade |im moment |noch )*nicht|geht (?:leider |gerade |noch |im moment )*nicht|leider|nicht möglich|keinen zugriff)\\b",
    "不能|无法|没法|办不到|做不到|还没|暂时|没有权限|不行",
  ].join("|"),
  "iu",
);
/** Not possible now, so still to be done. */
const FOR_NOW = /\b(?:wait|remains?|stays?|warten|offen|aus|yet|right now|at the moment|currently|at present|for now|today|until|again|later|tomorrow|tonight|soon|this (?:week|minute)|still|down|temporar\w+|noch|gerade|im moment|morgen|später|derzeit)\b|还没|暂时|目前|现在|稍后|明天|再试/iu;
/** The speaker did something. */
const DID = new RegExp(
  [
    "\\b(?:i|we)(?:(?:'|’)ve| have| had)? (?:just |now |already |also |both |all |then )*(?!need|hop|plan|want|intend|promis|tri(?!pl)|start|note|ask|contact|inquir|enquir)(?:\\w{2,}ed|sent|wrote|written|made|put|got|found|built|ran|run|set|did|done|took|taken|gave|given|bought|paid|told|sold|drew|drawn|cut|read|laid|kept|left|chose|chosen)\\b",
    "^(?:all |now |just |already )?(?:(?!need|plan|confus|suppos|schedul|interest|agreed|noted)\\w{2,}ed|done|sent|written|made|built|ready|there you go|here(?:'|’)?s?(?: is| are)?|attached|below)\\b",
    "\\b(?:habe|hat|haben|ist|sind|wurden?)\\b.{0,80}\\b(?:ge\\w{2,}(?:t|en)|\\w{2,}iert|(?:über|ver|er|be|ent)\\w{2,}(?:t|en)|fertig|erledigt|da)\\b|^(?:erledigt|fertig|hier (?:ist|sind))\\b",
    "已经?(?!记录)|了$|完成|好了|如下|这是|以下",
  ].join("|"),
  "iu",
);
/** Something is so now. */
const IS_DONE = new RegExp("\\b(?:is|are|was|were|has been|have been|been|it(?:'|’)s|that(?:'|’)s) (?:now |all |already |both )*(?!need|plan|suppos|schedul|block)(?:\\w{2,}ed|done|sent|written|ready|made|set|built|in place|up|in|live|complete|paid|attached|below|open|closed|over|through|fine|ok|okay)\\b", "iu");
/** Something else comes first. */
const MEANWHILE = /\b(?:for now|meanwhile|in the meantime|but first|first of all|vorerst|zunächst|solange)\b|暂且|先看/iu;
/** The doing of a promise that is about asking or looking says nothing itself. */
const LOOKS = /\b(?:check|look|see|find|ask|try|get|do|have|take|tell|let|work|start|begin|handle|deal|figure|investigate|dig|report|be|think|search|prüfe|schaue?|sehe|frage|melde|versuche|mache|erledige|kümmere)\b|查|看|问|试|处理|安排/iu;

const CLAUSE = /[;:—–。，；！？!?]|,(?!\d)|\s-\s|\.(?=\s|$)|\s(?:and|but|so|und|aber)\s/u;
/** One of the words that only say that they were heard, and is a report all the same. */
const DONE = /^(?:all |it(?:'|’)s )?done\b|^(?:erledigt|fertig)\b|完成|好了/iu;
/** Words of a refusal that says why. */
const REASONED = 5;
/** A longer reply delivers something, whatever it promises beside. */
const DELIVERS = 25;
const LONG = 1_500;

export function readReply(text: string): Reply {
  if (text.length > LONG) return { kind: "answer", substance: text, promised: "", doubtful: false, reported: DID.test(text.slice(0, LONG)) || IS_DONE.test(text.slice(0, LONG)) };
  const substance: string[] = [];
  const promised: string[] = [];
  const barred: string[] = [];
  let nods = true;
  const seen = { promise: false, unable: false, meanwhile: false, did: false, isDone: false };
  let [words, unableWords] = [0, 0];
  for (const { text: sentence, code } of sentences(text)) {
    if (code) {
      words += DELIVERS;
      substance.push(sentence);
      nods = false;
      continue;
    }
    if (!DONE.test(sentence) && (isCourtesy(sentence) || NOD.test(sentence.replace(/[?？]\s*$/, "")))) continue;
    for (const part of sentence.split(CLAUSE)) {
      const clause = part.trim();
      const said = contentWords(clause).length;
      if (clause === "" || (!DONE.test(clause) && (NOD.test(clause) || isCourtesy(clause)))) continue;
      nods = false;
      if (LISTED.test(clause) || PROMISE.test(clause)) {
        seen.promise = true;
        if (!LOOKS.test(clause) || /\d|day\b/i.test(clause)) promised.push(clause);
      } else if (UNABLE.test(clause)) {
        seen.unable = true;
        barred.push(clause);
        unableWords += said;
      } else {
        seen.meanwhile ||= MEANWHILE.test(clause);
        seen.did ||= DID.test(clause);
        seen.isDone ||= IS_DONE.test(clause);
        words += said;
        if (said > 0 || DID.test(clause) || IS_DONE.test(clause)) substance.push(clause);
      }
    }
  }
  const reported = seen.did || seen.isDone;
  const mixed = seen.promise || seen.unable || seen.meanwhile;
  const answers = substance.length > 0 && (!mixed || reported || words >= DELIVERS);
  const refused = seen.unable && !seen.promise && !FOR_NOW.test(text) && unableWords + words >= REASONED;
  const kind = nods || (!mixed && substance.length === 0) ? "nod" : answers ? "answer" : refused ? "refused" : "pending";
  return { kind, substance: [...substance, ...(kind === "refused" ? barred : [])].join(". "), promised: promised.join(". "), doubtful: mixed && (!seen.did || seen.meanwhile) && words < DELIVERS, reported };
}
