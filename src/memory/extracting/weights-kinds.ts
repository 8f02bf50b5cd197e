/** Made by `npm run bench -- learn`: tenths that a feature adds to the log odds. */
export const WISH = `
-54
29 please answer in
28 whenever
25 before you
24 answers|commit
23 ^ don't|future|in future|me like
22 examples|otherwise
21 dont|in any|when we|~s instead
20 F:~ing me|^ if you're|^ never|^ when you|^ whenever|from today|grams|great question|in every
20 jokes|remember to|things|write in
19 F:^ every|F:^ never|F:in any|F:you to|always|always put|british|pls|then the|use my|with me ,
19 would you mind|~ tests
18 ^ and|^ answer in|^ do not|^ if you|british spelling|each time|everything|me Nm .|metric
18 prices in|rule ~|type ~s|units|unless|~s with
17 , be|F:^ always|^ always|^ for|away $|ever|for all|it like that|language|ok ?|otherwise $|please
17 portuguese|right away|unless i
16 , ~ does|. Nm .|F:^ stop|^ from today|^ metric|^ use|comments|don't ever|every ~|if you're
16 in general|in your|just say|no emojis|please always|put my|quote|say the|spell|when|whenever we
16 you never|~ names
15 F:comments|^ answer|^ quote|anything|anything you|can take|celsius|edit|every|files|if ~|like a
15 lines|me for|must|next time|plain|please no|prices|rule|stop|stop ~ing|tests|tiny|to that
15 today and|use|whatever|when i ask|with me|words|~ the ~s|~s as
14 , say|^ be|^ sign|^ stop ~ing|^ treat|^ when i|a rule|add a|always write|call me|each|for you
14 general|i always want|in all|in anything|keep|keep ~s|medical|miles|never suggest|only ,
14 phone calls|tables .|tables . $|the word ~|the ~s .|want|we write|whatever you|you ,|you stop
14 you write for|~s in ~|~s only
13 , leave|, not|, then|F:before you|^ could|^ please always|a test|a tiny|are ~ed|be so|code|cups
13 don't|don't need|fine .|i paste|keep answers|lists|me before|numbers|paragraphs|paste|push
13 sources|talk|tell me to|texts|using|w ~|w ~ $|with Nm $|word ~|~ly ,|~s and ~s
12 F:, every|F:whenever|^ dont|^ from|^ pls|adhd|all ~s|all ~s in|easy|every time|here $|i mean
12 if you|in ~s|like that|no ~ in|out the|recipes|so ~ the|spelling|the answer first|the word|those
12 ticket|with me .|with one|~ ( )|~ points|~s must
11 F:each|F:must|F:never|^ always give|^ just|^ talk|^ use ~|^ when|always in|any|calls|correct my
11 default|each time $|fix it|from here on|give|here on|i ask|in spanish|it ~er|never|one line|only
11 point|sign|stuff|the ~tion .|voice|what the|whenever you|words .|words . $|your ~s
10 , ever .|, so keep|^ call|^ i get|^ i mean|^ in future|^ no|^ please|^ please no|^ stop|^ ~ only
10 a table|always want|answer first|asked for|call me Nm|code .|code . $|explain|first .|first . $
10 from here|is .|is . $|not ~ing|question|so keep|steps|tables|tests $|to me|too .|too . $|u|w
10 when you|write for|you|~ again $|~ if|~s in|~s in ~s
9 , please $|, you|<code> . $|F:, ever|F:^ no|F:^ talk|F:answers|F:paragraphs|^ from now|^ in
9 answer in|are fine|ask|date|don't know|ever $|ever .|file|for it|formal|from now on|leave|me
9 me in|not Nm .|now on|only $|points|short|shorter|sql|them|tone|treat|whenever i|you write|you're
9 ~ 2|~ my|~ my ~|~s for me|—
8 , keep|, please|<code> .|F:always|^ i'll|all|at a time|i want|in all our|like i'm|no ~s|pounds
8 prod|time you|us ,|whole|write for me|~ed ~s
7 " Nm|, every|F:i want|^ call me|^ tell|^ tell me|a new|and ~s|answer|before|emojis|from now
7 i send|if|lines $|me Nm|never use|not the|please ,|suggest|time|~ly .|~ly . $
6 , so ~s|F:^ don't|F:before|F:everything|^ so|a time|anything with|give me|i'll|just|no ~|no ~ing
6 send|so|so ~|than|when i|word|~ me|~s or
5 , every time|F:answer in|^ no Nm|^ not|^ please keep|^ ~s in|answer in Nm|i don't know|no|no Nm
5 on $|please keep|tell me|the whole|use the ~
4 german|to use|~s and
3 F:every|^ never use|^ no ~|all our|ask me|show|tips
1 ^ could you|ask you|~ only
-2 ^ i use
-6 ^ put it|we use ~
-9 colleague
-11 F:me the|tell me the|this .|this . $
-13 F:^ quote|near the
-14 any more|me Nm $
-15 11 $|can you write|jo|no Nm $|please write a|the job|want to ~|~ ~s for
-16 F:for this|any more $|chicken|i always ~|never ~ .
-17 , me|F:answer this|F:in this|Nm this|trust|wont
-18 ^ never ~ed|before ~|never ~s|open the|~ ~ and
-19 back .|quick|up $|you will|~s don't|~y , so
-20 F:~ if|answer this|for this|i never use|no ~ $|no ~ .|we always|we use
-21 F:never mind|F:with Nm|^ and the|tell me a|this time|~ everything
-22 always ~s|is always|pull|water|you were
-23 ^ when do
-24 F:^ just
-26 never ~ed|you know
-28 i want to
-30 ^ always $|^ always .`;

