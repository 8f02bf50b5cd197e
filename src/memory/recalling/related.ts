import { terms } from "../../text/terms.ts";

/**
 * Words of everyday English and of work with software that are used for each other: who broke a tooth asks for the dentist,
 * and who ships a release deploys. A closed list of common knowledge; for another language it is silent.
 */
const GROUPS = [
  "tooth teeth toothache dentist dental",
  "doctor physician gp clinic surgery ill sick fever",
  "medicine medication pill prescription drug antibiotics penicillin allergic allergy",
  "child children kid son daughter baby toddler",
  "wife husband partner spouse",
  "mom mum mother dad father parents",
  "wifi wlan wireless internet online",
  "money budget cost price spend afford expensive cheap",
  "boss manager supervisor",
  "home house apartment flat address live moved",
  "music band song album concert",
  "car vehicle drive garage",
  "food meal dinner lunch breakfast dish recipe cook restaurant dessert snack vegetarian vegan allergic allergy diet",
  "trip travel vacation holiday flight fly journey destination hotel",
  "job work shift employer company career profession",
  "meeting appointment calendar schedule",
  "phone telephone mobile",
  "email mail inbox",
  "gym workout exercise fitness",
  "school teacher grade homework",
  "birthday born",
  "spring march april",
  "summer june july august",
  "autumn september october november",
  "winter december january february",
  "database db postgres postgresql mysql sqlite",
  "ci pipeline build",
  "deploy deployment release ship rollout production",
  "package dependency npm pnpm yarn",
  "editor ide vscode vim",
  "repo repository git github gitlab",
  "error bug crash exception failure",
  "docs documentation readme manual",
  "style format formatting indentation tabs spaces",
];

const RELATED = new Map<string, Set<string>>();
for (const group of GROUPS) {
  const words = new Set(group.split(" ").flatMap((word) => terms(word)));
  for (const word of words) RELATED.set(word, new Set([...(RELATED.get(word) ?? []), ...words]));
}

/** Terms that are used for this one, itself among them; undefined for a word the list does not know. */
export const relatedTo = (term: string): ReadonlySet<string> | undefined => RELATED.get(term);
