/**
 * Cells read in a scope of many: so many times the root of their number, of up to 20,000 vectors all. Finds 0.95 and more of
 * the truly nearest ten even of hashed letters, which hardly cluster (bench memory-speed).
 */
export const PROBES = { share: 3, least: 60 } as const;
/** A category asked for is read whole up to this size, in a scope that is otherwise read in part. */
export const SMALL = 2_000;
/** Tiers of a scope of more cells than are read: so many nearest categories, whole if they are small; then the nearest cells. One scale: the cosine. */
export const TIER = { categories: 2, members: 500, looked: 6 } as const;
/** Between two breaths: vectors compared by the index or one by one, cells that are at hand, chunks read for them. 3 to 5 ms. */
export const BREATH = { indexed: 6_000, plain: 1_000, cells: 60, chunks: 100 } as const;
/** Bytes order almost as the numbers they stand for: of this many times the limit the best are found exactly. */
export const OVERFETCH = 1.5;
/** The most sqlite-vec answers. */
export const MOST = 4_096;
/** The most categories whose middles are compared. */
export const MOST_CATEGORIES = 256;
