import { terms } from "../../core/text/terms.ts";

/**
 * General words of everyday English with things they are said of. Who asks "which instruments?" is
 * answered by "piano" and not by the word "instrument". A closed list of common knowledge, no names
 * of people or brands; for another language it is silent.
 */
const KINDS = `
animal pet: bird bunny cat chicken cow dog fish frog goldfish hamster horse kitten lizard parrot
  pig pony puppy rabbit snake tortoise turtle
activity hobby interest leisure pastime recreation: bake beach bike camp canoe chess climb cook
  craft crochet cycle dance draw fish game garden gym hike jog kayak knit movie museum paint park
  photography picnic pottery puzzle read run sail sew sing skate ski surf swim theater walk
  woodwork write yoga
athletic exercise fitness sport team workout: aerobics badminton baseball basketball bike box
  climb cricket cycle dance football golf gym gymnastics hike hockey jog judo karate lift marathon
  pilates rugby run ski skate snowboard soccer surf swim tennis volleyball weight yoga
instrument music musical: album band bass cello choir classical clarinet concert drum flute guitar
  harp jazz keyboard opera orchestra piano pop rock saxophone sing song trumpet ukulele violin
art artistic craft creative: canvas carve ceramic clay collage draw embroider knit mural paint
  photography pottery quilt sculpt sculpture sew sketch watercolor weave
cuisine dish eat food meal recipe snack: apple bread breakfast burger cake cheese chicken
  chocolate cook cookie curry dessert dinner egg fish fruit grill lunch meat noodle pasta pie
  pizza potato rice roast salad salmon sandwich sauce soup steak stew sushi taco vegan vegetable
  vegetarian
beverage drink: beer cider cocktail coffee juice lemonade milk smoothie soda tea water whisky wine
dessert sweet treat: biscuit brownie cake candy chocolate cookie cream cupcake muffin pastry pie
  pudding tart
career employment job occupation profession work: accountant actor architect artist bank boss
  business chef coach company counselor designer developer doctor driver engineer farmer
  firefighter hire intern interview journalist lawyer manager mechanic musician nurse office pilot
  police programmer promotion restaurant salesman scientist shop teacher therapist waiter writer
family parent relative sibling: aunt baby brother cousin dad daughter father grandfather grandma
  grandmother grandpa husband kid mom mother nephew niece sister son twin uncle wife
child kid: baby boy daughter girl niece nephew son teenager toddler twin
dating partner relationship romantic: boyfriend breakup date divorce engage fiance girlfriend
  husband love marriage marry single spouse wedding wife
condition disease health illness injury medical symptom: ache allergy ankle arthritis asthma back
  blood broke cancer cold cough diabetes diagnosis doctor fever flu headache heart hospital hurt
  knee medicine pain sick sprain stomach surgery virus
abroad destination travel trip vacation visit: airport beach castle city cruise flew flight hotel
  island mountain museum passport plane resort road sea sightseeing tour train
abroad country nation nationality: africa america argentina australia austria belgium brazil
  britain canada chile china colombia cuba denmark egypt england ethiopia finland france germany
  ghana greece hungary iceland india indonesia iran ireland israel italy jamaica japan kenya korea
  malaysia mexico morocco nepal netherlands nigeria norway pakistan peru philippines poland
  portugal romania russia scotland singapore spain sweden switzerland taiwan thailand turkey uk
  ukraine usa vietnam wales
city place town: amsterdam athens atlanta austin barcelona beijing berlin boston brussels chicago
  copenhagen dallas delhi denver detroit dublin edinburgh florence francisco geneva houston
  istanbul lisbon london madrid melbourne miami milan montreal moscow mumbai munich oslo paris
  philadelphia portland prague rome seattle seoul shanghai stockholm sydney tokyo toronto
  vancouver vegas venice vienna warsaw washington york zurich
region state: alabama alaska arizona california carolina colorado connecticut florida georgia
  hawaii idaho illinois indiana kansas kentucky louisiana maine maryland massachusetts michigan
  minnesota montana nevada ohio oregon pennsylvania tennessee texas utah vermont virginia
  wisconsin wyoming
color colour: amber azure beige black blue brown burgundy crimson cyan fuchsia gold green grey
  indigo ivory khaki lavender lilac magenta maroon mauve navy ochre olive orange pink purple red
  scarlet silver teal turquoise violet white yellow
festival holiday: carnival christmas diwali easter halloween hanukkah passover ramadan
  thanksgiving
emotion feel feeling mood: afraid angry anxious ashamed calm confident disappointed excited
  frustrated glad grateful guilty happy hopeful joy lonely nervous overwhelmed peaceful proud
  relieved sad scared stressed surprised thankful upset worried
afford finance financial money wealth: bank bill budget buy cash cheap cost debt expensive income
  insurance invest loan mortgage pay price rent salary save tax
college degree education school study subject university: art biology chemistry class course
  economics engineering exam graduate history law literature mathematics medicine philosophy
  physics professor psychology scholarship science semester student teacher thesis
belief faith religion religious spiritual: bible buddhist catholic christian church god hindu
  jewish meditate monk mosque muslim prayer pray priest synagogue temple
political politics: campaign congress conservative council democrat election government law
  liberal mayor parliament policy president protest republican right senator vote
character personality quality trait: brave calm caring cheerful confident creative curious
  determined friendly funny generous honest hardworking kind loyal patient reliable shy smart
  stubborn thoughtful
outdoor outdoors nature scenery wildlife: bird canyon cliff desert flower forest garden hike lake
  mountain ocean park river sea star sunset trail tree valley waterfall wood
transport vehicle: bike boat bus car motorcycle plane scooter ship subway taxi train truck van
device gadget technology: app camera computer console drone headphones keyboard laptop phone
  printer robot screen software tablet television watch
game: board card chess console dice online pc puzzle strategy tournament video
book genre literature novel: adventure biography chapter classic fantasy fiction history mystery
  poem poetry romance series story thriller
film genre movie show: action actor adventure cinema comedy documentary drama episode fantasy
  horror romance scene season series star thriller western
weather: breeze cloud cold fog frost heat hot hurricane rain snow storm sunny thunder warm wind
clothes clothing fashion outfit wear: boots cap coat costume dress gloves hat jacket jeans jewelry
  pants scarf shirt shoes skirt sneakers socks suit sweater tie uniform
accessory jewelry: bracelet brooch earring necklace pendant ring watch
celebration ceremony event occasion: anniversary birthday ceremony concert conference dinner fair
  festival funeral gala graduation meeting parade party race reunion show tournament wedding
  workshop
charity cause community help volunteer: donate donation feed foundation fundraiser homeless
  hospital kitchen mentor orphanage rescue shelter tutor veteran
home house live residence: apartment basement bedroom farm flat garden kitchen landlord lease
  mortgage move neighborhood rent roof room roommate
cope destress relax relaxation stress unwind: bath breathe dance journal massage meditate music
  nature read rest run sleep therapy walk yoga
flower garden plant: basil bloom bush cactus daisy fern herb lavender lily mint orchid rose seed
  sunflower tomato tree tulip vegetable
language speak: arabic bengali chinese dutch english french german greek hebrew hindi italian
  japanese korean latin mandarin polish portuguese russian spanish swedish turkish
accident disaster emergency: avalanche crash drought earthquake fire flood hurricane landslide
  storm tornado
accomplishment achievement award success: champion certificate contract degree diploma first medal
  prize promotion record scholarship title trophy win won
afraid fear phobia scared: clown crowd dark death fail failure fly ghost height lose needle snake
  spider
business company startup: brand client customer employee investor launch market office online
  partner product profit sell shop store website
dance: ballet ballroom contemporary flamenco folk jazz salsa studio swing tango tap waltz
furniture household: bed bookshelf cabinet carpet chair couch curtain desk drawer fridge lamp
  mirror oven rug shelf sofa table wardrobe
material: brass cardboard clay copper cotton fabric glass gold iron leather metal paper plastic
  silk silver steel stone wood wool
month season: april august autumn december fall february january july june march november october
  september spring summer winter
`;

let kinds: ReadonlyMap<string, ReadonlySet<string>> | undefined;

/** The terms of things that go by a general word, itself given as a term; none for most words. */
export function thingsOf(general: string): ReadonlySet<string> | undefined {
  kinds ??= read();
  return kinds.get(general);
}

function read(): Map<string, Set<string>> {
  const found = new Map<string, Set<string>>();
  // A line that begins with white space goes on with the one before it.
  for (const kind of KINDS.trim().split(/\n(?=\S)/)) {
    const [general = "", things = ""] = kind.split(":");
    const members = new Set(terms(things));
    for (const word of terms(general)) found.set(word, members.union(found.get(word) ?? members));
  }
  return found;
}