export const NEED = `
-53
29 pregnant
28 asthma
26 blind
24 hearing
23 coeliac|colour blind
22 diabetic|lactose|type 1|wheelchair
21 both|i have Nm|walk
20 ^ dyslexic|bad|low|meat
19 F:to ~s|adhd|dyslexic|stammer|type|type 0x
18 ^ bad|^ i get|^ i'm coeliac|^ lactose|^ type|^ vegan|a wheelchair|allergy|coeliac $|have Nm
18 in both|keep ~er|kidney|lactose intolerant|need ~
17 , on ~|^ as a|a ~er .|because of ~s|both ~|can only|can't|got ~|i have ~s|knee|pregnant ,
17 shellfish|stammer ,
16 ^ i'm ~er|^ no ~ing|a hip|allergic|blood|come out|dairy|deaf in|dyslexic $|ear|eat|get ~s from
16 hard of|hard of hearing|i can't have|i'm vegan $|me out in|of hearing|onions|out in|stroke
16 ~ ~s up|~s are out|~y an
15 3 years|are ~ .|asthma $|because of my|deaf|flat ~|for me|gives me|i get ~s|i'm ~|ill $
15 intolerant|latex|left knee|no dairy for|phone calls|screen ~er $|with our|~ 0x ,|~ing stuff
14 , ~ ~|^ i hear|^ latex|^ on|^ pregnant|^ she is|allergy ,|and nothing|below the|can't have
14 can't take|eggs $|get ~s|got one|got ~ $|i hear|i need|i'm ~er|me with|must be ~|on the left
14 penicillin|sleep ~|the doctor|to have a|vegetarian|~ below|~s in both|~s me out|~s since
13 , had|F:i'm vegan|F:lactose|^ i have|^ my Nm|^ no dairy|^ wheelchair|^ ~ ~er|a low
13 allergic to ~s|and can't|and no|at 0 ~|blood ~s|don't drink|don't eat|i cant|i keep ~er
13 i'm coeliac|i'm dyslexic $|i'm not allowed|i'm on blood|i'm vegan|me since|not allowed|on a low
13 on blood|on every|pork|pork for|salt ~|see ~|since 0 $|since ~ $|six $|so no|steps $|to have
13 twice a day|vegetarian .|weeks pregnant|with two ~s|~ allergy|~s up
12 F:here .|F:is ~y|^ allergic|^ i need|^ i'm vegan|^ i'm vegetarian|^ my daughter|^ since|a kidney
12 and still|can't do|cant|for Nm $|had ~|have a ~er|here ,|i'm dyslexic|i'm on|i'm vegetarian
12 i'm ~ $|ill|is it ok|low ~|me off|myself $|no ~ for|no ~ing|nuts|to 10|twice a|weeks|years now
12 ~ , so|~ allergy ,|~er )|~ing over
11 , on|, ~s ~s|^ i take|^ i'm ~|^ im|^ ~ed ~|allergic to|allowed to|are out|because of|bee
11 blood ~s $|diabetic .|diabetic . $|drink ~|due|dyslexic .|dyslexic . $|gives|have ~s|hip|i use a
11 i ~y|i'm dyslexic .|i'm ~ .|in ~s .|it ok|left ear|makes|me out|my Nm|my left ear|on ~s|onions $
11 percent|replaced|since i|vegan|~ , on|~ and ~s|~ only for|~ing Nm|~s for me|~s gone|~s ~s $
10 , due|, so ~|3rd|F:doesn't|F:eggs|F:~er ~s|^ both|^ i cant|^ i'm deaf|deaf $|down to|drink|eggs
10 have ~|i don't drink|i'm vegan .|i've a|in my left|my daughter|my heart|my ~ ~|really|screen
10 sick|steps|the left|vegan .|vegan . $|~ (|~ free|~s i|~s me
9 , ~ly .|F:bees|F:coeliac|F:eat ~|F:~ me|F:~er .|^ i'm|^ i'm blind|^ i'm dyslexic|^ they|all my
9 and ~ ~|both ~s|eat ~|free|gone|i take|in both ~s|is out|lift|lost my|my left|my ~ ~s|no ~|no ~y
9 not my|nuts $|of ~s|tables|use a wheelchair|~ , ~s|~ is ~|~ only|~ing ~ .|~s got
8 , yes|0x ,|F:i'm ~|^ i went|^ i ~er|^ now|^ ~ only|a screen|a screen ~er|allergic to ~|because
8 been ~|below|coeliac .|coeliac . $|doesn't ~|eat pork|every day|here|i can't|i can't do|i keep
8 i went|i'm allergic|i'm blind|i'm deaf|i'm deaf $|i've|my ~ is|my ~tion|of my ~s|of ~s $|since
8 since 0|since ~|thirty|use a|vegan $|was in|with ~|~ off|~ up|~ ~er $|~ed ~|~s Nm $|~s ~ ,
7 ^ can't|^ i use|^ i'm diabetic|^ i've got|^ no ~|^ ~ed|are fine|five .|five . $|for me $|had
7 has ~|heart|i get|i have|i ~ up|i'm diabetic|i've got|me $|my thing|need a ~|smell|with two
7 ~ for me|~ ~ ,|~ ~er
6 , ~ly $|4 ~|F:have ~s|^ i can't|^ i don't|^ i'm allergic|^ that's what|a day $|allergy $|any ~
6 give me ~s|hear|im|in ~y|kilos|letters|months|my wife|take ~|that's what|weeks $|~ since|~ ~s on
5 , ~ or|, ~ly|^ i keep|^ i'm on|^ i've a|i don't|i'm allergic to|me to|~ly .|~ly . $|~s a ~
4 ^ i've|^ i've had|every ~|i'm on ~|i've had|only ~|with ~ $
3 have a|i eat|~ ~s for
2 of my
-3 mark
-7 i can't eat
-9 ^ ~ are|to ~s $
-10 F:to nuts
-11 F:twins|F:uses|back $
-12 to you|you .|you . $
-13 F:jokes|^ ~s only|can't ~ ~|mondays $|weeks .|weeks . $|~ing ~ ~s
-14 and the ~|jokes|words .|words . $
-15 F:, every|so keep|~ ~ at
-16 F:milk|F:parents|^ can't ~|a bad back|eat ~s|everything ,|now , not|who can't|~ and a|~ has to
-17 F:^ can't|and a ~|got a ~|have a ~|some
-18 F:paragraphs|F:~s gone|because of the|on call|still can't
-19 , so keep|eat meat .|on ~ ~|since ~ .|~ twice|~s you
-20 can i eat
-21 F:can't stand|F:~ since|adhd , so|eat eggs|have had|i'm a ~er|not vegan
-22 daughter has a|say i'm
-23 F:i need|been ~ing
-24 i'm on the
-26 since 0x $|write for me`;

