/** Made by `npm run bench -- learn`: tenths that a feature adds to the log odds. */
export const FOR = `
-12
25 before you
24 is called|name is ~|whenever
23 adhd|is my|ms Nm
22 F:~ed to|every|family of|metres|please answer in|times a
21 N:how i|^ i sing|decided|for good|i like my|seats|sits|when you
20 2016|^ forget|anymore|as of|asthma|crime|examples|from today|history|in both|members|mostly|on 0
20 shellfish|since i|~s for me
19 B:the garden|N:^ will|N:books|N:how can|^ been|^ when you|^ ~ist|april|coeliac|diabetic|fly
19 january|jo|like me|mad about|noor|pilot|saving|small talk|twins|units|~ , is
18 , starts|0x euros|N:that's the|^ i earn|^ i wear|accountant|at a|at the Nm|blind|brno|driver
18 dyslexic|has Nm|i ask|in graz|is 14|is <code>|my thing|no ~ for|primary|retired|stammer|sweet
18 tell me to|the ~y .|vegetarian .|whatever you|with the Nm|with us|years ago|~ things|~ till|~s 0
17 3,|A:^ main|A:^ typo|A:about me|A:one thing|F:^ stop|F:are ~ed|F:blind|F:car is|F:days
17 F:divorced|F:every|F:six|F:winter|N:^ always|N:gym|N:help me|N:mail|N:menu|N:that's our
17 N:that's what|N:toast|N:what time|N:which ~ing|N:~ ok|Nm , so|^ i take|^ never been|^ oh and
17 ^ please keep|^ ~s called|a 0 Nm|a ~er .|about 0|all our|always put|an ~ian|and want|avoid
17 budget is|called ~|can't have|cook on|could you always|dad's|gb|get ~s from|has 0|have Nm
17 have ~ ~|i keep bees|i read these|i'm Nm .|if you're|in utrecht|is a Nm|is on|look after|low
17 me and|mondays|month ,|my ~er Nm|oh and|on 1|only ,|opens at|people ,|please always|please keep
17 scrap the|type 1|we're on|when i ask|when i say|written in|you never|you stop|~s any more
16 , can|, on|0 since|0x Nm .|0x pounds|19 and|28|A:^ aisle|A:plan|A:scrap|F:^ never|F:deaf
16 F:is our|F:june .|F:me ~s|F:moved to|F:must never|F:no longer|F:only ~|F:remember that|F:rent
16 F:runs|F:saturdays|F:standup is|F:work for|F:you to|F:~ does|F:~s me|N:^ text|N:here's the
16 N:i'm 0x|N:it has|N:jobs|N:keeps|N:makes|N:running|N:~s when|Nm last month|^ <code> is|^ backups
16 ^ bad|^ doing|^ having|^ i commute|^ i write|^ if you're|^ staging|^ the house|^ ~ died|^ ~ here
16 ^ ~er ,|^ ~er for|^ ~s and|a Nm 0x|a rule|allotment|analyst|and two|any day|any more .
16 anything about|are called|at <code>|at the table|because of|biscuit|bosch|broke up|btw
16 called biscuit|coach|come from|day is|december|doing the|evenings|first ,|flying|freelance
16 from Nm in|glasgow|has been|hetzner|i commute|i enjoy|i love Nm|i'm pregnant|ill $|in december .
16 in general|in may .|in this repo|instead $|is 9|language|law ,|marks|me like|me ~ly|must never
16 my ~s a|no ~s in|of my ~s|of two|on the first|otherwise $|our wedding|pupils|quit smoking
16 report to|shop is|since last|speak Nm|spring|starts at 0x|sundays|the twins|the warehouse|unless
16 up for the|utc|we play|we talk|write in|years now|you can|you may|~ runs|~s name
15 , full|, mostly|0x , ~|20 is|34 ~|8 degrees|<code> is|A:^ hello|A:^ scrap|A:^ shop|A:answer in
15 A:dear assistant|A:normal|A:pls .|A:put the|A:round|A:so you|A:ur|B:a dinner|B:eat|B:my name's
15 B:on the|B:reads|B:starts|F:<code> ,|F:Nm and|F:before you|F:each|F:food|F:i run|F:is ~ed|F:keep
15 F:now on|F:okay again|F:priya|F:since 0x|F:son|F:summer|F:terraform|F:thursdays|N:^ change
15 N:am one|N:and ~s|N:are there|N:at 0x|N:budget|N:deaf|N:does my|N:ever|N:game|N:layout|N:lift
15 N:me ~|N:mum|N:she's 0|N:us|N:what ~s|N:write an|N:write the|N:~ plan|Nm )|Nm 0x ~|Nm Nm since
15 Nm does|Nm every|Nm of a|Nm since the|Nm that|^ don't ~er|^ he is|^ i find|^ i train|^ i'm ~er
15 ^ in our|^ lactose|^ metric|^ retired|^ that's how|a bosch|a month .|a night|and still
15 answer first|answer me|answer with|are all|as a ~y|backups|books|building|building a|by Nm|choir
15 closes|closes at|comments in|divorced|do all|doctor says|don't do|don't ~er|drive me|each time
15 everything|everything ,|flat is|fridays|full time|got a Nm|he is|hives|hours are|i look after
15 i'm the Nm|i'm vegan|i'm ~ $|in any|in anything|in future|is called Nm|is in Nm|is mrs|july
15 july ,|limit|marathon|mix up|my ~ lives|near Nm $|october .|october . $|okay again|once a
15 one is 0x|only for|our office|over to|python 0x|real|repo $|right away|school in|share|sheep
15 so no|takes|team .|team . $|team is|that's how|the bar|the smell of|the ~s been|twelve|twice a
15 vegetarian . $|ward ,|we run|we're stuck on|we've got a|whenever you|work for|writing a|year 9
15 year now|years in|you ,|you please|youngest|~ group|~ is from|~ job|~ terms|~er here|~er is Nm
15 ~er is a|~tion marks
14 ( Nm ,|, ask|, from Nm|, near|, not|, since|, when|, ~ for|0 ~ ,|0x now|0x ~ ~s|16|4. $|6 )
14 @ <code>|A:^ retired|A:^ that|A:^ whatever|A:a screen|A:a sec|A:list :|A:~est ~|B:cat|B:fine
14 B:letter ,|B:museum|B:prefer Nm|B:shop|B:vegan|B:~s .|F:0x not|F:Nm with|F:a month|F:cello
14 F:comments|F:company|F:daughter|F:down to|F:enjoy|F:go to|F:hall|F:i'm a|F:i'm ~ed|F:in all
14 F:moved out|F:my husband|F:my son|F:nights|F:pays|F:that i|F:to 0|F:to get|F:until|F:with me
14 F:years .|F:you may|F:~ till|N:28|N:^ never|N:adhd|N:bio|N:check|N:i get|N:i'm deaf|N:linkedin
14 N:rent|N:sales|N:song|N:template|N:these|N:those|N:train|N:u|N:we need|N:yes|N:~ ideas|N:~ ~er
14 N:~ing ?|Nm left|Nm starts|^ born|^ dad's|^ i enjoy|^ i prefer|^ i'm 0|^ i'm a|^ i'm coeliac
14 ^ i'm vegan|^ i've stopped|^ love a|^ my wife|^ two kids|^ whenever|a hip|a home|a retired
14 a tiny|a ~ist in|about 60|account is|allergy|allergy ,|always in|and 7|and Nm|and from|and ~ .
14 answer me in|are 0|around 0x|at ours|be in|beginner|best $|can't take|close my|contract is|cook
14 database is|decided to|don't call me|don't drink|don't ever|drink ~|dublin|ends in|engineer in
14 february ,|first and|for ~s ~s|frontend|goes by|got my|grandson Nm|great question|have a ~er
14 here on|i don't do|i drive|i like|i paste|i train|i was ~ed|i'm ~ .|i've stopped|in march $
14 in reading|in ~ ,|is 30|is from Nm|is with|it goes|just moved|lawyer $|learning|left ear
14 listens on 0x|longer than|march .|march . $|may ,|me Nm|me now $|more of|mr Nm $|my first
14 my niece Nm|name's Nm|niece Nm|no need for|not 0x $|not Nm|not the 0x|nursery|october|of ~ is
14 on 2|ours|out in|phone calls|points|pork for|quote me|repo|rule ~|runs on|scratch|september .
14 september . $|so a|so go|spend|staging|staying|staying in|student|take it $|talk to me
14 talking to|the 0 $|the bakery|things ,|thursdays|time you|type|we keep|we live|when we|wife's
14 would you mind|you only|you to be|~ any more|~ called Nm|~ crew|~ from now|~ over|~ text .
14 ~ until|~s we|~y in
13 , 22|, every time|, for my|, own|0 !|0x ~s|11 ~|13|3rd of|50 ~s|A:^ two|A:accounts|A:can i
13 A:case|A:don't tell|A:jokes|A:know :|A:march|A:moved in|A:part|A:project is|A:shifts|A:split up
13 A:to nuts|A:what to|A:~s out|B:cleaner|B:dog|B:don't|B:right|B:~s is|F:, ever|F:, two|F:0x m
13 F:29|F:Nm at|F:Nm from|F:Nm when|F:anymore|F:costs|F:driving test|F:evenings|F:fan of|F:ghent
13 F:h|F:i gave|F:i no|F:i work|F:learning|F:like me|F:may ,|F:me Nm|F:meat|F:ms|F:my driving
13 F:people ,|F:place|F:starts in|F:teach|F:typo ,|F:~ed ~s|F:~s must|F:~s without|N:^ does
13 N:^ every|N:^ quiz|N:^ there|N:^ update|N:a 0|N:a Nm|N:colours|N:days|N:desk|N:does one
13 N:don't suggest|N:goes|N:holiday|N:i'm at|N:mark|N:paste|N:plan for|N:question|N:that's me
13 N:we live|N:weather|N:what ~|N:when should|Nm ) $|Nm , ~er|Nm Nm and|Nm here|Nm is 0x|Nm only
13 ^ actually it's|^ between|^ forget the|^ i lead|^ i translate|^ i'm dyslexic|^ my partner
13 ^ never|^ please always|^ prices|^ stop ~ing|^ tests|^ the school|^ you may|a brother|a dentist
13 a living|a test|a week ,|a2|actually it's|always add|an Nm|and in|are on|asking me|at our|away $
13 band|bergen|booked for|british spelling|care home|christmas $|costs 0x|do my|dont give|drive a
13 drive me mad|euros|even if|ever|everything i|feb|flat has|flat in|for 20|for a living
13 formal with|formal with me|forty|from september|future|getting married|given notice|got adhd
13 handed|hard ,|has ~|have a car|have dairy|health|home ,|house ,|house in|i ask .|i drive a
13 i find|i have Nm|i keep a|i lead|i moved to|i sell|i send|i translate|i volunteer|i'd rather
13 i'm Nm from|i'm a ~y|i'm doing a|i'm dyslexic|i'm vegan $|i've a ~|in this project|in ~y
13 intolerant|is Nm now|is closed|is on 3|it like that|june|keep a|kidney|law $|leave until|letters
13 like ~|lines $|list of 0x|listens on|london $|love ~|make me|march|mrs|mum|my favourite
13 no dairy for|no ~ in|not touch|not vegan|november .|november . $|now on ,|now that|nurse
13 odd words|office ~s|or nothing|our allotment|our school|our ~y|out of Nm|out of my|phd|play on
13 policy is|pounds|rent is 0x|rooms ,|say so|season ticket|since 0|since the 0x|sites|son is
13 spring $|stroke|studying|stuff|stuff ,|team ,|tests $|the 0|the 0x of|the end .|the village
13 the word|think ~s|this project|through a|two of us|typo ,|went back to|where we|while|with Nm ,
13 work at|~ , on|~ is <code>|~ing in Nm|~s been ~ed|~s come from|~s ever|~s it|~s on the
12 ) and|, a Nm|, everything|, me|, need|0 and|0 minutes|0x on a|1 october|16 and|30 days|A:a bad
12 A:always put|A:are fine|A:clock|A:colour|A:coming to|A:doing|A:don't do|A:hard|A:hi there
12 A:i send|A:in future|A:never mind|A:sec|A:short|A:sorry ,|A:typo|A:up the|A:writing|A:you like
12 B:? ?|B:and the|B:choir|B:i play|B:i use|B:it ?|B:october|B:runs on|B:wednesday .|F:0x .
12 F:^ dont|F:^ tests|F:accountant|F:actually|F:chef|F:doing|F:finished|F:had the|F:here on|F:i eat
12 F:i only|F:is 0x|F:is on|F:lead|F:name is|F:noor|F:not 0x|F:nuts|F:replaced|F:season|F:skoda
12 F:small ~s|F:stopped ~ing|F:student|F:training|F:turned|F:wednesdays|F:~ thing|F:~ing me
12 N:^ something|N:a ~ist|N:avoid|N:by|N:gave|N:i mean|N:induction|N:is ~|N:it's not|N:no ~ed
12 N:on Nm|N:put it|N:single|N:stuff|N:there's no|N:what else|N:who should|N:wife|N:~s for|Nm after
12 Nm next|Nm way|Nm when|^ big|^ btw|^ can't stand|^ coriander|^ i do|^ i sell|^ i study|^ i'm 0x
12 ^ i'm lactose|^ if you|^ it's just|^ it's my|^ last year|^ my daughter|^ my oven|^ my real
12 ^ our api|^ she is|^ we're on|a 7|a paper|a student|about 0x|all our ~s|always give|an 0x
12 and fridays|any more ,|anything|anything with|are Nm|are my|at once $|bike|blood ~s|blood ~s $
12 both|british|by the|can i ask|cant|club|coeliac $|collect|contract|dairy for|db|deaf in
12 decided against|dyslexic $|every second|february .|february . $|five .|for all|for me|for me ,
12 four years|from here on|fyi|gave up|gave up the|give me ~s|good $|grams|hard of|hard of hearing
12 heart ~|i can't do|i can't have|i do all|i don't drink|i don't need|i dont|i fast|i got ~ed
12 i have ~s|i run the|i sleep|i study|i told you|i used to|i'm from Nm|in .|in 0 $|in a ~ed
12 in january|in lyon|in november|in pune|in ~ ~|in ~s|is 16|is about|it ok|it's my|january ,|jokes
12 json|keep answers|latex|leeds $|left handed|like a ~|like ~y|limit is|listens|little|long ~s
12 malmö|may .|may . $|me each|me like a|me with|medical|moved to the|my account|my best|my oven
12 my sister Nm|my thesis|my ~s ~|nairobi|no emojis|no ~ing|november $|of hearing|of june|office in
12 only when|our daughter|our new|our shop|our ~tion|over ~|passed|passed away|pregnant ,|pune
12 python|rabbit|retired ~|september|she is|sister Nm|so nothing|split the|st Nm $|stand|studio in
12 suggest ~s|summer $|tables .|tables . $|teach|that our|the 0x at|the date|the summer|these days
12 till then|took over|training for|tuesdays and fridays|two dogs|unless i|until 0|until 0 $|up in
12 was 0x|we have no|we sell|we're on Nm|weekends|wheelchair|where i work|wife and|work as a
12 ~ hours|~ is our|~ not ~|~ since 0x|~ly for|~s for an|~s in our|~s only|~y is Nm
11 , 0x ~s|, even|, ever .|, me .|, not even|, now i|, ok|, so|, two|, write|0 gb|<code> . $|A:19
11 A:^ anyway|A:driver in|A:idea why|A:my mum|A:never ask|A:prod|A:real now|A:tables|A:the best|A:w
11 B:blue|B:cook|B:evening|B:get|B:good evening|B:i cook|B:i read|B:i'm 0x|B:key|B:number|B:sister
11 B:son is|B:to eat|F:@|F:@ <code>|F:^ every|F:^ im|F:^ remember|F:^ rent|F:^ they|F:always
11 F:april|F:around|F:british spelling|F:called ~|F:cups|F:dark|F:fridays .|F:hate|F:hates|F:i hate
11 F:live with|F:morning .|F:mornings|F:my dog|F:my mother|F:my parents|F:never use|F:ones|F:orders
11 F:play the|F:runs on|F:software|F:stand|F:style|F:tables|N:^ help|N:always .|N:could you|N:dont
11 N:everything|N:fixed|N:please no|N:quiz|N:sign|N:them|N:tips|N:use ~|N:which ~er|N:you do|N:~ ~s
11 Nm 0x .|Nm as|Nm instead of|Nm is my|Nm on|Nm to Nm|^ being|^ commit messages|^ dark|^ every ~
11 ^ i volunteer|^ my cat|^ my favourite|^ my gran|^ not a|^ only|^ our ~er|^ please no|^ we
11 ^ we dropped|^ we went|a Nm Nm|a bit of|a chef|a hotel|a month ,|a pilot|a plumber|a stammer
11 all my|allowed|an answer|answer in|answers|any day .|anymore $|anything you|ask me|ask you
11 blind $|boring|cancelled the|care|cat is called|computer|coriander|date|doesn't eat|don't need
11 don't want|dont|easter .|easter . $|egg|emojis|ends|every morning|exam on|february|football
11 for it|for my ~s|for us|for us ,|from 0x $|from Nm ,|from now on|girl|github|go to|got ~ $
11 had my|i always want|i don't work|i have the|i love ~|i play the|i prefer|i write|i'm a night
11 if ~|im ~|im ~ $|in september .|in your answers|is 0|is Nm 0x|is dr|is no|is our|it's just
11 january .|january . $|july .|july . $|just say|kilos|kitchen is|lactose intolerant|lists
11 live alone|me Nm .|meat|months|my son Nm|nobody ~s|not at|note that|november|numbers|of dogs
11 old Nm|on 12|on 14|on mondays .|on sunday|on tuesdays|one line|onions|our place|over Nm|plain
11 please no|points ,|polish|pregnant|shifts|since my|sources|start at|started ~ing|street|talk to
11 the roof|the ~s name|there's no|three years|truck|two weeks|walls of|walls of text|warehouse
11 we do it|we dropped|we've|week at|what i|without the ~|work in|year|years|~ called|~ has ~
11 ~ is my|~ shop|~ ~er ,|~er at the|~ing at the|~ist ,|~s with
10 , 0x|, Nm 0x|, Nm Nm|, is that|, yes|0 ~ .|0x m|24|3 may|38|50 mg|A:a farmer|A:a night
10 A:can't do|A:earn 0x|A:i'm Nm|A:i'm dyslexic|A:im ~|A:made|A:me to|A:porto|A:there's no
10 A:work at|A:~s please|B:0x .|B:Nm .|B:Nm has|B:a student|B:bees|B:bees .|B:every|B:is the
10 B:my Nm|B:team|B:was|B:wedding|F:0x now|F:^ our|F:british|F:btw|F:cancelled the|F:day is
10 F:each time|F:have been|F:i prefer|F:i'm deaf|F:ignore|F:in mind|F:maths|F:mostly|F:mother
10 F:my partner|F:never|F:no more|F:on thursdays|F:on wednesdays|F:only ,|F:paragraphs|F:recipes
10 F:reviews|F:treat|F:we deploy|F:whenever|F:without asking|F:~ing to|F:~s .|F:~s been|N:^ so
10 N:called Nm|N:daughter|N:do ~s|N:draft|N:fair|N:he ~s|N:i read|N:i'm on|N:im a|N:jokes|N:kids
10 N:under|N:update|N:wants|N:work as|Nm Nm $|Nm in|Nm is|Nm of|Nm ~ .|Nm ~s|^ do not|^ don't give
10 ^ he's|^ i answer|^ i only|^ i play|^ i really|^ i run|^ i sleep|^ i used|^ i'm|^ im|^ not
10 ^ we do|^ we live|^ would you|^ ~ got|^ ~s are|a Nm $|address|allergic|always|always use|and my
10 and then|april $|are <code>|are fine|at Nm on|august|autumn|boss is|boys|call me|called Nm $
10 can't|can't do|celsius|chain|christmas|court|cousin Nm|daughter Nm|deaf|don't|don't give
10 don't give me|each|each month|edit|eight|english|flat|german|got ~|head of|here ,|i have a
10 i love ~s|i play|i really|i'm 0|i'm 0x $|i'm on blood|in everything|in may $|in spring|is 0 $
10 is due|is mr|its ~|jira|leeds|length|living|makes|may $|me out|mention|mon|most|mrs Nm|much .
10 much . $|my back|my cousin Nm|my daughter Nm|my wife is|my ~ Nm|name's|net|never edit|new ~s
10 no ~ ~s|not Nm .|nurse $|on 30|on 31|on blood|on mondays|on our|on saturday|on ~ ~|one who
10 only has|out at|over 0x|over ~s|owner|paste|penicillin|percent|play the cello|play ~s|port 0x $
10 portuguese|questions at|run in|runs|saturday|school|since|six of|spring ,|steps|steps $|sugar
10 table $|tests|the doctor|the end|the parish|the ~s .|the ~s in|thirty|to lose|to use|twice a day
10 use that|use the word|walk|wed|whenever we|wife is|without asking|without the|you don't|~ only $
10 ~er at|~ing Nm|~ing as|~s are <code>|~s instead of|~s me|~tion is
9 , Nm|, all|, only|, thursdays|0x this|15|17|2026.|2026. $|29|A:^ how|A:all day|A:i can|A:is 0
9 A:night ~|A:suggest|B:is 0x|B:with Nm|F:, so|F:Nm to|F:^ as|F:^ we|F:and i|F:biggest|F:frontend
9 F:garage|F:gave up|F:i go|F:i play|F:in our|F:is out|F:likes|F:november|F:plan $|F:please always
9 F:spaces|F:to ~s|F:typo|F:with my|F:~tion is|N:^ any|N:^ use|N:build|N:explain|N:film|N:find
9 N:five|N:i do|N:rule|N:school|N:should|N:we've|N:what can|N:whats a|N:~ for|Nm , ~s|Nm 0x|Nm at
9 Nm from|^ all our|^ always give|^ i eat|^ i get|^ i like|^ i've gone|^ it's a|^ my sister|^ we'd
9 ^ we've|^ ~ is|a 0|a Nm|a boy|a bus|a day|a fan|a fan of|a wheelchair|a ~er ,|always give me
9 and hates|any|are in|around|as a ~er|at st|august $|blood|brothers|called ~ $|centre|dental|docs
9 dr .|dr . Nm|eleven|every morning .|every tuesday|from now|gives me|half|have ~s|i keep|i need ~
9 i run|i work as|i ~ ~s|i'm writing|i've been ~ing|i've gone|if you|in october|in our|insurance
9 is off|key is|lead|library|live in ~|mark|month|my son is|night shifts|no more|nothing else
9 number is|on 9|paid|raised|returns|rotterdam|rule|small|son Nm|start with|stop ~ing|than
9 the house|the word ~|to be a|tuesdays|u|under|use|using|vet|volunteer|we work|we're|week $|week ,
9 within|work as|year .|year . $|you tell me|~ (|~ in ~s|~ is the|~ must|~ ~s in|~er ~s|~s after
9 ~s name is|~y here
8 , every|, in Nm|, the|0 ~s|0x with|120|140|<code> ,|A:^ sold|A:kafka|A:thread|A:vat|A:~s my
8 B:do you|B:the 0x|B:tonight|F:, Nm|F:: the|F:a day|F:allergy|F:also|F:before|F:every sunday
8 F:everything|F:from now|F:future|F:is Nm|F:it's Nm|F:my daughter|F:takes|F:write for|F:~er ~s
8 N:Nm .|N:^ don't|N:^ ever|N:^ he's|N:^ new|N:^ no|N:count|N:four|N:rota|N:update the|N:way
8 N:what should|N:who ~s|N:~s that|^ got a|^ i Nm|^ i hate|^ i teach|^ i'm an|^ i'm the|^ i'm ~
8 ^ it's Nm|^ my son|^ never use|^ no more|^ no need|^ we deploy|^ we get|^ you can|^ ~ed|a week $
8 all|are ~|august .|august . $|bee|begin with|bit of|clock|easy|films|free|from Nm $|give me ~
8 has a ~|hate|i ask $|i have two|i only|i run a|i teach|im|in 0x $|in Nm $|in june|instead of
8 is Nm|java|june $|leave it out|me Nm ,|mornings|my husband|my sister|myself ,|near Nm|not a
8 not a fan|now on $|off the|only|our|own|own a|pay|please use|roof|second year|sql|swim|term
8 the ~ for|the ~ has|the ~tion .|there's|things|to always|told you|us ,|very ~|we deploy|with no
8 you write|~ names|~ ~ the|~ing me|~ing to|~s instead
7 0x on|25|7|A:^ don't|A:handed|A:i use|A:is called|A:remember|A:~ here|A:~er of|B:a ~ing|B:i get
7 B:i have|B:is a|B:is ~|B:my ~y|B:pls|B:we're a|F:^ always|F:a 0x|F:answer in|F:answers|F:august .
7 F:cancelled|F:emails|F:i have|F:like ~s|F:lives in|F:moved|F:since the|F:~ed with|N:^ draft
7 N:ever .|N:get|N:how to|N:ideas|N:there a|N:~ing ~|Nm last|Nm now $|^ i go|^ i read|^ i use
7 ^ please use|^ she's|^ we sell|^ we're|^ when i|and ~s|at 0|brother|default|don't like ~
7 don't suggest|hate ~|i don't like|i said|i'm ~|in your|is 0x|is Nm $|kids|knee|last year .
7 licence|maths|me to|mg|names|need for|negative|nights|nuts|on the Nm|project|self ~ed|since 0 $
7 stop|study|system|texts|to me|to me in|use ~|we have|we ~|weeks|with Nm|with me ,|~ , 0x
7 ~ because|~ when|~ ~ ,|~er in|~s a|~s any|~s back|~s in
6 , in|, so ~s|11|31|4 ~|40 $|A:Nm .|A:ours|A:we use|B:is at|B:~er .|F:, not|F:Nm .|F:by the
6 F:call me|F:here|F:live|F:prefer|F:retired|F:to me|F:years|F:your answers|F:~er is|N:^ do
6 N:^ give|N:^ please|N:^ which|N:^ ~s|N:always|N:could|N:i work|N:in|N:live in|N:no Nm|N:put that
6 N:since|N:write me|N:~ing ~s|N:~tion|^ i'm from|^ my Nm|^ our|^ we use|a ~er in|after all
6 any longer|cups|doesn't ~|from home|from ~|here $|i live in|i read|i use a|i work|i'm 0x|i've
6 in Nm .|it's a|last month|left ,|love|me ~|mr Nm|my Nm|my daughter|my new|on the 0x|please , not
6 rent is|replaced|round|she's|since the|the 0x|the end of|the ~ goes|the ~y $|we use Nm|wednesday
6 wednesdays|weeks $|with the ~|work|~ ) .|~ 0x|~ from|~ has to|~er in Nm|~er is|~s out
5 , Nm ,|0 Nm|0 a|5 $|A:the third|F:Nm ,|F:a ~ed|F:from here|F:like ~|F:must|F:~ .|N:^ can|N:^ dont
5 N:else|N:how do|N:make a|N:my ~|N:where do|Nm ,|Nm . $|^ i have|^ i love|^ i work|^ i ~|^ so ~
5 ^ we have|^ we ~|account|aren't|code|due|files|go .|go . $|has|i hate|i hate ~|i love|i'm Nm
5 i'm on ~|in 0x|is Nm ,|is Nm .|is in|it's Nm|learn|live|longer|monday|must|no ~|now $|now on
5 since january|speak|the ~y|thursday|to me $|tuesday|when i|with me|with ~|~ every|~ ~s $|~ly .
5 ~ly . $
4 0x $|A:best|A:spring|F:^ i|F:i live|F:main|F:~tion :|N:^ they|N:any ~|N:do|N:which|Nm .
4 ^ i'm allergic|^ i've|^ i've got|^ my|do ~|don't like|hall|here|in march|live in|march $|married
4 month $|month .|month . $|my brother|of 0x $|our ~ is|till|we've got|when|years .|years . $
4 ~ at home|~ now|~s ,|~s ~ ,|~y ,
3 , ~ in|A:i'm ~|B:i live|F:have|F:since|F:~s ,|N:please|^ i live|^ my name|^ ~ 0x|about ~ $|at Nm
3 breakfast|can't stand|eat ~|fish|i can't stand|i'm allergic|is now Nm|my own|need ~|now .|now . $
3 of our|two ~|~ in Nm|~er on|~s .
2 , on ~|N:no need|N:that|N:~ ?|^ always|^ don't|^ my ~|^ the Nm|is 0x $|on a ~|until|~ ~ $|~ “
2 ~ “ …|~s on
1 B:~s ~|Nm Nm ~s|^ my ~er|since 0x $|~ ~s ,`;
