/**
 * What a sentence does, by its wording. Sentences come in at most 600 characters long and every pattern has bounded
 * repetition, so no input makes them slow. English patterns have word bounds; Chinese has none to offer.
 */

const any = (...patterns: readonly RegExp[]) => {
  const pattern = new RegExp(patterns.map(({ source }) => source).join("|"), "iu");
  return (text: string): boolean => pattern.test(text);
};

/** The speaker takes back or sets right what was said. */
export const corrects = any(
  /^(?:oh[,.]? |um+[,.]? |sorry[,.]? |wait[,.]? |hmm[,.]? ){0,2}(?:no[,.!;:—–-]+ |nope\b|actually[, ]|not (?:quite|exactly|what)|wrong\b|correction\b|scratch that|i meant\b)/,
  /\b(?:that'?s|that is|this is|it'?s|you(?:'re| are)) (?:wrong|incorrect|not (?:right|correct|true|what i))\b/,
  /\bi (?:meant|mean to say|misspoke|was wrong|made a mistake)\b|\b(?:you|u) (?:misunderstood|got .{1,30} wrong|forgot|missed)\b/,
  /\b(?:my (?:mistake|bad|error)|oops|i (?:got|had|mixed|typed|wrote|spelled|put) (?:it|that|this|them|those) (?:wrong|up)|mixed (?:it|that|them) up|i had said|i said .{1,30} (?:before|earlier)|no,? wait|wait,? no|is (?:outdated|out of date|obsolete|no longer (?:right|true|valid|correct))|that'?s the old|off by one|it(?:'|’)?s (?:spelled|spelt)|you (?:wrote|said|put) .{1,60}[.;,:] ?(?:it'?s|it is|it has|make it|the))\b/,
  /^(?:nein|doch nicht|falsch|stimmt nicht|ich meinte|ich habe mich (?:vertan|geirrt|verschrieben))\b|\b(?:sondern|nicht .{1,30}, sondern)\b/,
  /\b(?:instead of what|should (?:have been|be) .{1,60}(?:,| )not\b|not .{1,40}[,;] but\b|rather than what)/,
  /\bi (?:told|asked|said) (?:you )?(?:not to|never to|already)\b|\bstop (?:doing|using|adding)\b/,
  /^(?:不对|不是|错了|不，|不,|等等|等一下|更正|纠正|我说错)|(?:你|您)(?:弄错|搞错|理解错|记错|误会)|我(?:的意思是|是说|指的是|说的是)|应该是.{1,40}(?:而不是|不是)|不是.{1,30}(?:而是|，是|,是)/,
);

/** A choice is made. */
export const decides = any(
  /\b(?:let'?s|we'?ll|we will|i'?ll|i will|we should|i(?:'d| would) (?:like|prefer|want) to) (?:just |simply |now |then |also )?(?:go (?:ahead )?with|use|stick (?:with|to)|keep|pick|choose|take|switch to|move to|adopt|drop|skip)\b/,
  /\blet'?s go with\b|\b(?:we|i)(?:'ve| have)? (?:decided|agreed|chose|chosen|settled|opted|switched|picked|concluded)\b|\bdecided (?:to|on|that|against|not)\b/,
  /\b(?:the )?(?:decision|plan|approach|design|strategy) (?:is|was|will be)\b|\bgoing (?:forward|with)\b|\binstead of .{2,60} (?:we|i)\b|\b(?:use|using) .{2,60} instead(?: of)?\b|\bfinal (?:answer|choice|version)\b|\bi choose\b/,
  /(?<!\b(?:where|what|how|who|which|as|than|whether|why|when|that|because|if)) (?:it is|it'?ll be|it will be)(?:,? then)?[.!]?$|\b(?:forget|scrap) (?!it\b|about it\b|to\b|that\b|this\b)\w+|\b(?:is|are) off the table\b|\bwe(?:'re| are)? (?:going|go|stick|stay|sticking|staying) (?:with|on)\b|\bwe (?:take|pick|choose|keep) (?:the|our|my)\b|\b(?:wir nehmen|wir bleiben bei|entschieden|beschlossen|es bleibt bei)\b/,
  /(?:我们?|咱们?)(?:就|还是|最后|最终|已经)?(?:决定|选择|选定|打算|改用|采用|定了|选了)|就(?:用|选|定|采用|按)|决定(?:用|了|采用|使用|不)|(?:改|换)(?:成|用|为)|最终(?:方案|选择|决定)|方案(?:是|定为)/,
);

/** A choice, said by one who announces every step: only the words of a decision count, not "I'll use …". */
export const concludesFirmly = any(
  /\b(?:we|i)(?:'ve| have)? (?:decided|agreed|chose|chosen|settled|opted|concluded)\b|\bdecided (?:to|on|that|against|not)\b|\b(?:the )?(?:decision|design|strategy|approach) (?:is|was|will be)\b/,
  /\b(?:as|like) (?:we |you )?(?:just |already |both )?(?:agreed|discussed|decided|asked|wanted|wished|requested|said|settled|instructed)\b|\b(?:per|following|after) your (?:call|wish|request|decision|word|ok|instructions?)\b|\bwe(?:'ll| will)? (?:therefore |then |now )?(?:stay|stick|remain|go) (?:on|with|at)\b|\b(?:i|we)(?:'ll| will)? (?:stay|stick|remain) (?:on|with|at)\b|\b(?:keep|kept|keeping) .{1,60}\band (?:drop|skip|leave|scrap|not)\b|\bit is, then\b/,
  /\binstead of\b|\brather than\b|\bthe (?:right|best|correct|recommended) (?:way|approach|fix|choice)\b|\bgoing with\b/,
  /决定(?:用|了|采用|使用|不)|(?:最终|最后)(?:方案|选择|决定)|方案(?:是|定为)|而不是|改用|采用/,
);

/** A rule to go by. */
export const rules = any(
  /(?:^|[,;:–—] ?)(?:please[, ]+|and |also[, ]+|but |so )?(?:always|never|do not ever|don'?t ever|only ever|under no circumstances)\b(?! ?mind\b)/,
  /\b(?:you|we|it|they|must|should|please|and|i) (?:must |should |can |will )?(?:always|never)\b|\b(?:make sure|be sure|ensure) (?:to|that|you|we)\b|\bfrom now on\b|\bgoing forward\b|\b(?:rule|convention|policy|requirement|standard) (?:is|here)\b/,
  /,\s(?:always|every time|without exception|at all times)\b|\bwithout exception\b|\bunder no circumstances\b|^(?:only|nobody|no one|no [a-z]+) .{1,80}\b(?:may|can|must|is allowed|are allowed|without|unless|until)\b|\b(?:may|must) (?:not|only|never)\b/,
  /^no (?!wait|problem|worries|idea|one\b|longer|thanks|news|luck|joy)[a-z]+s\b.{3,80}$|^(?:nobody|no one|none) (?:but|except) |\b(?:not allowed|not permitted|forbidden|off[ -]limits|may not)\b|^(?:please )?(?:keep|stick to|use|write|answer|reply|prefer|give|set|spell|format|call|address) .{0,60}\b(?:every|each|all|any)\b|^(?:please )?stick (?:to|with)\b|\b(?:come|comes|go|goes) (?:first|last|before)\b/,
  /\b(?:must (?:not )?(?:be|use|have|never|always)|(?:do not|don'?t) (?:use|touch|change|modify|commit|push|delete|edit|add|remove|mention|call|run|write|ask|assume|skip|break)|every time|whenever|avoid \w+ing)\b/,
  /\b(?:immer|niemals|nie|grundsätzlich|ab jetzt|ab sofort|von nun an|auf keinen fall|darf (?:nicht|nie|nur|kein\w*)|dürfen (?:nicht|nie|nur|kein\w*))\b/,
  /总是|永远|一律|务必|必须|一定要|从不|绝不|千万|不要(?!紧)|别(?:再|用|改|动|删|把|提)|禁止|以后(?:都|请|要|不)|今后|从现在(?:起|开始)|每次|规定|约定/,
);

/** A taste or a wish that lasts. */
export const prefers = any(
  /\bi (?:really |much |always |generally |usually |also |strongly |particularly )?(?:prefer|like|love|enjoy|hate|dislike|can'?t stand|don'?t (?:like|want|eat|drink|need)|avoid|am (?:allergic|into|a fan))\b/,
  /\bi(?:'d| would) (?:much |really )?(?:rather|prefer)\b/,
  /\bmy (?:favou?rite|preferred|preference)\b|\bi(?:'m| am) (?:allergic|vegan|vegetarian|intolerant|not a fan|a fan|fond)\b|\bi want (?:all|every|my)\b|\bwe prefer\b/,
  /我(?:更|最|很|比较|特别|一直|挺|不太|不|也)?(?:喜欢|偏好|倾向|讨厌|爱(?!人)|习惯|过敏)|我(?:对.{1,15}过敏|不吃|不喝|不用|不想要)|我的(?:偏好|最爱)|希望(?:你|您)|最喜欢的/,
);

/** The speaker says who they are or what their world is like. */
export const states = any(
  /\b(?:my|our) [a-zà-ÿ0-9'’ -]{1,50} (?:is|are|was|were|has|have|will be|works?|lives?|moved|died|turned|got|just|called|named|runs?|uses?|loves?|hates?|likes?|starts?|needs?|expires?)\b/,
  /\b(?:i|we)(?:'m| am|'re| are) (?:an? |from |based |living |working |using |running |on |called |named |the |in |at |married |\d|still |currently |originally )/,
  /\b(?:i|we) (?:live|work|study|moved|grew up|was born|were born|run|own|have (?:an? |two |three |four |five |\d|no |been )|use|teach|play|manage|maintain|host|deploy|store|got (?:an? |my |married)|started|joined|bought|adopted|named|call(?:ed)? (?:it|him|her|them)|graduated|quit|lost|won|finished|studied|worked|lived|speak|drive|speak)\b/,
  /\b(?:call me|my name'?s|i go by|i'm called|it'?s called)\b|\bremember (?:that|this|my)\b|\bfor the record\b|\bfyi\b|\bkeep in mind\b|\bnote that\b|\bmy (?:\w+ ){0,3}(?:id|number|address|email|phone|birthday|account|budget|deadline)\b/,
  /我(?:叫|是(?!说|不是)|姓|住|在.{1,20}(?:工作|上班|上学|读书|住|生活)|家|来自|有(?:一|两|三|个|只|\d)|今年|出生|的.{1,20}(?:是|叫|在|有)|用的是|们(?:用|使用|的.{1,20}(?:是|叫|在|用)|公司|团队|在用))|(?:叫做|名字(?:是|叫)|请?记住|备注)|^(?:生日|地址|电话|邮箱|预算|截止)/,
);

/** What was tried and did not work, or why something was so. */
export const explainsFailure = any(
  /\b(?:did(?:n'?t| not)|does(?:n'?t| not)|do(?:n'?t| not)|wo(?:n'?t| not)|is(?:n'?t| not)|was(?:n'?t| not)|still not|never) (?:actually |really |even |quite )?(?:work(?:ing)?|help|exist|support(?:ed)?|compile|build|pass|fix|match|start|load|respond|allowed|available|possible|enough|found)\b/,
  /\b(?:fail(?:s|ed|ing|ure)?|broke|broken|crash(?:es|ed)?|regress(?:ed|ion)|conflict(?:s|ed)?|timed out|rejected|denied|refused|incompatible)\b.{0,80}\b(?:because|since|due to|as|with|when|on|:)/,
  /\b(?:did(?:n'?t| not)|does(?:n'?t| not)|do(?:n'?t| not)|wo(?:n'?t| not)|could(?:n'?t| not)|can'?t|cannot) (?:actually |really |even |quite )?(?:change (?:a|any|much|no)|do (?:it|the trick|anything|much)|solve|cure|resolve|scale|hold|survive|cut it|make (?:a|any) (?:difference|dent)|improve|reduce|prevent|stop (?:it|the)|get (?:us|it|the .{1,40}) (?:under|below|above|past|to)|bring|keep up)\b/,
  /\b(?:no (?:luck|joy|effect|difference|improvement|success|avail|change|dice)|without (?:success|effect|luck)|to no avail|in vain|useless|pointless|futile|a no-?go|not worth (?:it|the)|waste of time|backfired|gave up (?:on|with)|given up on|abandoned|ruled out|made (?:it|things|matters|.{1,40}) (?:worse|slower|unstable)|makes (?:it|things|.{1,40}) worse|only (?:moved|hid|masked|delayed|shifted|papered)|same (?:crash|error|result|problem|failure|issue|symptom|exception|outcome)|still (?:fail|crash|hang|leak|segfault|broken|break|time|stall|flicker|drop|wrong|slow|the same|there)\w*|keeps? (?:crash|fail|hang|leak|dropp|break)ing|kept (?:crash|fail|hang|leak|dropp|break)ing|roll(?:ed|ing)? .{0,40}\bback|(?:reverted|backed out|undid|rolled back)|had to (?:revert|undo|roll|remove|give)|turned out (?:wrong|worse|useless)|fell (?:over|apart|through)|returns? (?:4|5)\d\d(?! \w+s\b)|neither .{1,60} nor)\b/,
  // Somebody tried, and what came of it stands behind the mark.
  /\b(?:tried|tested|attempted|experimented with|(?:gave|given) .{1,40} a (?:try|go|shot))\b(?!.{0,200}\b(?:works?|worked|pass(?:es|ed)?|fine|success\w*|green|all good)\b).{1,100}(?:[,:;–—]|\b(?:but|and|yet|it)\b)\s?.{0,40}\b(?:\w+ed|\w{3,}s|still|same|no|not|nothing|worse|broke|hung|fell|lost|went|got|never|too)\b/,
  /\b(?:hat (?:leider )?(?:nicht|nichts|kaum)|hilft nicht|half nicht|klappt(?:e)? nicht|funktioniert(?:e)? nicht|geht nicht|bringt nichts|ohne erfolg|vergeblich|gescheitert|fehlgeschlagen|sackgasse|zurückgerollt)\b/,
  /\b(?:root cause|the (?:problem|issue|bug|culprit|cause|reason|error|failure)(?: here)? (?:is|was|comes|came|lies|seems|turned))\b|\bturn(?:s|ed) out\b|\bdead end\b|\bno (?:good|use)\b|\bcaused by\b|\bbecause of\b.{1,60}\b(?:error|fail|bug)|\b(?:workaround|fixed by|solved by|resolved by|fix is|fix was|solution is|solution was)\b/,
  /(?:问题|原因|根源|症结|错误)(?:是|在于|出在|就是)|(?:不行|没用|失败|报错|行不通|不起作用|不支持|不兼容|崩溃|超时|被拒|没有解决|没有(?:效果|帮助|改善)|无效|无济于事|试过|还是(?:不|会|一样)|走不通|放弃了)|(?:导致|引起|造成)了?|(?:解决(?:办法|方案|方法)|修复(?:了|方法))/,
);

/** To be done later: stays open whatever is answered now. */
export const defers = any(
  /\b(?:not now|not yet|in due course|when (?:we|you|there)(?:'re| are| is| have|'s) (?:some |more )?time|before the end of|by the end of|still need|still want|still owe)\b|\b(?:afterwards|don'?t forget|remember to|remind me|to-?do|eventually|once (?:you'?re|you are|that'?s|this is|we'?re) (?:done|finished)|when you(?:'re| are) (?:done|finished))\b|^(?:and |but )?(?:later|after that|at the end|in the end)\b|\b(?:do|add|fix|handle|update|write|send|check|look|come|get|deal|talk|clean) .{0,60}\blater\b|\b(?:can you|could you|would you|please|i(?:'d| would)? (?:want|like|need)|also) .{0,40}\b(?:later|afterwards|at some point|some ?time|eventually)\b|\blater (?:also|on|please)\b|\bafter (?:this|that),? (?:please )?\w+|\bbefore (?:we|you|i) (?:finish|close|stop|leave|end)\b|\bat some point\b|\b(?:must|has to|have to|needs? to) still (?:be )?\w+|\bstill (?:has|have|needs?) to be\b|\bremains to be\b/,
  /\b(?:später|nachher|danach|hinterher|irgendwann|am ende|zum schluss|bei gelegenheit|wenn (?:du|wir|sie) zeit|vergiss nicht|denk(?:e)? (?:bitte )?daran|erinnere? mich)\b/,
  /待会|稍后|之后(?:再|请|还)|以后再|回头|晚点|别忘|记得|提醒我|最后(?:再|请|还)|等.{1,20}(?:完|好)(?:了|之后|后|再)/,
);

/** To be done when something else has come to pass; so only where something is asked for. */
export const awaits = any(
  /\b(?:when(?:ever)?|if|once|as soon as) (?:you|we|there)(?:'ve|'re| ever)? (?:get|find|have|got|is|are|can)\b.{0,20}\b(?:to it|to that|to this|around|round|time|moment|minute|second|chance|free|spare)\b|\bwhenever (?:it|that) suits\b|\bat your (?:leisure|convenience|own pace)\b|\b(?:some ?time|one of these days|down the (?:road|line)|in the (?:coming|next) (?:days|weeks|months)|for later)\b/,
  /\b(?:but|only|though) (?:only )?(?:after|once|when|as soon as)\b|\bnot (?:before|until|till)\b|\b(?:once|as soon as) (?:the|you|we|they|he|she|it|that|this|these|those|my|our|your|all|both|everything|everybody)\b|^after (?!\w+ing\b)[^,]{2,80}, |\bafter (?:the|my|our|your|his|her|their|easter|christmas|lunch|\w+day)\b[^,]{0,40}[.!?]?$/,
  /\b(?:sobald|erst (?:nach|wenn|danach|am|im|ab|nächste\w*)|wenn (?:du|ihr|sie|wir) (?:mal |einmal |dazu |wieder ){0,3}(?:kommst|kommt|kommen|luft|zeit|gelegenheit|fertig))\b/,
  /有空|得空|抽空|有时间|改天|过几天|过些(?:天|日子)|晚些时候|方便的(?:时候|话)|等.{1,20}(?:以后|之后|后|再)|(?:结束|完成|回来|到货|通过)(?:之后|以后|后)/,
);

/** It has time. */
export const unhurried = any(
  /\b(?:no|without any) (?:rush|hurry)\b|\b(?:not|isn'?t|nothing) (?:that |so |very |at all )?(?:urgent|pressing)\b|\b(?:can|may) wait\b|\bnot (?:now|today|right now|right away|just yet|immediately|straight away)\b/,
  /\b(?:eilt nicht|nicht (?:eilig|dringend|jetzt|heute|sofort)|keine eile|hat (?:noch )?zeit|kann warten)\b/,
  /不急|不着急|不用急|先不用|不必马上|不是现在/,
);

/** A day is named by which it is to be done. */
export const dated = any(
  /\b(?:by|before|until|on|due|next|this coming) (?:mon|tues|wednes|thurs|fri|satur|sun)day\b|\b(?:by|before) (?:tomorrow|tonight|noon|then|the \d|the end|christmas|easter|january|february|march|april|may|june|july|august|september|october|november|december|\d)|\b(?:next|later this) (?:week|month|year|quarter)\b|\btomorrow\b/,
  /\b(?:bis|vor) (?:montag|dienstag|mittwoch|donnerstag|freitag|samstag|sonntag|morgen|zum \d|ende|weihnachten|ostern)\b|\bnächste[nrs]? (?:woche|monat|jahr|quartal)\b/,
  /(?:周|星期|礼拜)[一二三四五六日天](?:之|以)?前|(?:明天|下周|下个月|月底|年底|月初)/,
);

/** What was asked for is not wanted any more, or was done by who asked. */
export const withdraws = any(
  /\bnever ?mind\b|(?<!\b(?:don'?t|not|never) )\bforget (?:about )?(?:the|that|this|it|my|our)\b|\bno longer (?:need|want|necessary|required|relevant)\w*\b|\b(?:don'?t|do not) need .{1,60}\b(?:any ?more|after all|any longer)\b|\b(?:don'?t|do not) bother\b|\bno need (?:for|to)\b|\bnot needed\b|\b(?:drop|scrap|skip) the\b|\b(?:i|we)(?:'ve| have)? .{1,60}\b(?:myself|ourselves)\b|\b(?:i|we)(?:'ve| have)? already\b/,
  /\b(?:hat sich erledigt|nicht mehr (?:nötig|notwendig|gebraucht)|brauch\w* .{1,60}nicht mehr|vergiss (?!nicht)(?:den|die|das|es)|lass (?:den|die|das) .{1,60}(?:sein|weg)|(?:habe?|haben) .{1,60}selbst)\b/,
  /(?:不用|不必|不需要|无需).{0,20}了|算了|取消|我自己.{0,20}了|已经.{0,20}了/,
);

/** A thing is said to be somewhere, or so: worth keeping when the thing or place has a name of its own. */
export const places = any(
  /\b(?:is|are|was|runs?|lives?|sits?|points?|listens?|expires?|starts?|belongs?|uses?|stands?|equals?) (?:on|at|in|called|named|from|to|under|behind|version|port|the|an?|v?\d|`)/,
  /(?:位于|放在|运行在|部署在|地址是|端口(?:是|用|为)|版本(?:是|为)|编号(?:是|为)|叫做)/,
);

/** Something is to be put on a list, and the list is this conversation. */
export const noted = any(
  /\b(?:add|put|write|note|jot|log|mark|keep)\b.{1,80}\b(?:lists?|backlog|agenda|notes?|board|roadmap|calendar|wish ?list|to-?dos?|records?)\b/,
  /\b(?:setz|schreib|notier|merk)\w*\b.{1,80}\b(?:liste|kalender|agenda|notizen)\b|(?:加到|写进|记到|放到).{0,20}(?:清单|列表|日历|待办)/,
);

/** Something is asked for. */
export const asks = any(
  /[?？]\s*$/,
  /^(?:please|can|could|would|will|do|does|did|is|are|what|why|how|when|where|which|who|show|tell|give|make|add|fix|write|create|implement|update|change|remove|delete|find|check|run|test|explain|help|book|cancel|search|look|let|use|start|stop|deploy|review|refactor|list|try|continue|go|read|summari[sz]e|compare|generate|build|install|move|rename|convert|translate|send)\b/,
  /\b(?:i need|i want|i'?d like|i would like|we (?:also |still |really )?need|i (?:also|still|really) (?:need|want)|can you|could you|would you|please|help me|i'?m looking|don'?t forget|remember to|remind me|needs? to be \w+(?:ed|en|t|ne)\b)\b/,
  // A verb with its object: "Order 4711" and "Plan B" name things.
  /^(?:now |then |next,? |first,? |also,? |and |ok(?:ay)?,? |so,? |(?:before|after|once|when|while|if|as soon as) [^,]{1,60}, ){0,2}(?:analy[sz]e|answer|apply|arrange|ask|attach|back up|buy|calculate|call|check|clean|clear|close|collect|complete|confirm|contact|count|cut|decide|describe|design|document|double-check|download|draft|draw|email|estimate|evaluate|examine|expand|export|extend|extract|figure|file|fill|finish|fit|format|forward|get|have a look|import|improve|inform|inspect|investigate|invite|keep|label|log|mail|mark|measure|merge|message|migrate|mount|note|open|optimi[sz]e|order|organi[sz]e|outline|paint|pay|pick|plan|post|prepare|print|propose|publish|pull|push|put|record|redo|register|remind|renew|repair|replace|reply|report|request|reserve|reset|restart|research|return|rewrite|rework|save|scan|schedule|select|set|share|shorten|sign|sketch|sort|split|store|submit|suggest|swap|switch|sync|take|tag|talk|tidy|track|transfer|upgrade|upload|verify|wash|write) (?:(?:up|out|down|in|off|over|at|back) )?(?:the|an?|my|our|your|this|that|these|those|all|every|each|it|them|him|her|me|us|some|any|another|two|both|to|with|for|if|whether|why|how|what|where|who)\b/,
  /\b(?:bitte|kannst du|könntest du|können sie|könnten sie|würdest du|würden sie|kannst du mir|ich (?:brauche|möchte|hätte gern|will, dass)|wir brauchen|vergiss nicht|denk(?:e)? daran|erinnere mich|hilf mir|schau(?:e)? (?:mal|bitte|nach)|mach(?:e)? (?:mir|mal|bitte|noch))\b/,
  /请|别忘|记得|提醒我|帮我|帮忙|能不能|能否|可以.{0,20}吗|麻烦|我想(?!起)|我要|我需要|给我|怎么|如何|为什么|什么|多少|哪|吗[？?]?$|^(?:写|改|加|删|查|看|做|修|跑|把|用|检查|修复|添加|实现|创建|更新|运行|测试|解释|总结|翻译|比较)/,
);

/** Courtesy and filler: nothing is lost with it. */
export const isCourtesy = (text: string): boolean =>
  /^(?:(?:ok(?:ay)?|yes|yeah|yep|sure|no problem|thanks?(?: you)?(?: so much| very much| a lot| for (?:your|the|all(?: your)?) (?:help|assistance|time|patience))?|thx|ty|great|perfect|cool|nice|awesome|excellent|good|fine|got it|sounds good|no|nope|(?:hi|hello|hey)(?: there)?|bye|good ?bye|please|go ahead|continue|proceed|done|right|correct|exactly|hmm+|wow|haha+|lol|that'?s (?:all|it|great|fine)|have a (?:great|nice|good) (?:day|one|evening|trip|flight|weekend))[\s,.!…~*]*(?:#{2,}[A-Z]{2,10}#{2,}\s*)?)+$/i.test(text.slice(0, 200)) ||
  /^(?:好的?|谢谢(?:你|您|啦)?|多谢|嗯+|行|可以|没问题|是的?|对|不用(?:了|谢)|你好|您好|再见|哈+|ok|继续|收到|明白了?|知道了)(?:[\s，。！,.!~～啊呢吧呀]*(?:好的?|谢谢(?:你|您)?|嗯+|行|可以|对|继续)?)*$/i.test(text.slice(0, 60));

/** An assistant announcing, apologising or offering: said again by what it then does. */
export const isExhaust = any(
  /^(?:sure|certainly|of course|absolutely|great|perfect|excellent|good|ok(?:ay)?|thank you|thanks|you'?re (?:welcome|right|absolutely)|i'?m (?:sorry|happy|glad|here)|i apologi[sz]e|sorry|no problem|no worries|happy to|glad|hello|hi\b|let me\b|let'?s (?:first |now |also |start |see |check |look |take |run |fix |try )|now,? (?:let|i)|next,? |first,? (?:let|i)|i'?ll (?:now |also |help|search|check|start|look|read|take|need|go ahead|create|update|add|run|fix|proceed|conduct)|i can help|i will (?:now|proceed|help)|now (?:i|run|add|update|create|the|check|let|for|write|implement|fix|close|commit)|to (?:assist|help|proceed)|here (?:are|is|'s)|looking|checking|running|reading)/,
  /\b(?:anything else|any (?:other|further|more) (?:questions?|assistance|help)|feel free|let me know|please (?:provide|confirm|let me|wait)|could you (?:please )?(?:provide|confirm|tell|let|double)|would you like|do you want|how can i (?:help|assist)|have a (?:great|nice|safe|wonderful))\b/,
  /^(?:好的|当然|没问题|不客气|让我|我(?:来|先|会|将|现在)|接下来|现在|首先|抱歉|对不起|很高兴|请(?:告诉|提供|确认|问|稍)|以下是|下面是)|还有(?:什么|其他)|需要我|随时/,
);

/** Does the assistant hand the word back with something still to settle? Offers of more help are no question. */
export const handsBack = (text: string): boolean =>
  /[?？]["'”’)\]*\s]*$/.test(text.slice(-300)) && !/\b(?:anything else|something else|any other|further assist|how else|what else|is there (?:any|some)thing)\b|还有(?:什么|其他)|别的/i.test(text.slice(-200));

/** Words that make a quoted sentence depend on what stood before it. */
export const leansOnContext = (text: string): boolean =>
  /^(?:it|that|this|they|these|those|he|she|him|her|them|so|and|but|then|there|one)\b/i.test(text) || /^(?:它|这|那|他|她|这个|那个|所以|然后|而且|但是?)/.test(text);