export const TASTE = `
-56
24 i like
23 any day|love|my thing|stand|sweet
22 crime|enjoy
21 hate
20 , me|^ ~ over|prefer
18 ^ big|^ dark|breakfast
17 ^ ~ on|anything|can't ~ ~|care|films|i enjoy|or nothing|~ over
16 F:football|F:hate|F:i only|^ i find|^ i like|^ i prefer|^ nothing|^ we'd|can't stand|drive me
16 i love|no onions|quiet|~ stuff|~ist ~s|~s me
15 , me .|F:style|^ i enjoy|^ i ~ly|^ love a|big|can't be|coriander|i avoid|i think ~s|is my thing
15 my favourite|one for|onions|rather|small talk|we'd|~ is the|~ person
14 , ~ing ~s|F:cant stand|F:enjoy|F:everything ,|F:i dont|F:like ~|F:like ~s|^ i dont|^ i hate
14 ^ i'd rather|^ never been|any day .|cant stand|dark|everything ,|football|hate running
14 i cant stand|i find|i take my|i'd rather|i'm not ~|i'm ~ of|like|like ~y|makes|names ,|over
14 over ~|person|take my|than|the smell|the way|think ~s|window|yes|~ , only|~ films|~ ~s me
14 ~s over|~s ~ me
13 F:do it|F:hate ~s|F:i've a|F:~s over|^ can't|^ can't stand|^ i love|^ love|^ small|^ we're both
13 a bit of|are my|at all|best|boring|cannot ~|crime ~s|favourite|find ~ing|fish|flying|i actually
13 i could|i don't like|i find ~ing|i've a ~|love ~|love ~s .|mad|me , so|more of|not a|of a ~y
13 stand coriander|stuff|want something|we're both|with ~s $|~ only $
12 F:about ~s|F:favourite|F:food|F:i really|F:my favourite|F:not a|^ hate|^ i've always|bit of
12 can't stand ~|can't ~ the|don't like|fan of|for us|go for|i love Nm|i prefer|i ~ ~|i ~ly
12 i've always ~ed|is the best|love a|make me ~|makes me|me ~ly|never been|not a fan|old ~ .
12 person ,|seats|to ~s $|use ~ ,|wear ~|wine|~ all the|~ for the|~ make|~y ~s
11 F:anything with|F:fan of|^ i always|^ i read|^ i ~|^ ~s|a ~ person|aisle|always ~ed|avoid|btw $
11 cannot|do my|fan|find|for ~y|has been|i don't|i hate|i like my|i like ~ing|i only|i've always
11 long ~s|mostly|nothing|play|prefer ~ .|python|small|stand ~|that's what i|what i|~ eat|~ is Nm
11 ~s my
10 F:i hate|F:prefer|F:~s .|F:~s me|^ always ,|^ i don't|^ i think|^ i'm not|^ i've a|^ it's the
10 ^ ~ Nm|^ ~ all|^ ~y ~s|all the way|always ,|and ~s .|anything with|api|awful|cities|for me ,
10 for the Nm|get on|i can|i can't stand|i ~ to|is Nm in|java|like ~ing .|make me|me $|my ~ ~
10 never ~s|old ~|only for me|paper|play ~s|really|wear|~ is my|~ to me|~ ~s ,|~ed ~s|~s ~ ,
9 , for|F:fan|F:not ~|F:queen|F:~y ~s|Nm if|^ give me|^ i never|^ i only|^ i really|^ my favourite
9 a fan|a fan of|before ~ .|can't|drive me mad|hate ~|hot|i can't ~|i need ~|it's the|mad about
9 me mad|near the|only|only for|work $|~ isn't|~ to|~ed ~ .|~ed ~s $|~s and
8 F:fish|F:is my|F:mad|^ and|^ i'm ~|^ that's my|^ that's what|a ~er for|about ~s|are the ~s|best $
8 examples|fish $|food|heat|i always|i love ~|i'm ~ .|know $|live on|love Nm|me ~|novel $|of ~ $
8 on it $|or ~s|over Nm|people $|running .|running . $|said no|smell|tall|that's what|the only
8 the ~y .|thing|those|to me $|touch|use it|with ~ $|with ~s|~ me|~ on ~|~ people|~ ~ ~s|~y i
7 , yes|: Nm $|F:cold|F:i ~|F:i'm ~y|F:love|F:only ~|F:~ing .|^ can't ~|^ never|^ not|^ we never
7 and Nm $|and ~ ,|before ~|day .|day . $|for us $|going to|hate ~s|have no ~|i prefer ~|i really
7 i ~ for|i'm not|like ~|me to|my best|of Nm ,|only ,|prefer ~|queen|that's my|the ~ly|to ~s
7 works .|works . $|~ and a|~ group|~ look|~ ~ is|~ ~s $|~ ~s a|~er is Nm|~er since|~s or ~s
7 ~s work
6 , too|F:best|F:me to|F:my daughter|F:~ed ~s|Nm is my|^ anything|^ i no|^ not a|^ that's|a bit
6 books|can't ~|evening .|evening . $|for my ~|happy|home in|i'm ~|is ~ ~|need ~|never ~ed|no ~ .
6 nothing $|on ~ ,|own a ~|person $|running|since 0 $|to use|~ , a|~ Nm is|~ all|~ always|~ before
6 ~ of Nm
5 , so ~|F:i find|F:i love|F:i prefer|F:stand|^ ugh|around|for me|i can't|i have no|i like it|is my
5 like a ~|of an|on it|yes ,|~s and a|~s don't
4 F:^ not|^ i need|me .|me . $|no $|~ for me|~ ~ with
3 F:i like|give me a
2 F:thing|^ ~s ~|all the|small ~|thing ,|~s or
-11 F:~ about|mondays $
-12 F:that one|F:your ~|long $|~ about
-13 ! )|, ~ .|F:, nothing|answers .|answers . $
-14 mornings $
-15 F:" i|boys|mind $|question .|question . $|stand for|your ~|~s in my
-16 , leave|i can't have|is the Nm|our ~ ,|~ing over
-17 " i|F:answer $|F:the only|^ i'd love|and can't|i hate Nm|i'd love|the code|the old ~
-18 F:one .|hate this|i hate this|i'd rather you|over 0|people hate|rather you|that one
-19 F:mondays|F:my own
-20 i love it
-23 do i find|i don't eat`;

