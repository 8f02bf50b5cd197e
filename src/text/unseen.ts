/**
 * What a person does not see and a model reads: marks of direction, tags, fillers, breaks and joiners of no width. Joiners stay behind
 * letters without case and behind pictures, which need them, and the sign that makes a picture of a character behind one.
 */
export const UNSEEN =
  /(?![\u200c\u200d\ufe0e\ufe0f])[\p{Default_Ignorable_Code_Point}\ufff9-\ufffb]|(?<!\p{Emoji})[\ufe0e\ufe0f]|(?<!\p{Emoji}\ufe0f|(?!\p{Default_Ignorable_Code_Point})[\p{Lo}\p{Mn}\p{Mc}\p{Extended_Pictographic}\p{Emoji_Modifier}])[\u200c\u200d]/gu;

export const withoutUnseen = (text: string): string => text.replace(UNSEEN, "");
