/** Of one memory. Saying it again may add to them, up to here. */
export const MOST_TAGS = 100;