export const CHANGE = `
-47
29 anymore
26 after all|changed
25 stopped
24 F:again .|any longer
23 left Nm
22 0 from|F:typo|is now|last month
21 ^ forget|anymore $|cancelled|died|i said|now|passed|sold|turns out
20 F:it's Nm|F:to 0|any more ,|from this|has been|longer|over to|the wedding
19 0 since|F:^ they|F:october|F:replaced|F:~ed from|any more|forget the|gave up|left the|scrap the
19 split up|what i said
18 Nm since the|^ i've stopped|after all $|broke up|closed|doing it|dropped|given|has left
18 i've stopped|no need for|not 0x|not my|not vegan|typo|~ed from|~s been
17 F:0x not|F:as of|F:no longer|F:retired|^ as of|for good|gave up the|left|moved|now $|replaced
17 spring|~ can't
16 , everything|F:cancelled|F:divorced|F:passed|F:~s been|^ they ~ed|as of|here on .|is Nm now
16 is dead|last week|new|quit|they ~ed|wednesdays
15 F:found|F:hall|F:i eat|F:off the|F:you may|^ good ~|autumn|handed|i told you|i ~ Nm|in spring
15 job $|new address|not the 0x|off the|stopped ~ing|take it|take the|the 0|the warehouse
15 the ~ thing|these days|three weeks|we've
14 F:anymore|F:days|F:vet|F:was ~ed|Nm anymore|^ actually|^ i've gone|^ new|^ use the|^ we
14 ^ we dropped|^ we've|^ ~ ~ed|actually|address|all $|gave|i've gone|no longer|not at|of Nm .
14 retired|room $|scrap|since|street|we dropped|~ed at
13 , Nm is|, new|F:november|F:turned|^ had|^ he's|^ no more|^ no need|^ scrap|^ ~ with|^ ~s out
13 again|allergy|from 0x|had to|have the|in june|limit|moved from|need for|no more|since the
13 the office|thursday $|told you|turned|went back to|~ job|~ ~ed|~ed to
12 F:gave|F:i no|F:these days|F:with Nm|F:~ed to|^ gave|^ gave up|^ i eat|^ the Nm|^ we do|^ we ~ed
12 ^ you can|celsius|done with|finished|forget|gym|had the|in april|it was|no need|not Nm|the flat
12 to Nm $|up $|was a|you can|~ thing|~s gone
11 , not|F:0x $|F:^ he's|F:^ she|F:changed|F:is on|F:made|F:more .|F:sorry|F:the 0x|Nm now|^ she's
11 ^ ~ is|^ ~s ~ed|ago|any more .|april|broke|called Nm $|down|for good $|from Nm to|gone $
11 her name is|history|i told|in july|instead|instead $|it's|last week $|monday|out of Nm|sorry
11 sorry $|ward|we're|went back|~ , please|~s better
10 . Nm $|0x now|F:^ i've|F:^ not|F:allergy|F:dropped|F:moved to|F:team|F:~ moved|^ i got
10 ^ i'm going|^ we've ~ed|a Nm $|alone .|alone . $|anymore ,|back|easter|found|friday|her name
10 may $|she's|we ~ed|we've ~ed
9 F:back|F:down|F:down to|F:fine|F:~ed with|Nm has|^ there's|^ we got|any more $|at Nm .|egg
9 got the|i got|i'm going|mrs Nm|not|off|out $|that in the|we're on Nm|when i|~ Nm $|~ again $
9 ~ goes|~ moved
8 F:i've|F:longer|F:since|F:tuesday|Nm to|^ she|about the|evenings|gone|got ~|let|let me|made
8 moved to|ms|mum|new ~s|now ,|now . $|the Nm .|the ~ to|with an
7 F:Nm to|F:^ you|^ it was|^ it's|at the Nm|good $|got a ~|left $|more .|more . $|no ,|now .
6 60|F:^ ~ed|F:^ ~er|F:i've ~ed|F:may|F:moved|Nm now $|^ i ~ed|^ we're|^ ~s|got|more|more $
6 of the ~|on .|on . $|sundays|the Nm|the new|there's|up .|up . $|~ ~ed $
5 , not ~|, the|, the ~er|Nm since|^ it's a|april $|back to|done|i ~ed|in may|instead of|isn't
5 mondays|the ~y $|told|use the|~s ~ed
4 F:on .|now on $|~ , not|~ any more
3 F:, not|F:, the|F:now|F:now .|decided|going|it's a
1 changed the|~ed to ~
-6 to work
-7 ~ , ~s
-10 F:, ~s|F:husband|saturdays|~ ! !
-11 ^ we've got|don't eat|rotterdam
-12 ^ now|i don't eat|match|to Nm last|we've got
-13 , ~ly $|called Nm .|we moved to|what now $
-14 ^ what now|right now .|what now
-15 april .|april . $|husband|queen|~ the ~s
-16 , ~s now|F:don't use|F:i live|F:~ing to|^ ~er ~|nuts|~s after
-17 , 3|F:, that|^ answer in|^ got a|fan|for Nm $|i'm going to|in 0 $|me for|our ~ year|raining
-17 right now $|the ~ !|~ ~ ,|~er since
-18 , that|F:i take|F:only $|F:running|F:the other|F:to a|back $|exercise|it's ~ now|last year .
-18 sick|the name|we ~ed to|went with|~ed ~ .
-19 , first|F:and now|F:just now|F:paid|F:python|F:~ed on|^ been|a ~ with|as a ~|buy|collect
-19 i'm a ~er|i've ~ed the|in Nm from|left .|left . $|on my ~|since the ~s|the ~ again|the ~ one
-19 ~ to the|~s since
-20 F:~ed $|F:~ed in|F:~er and|on mondays .|pick|three ~
-21 F:it back|F:last year|F:was the|F:when i|^ it's not|only $|since ~|someone|this morning $
-21 years now
-22 , ~ $|F:i'm ~ing|F:we use|and the ~|books|in Nm since|nobody|python|since 0
-23 ^ from now|^ if|just now|~ off the
-24 F:got a|F:i changed|Nm , ~|for now|my left|right now|~ after
-26 F:i've been|F:your|and now|in 0x $|stuck
-27 new Nm`;
