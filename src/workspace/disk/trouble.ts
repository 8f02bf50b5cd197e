/** Hears of trouble that stops nothing. */
export type Tell = (error: unknown) => void;

/** What the work answers; where it rejects, that is told and `instead` stands for it. */
export const orTell = <T>(tell: Tell, work: Promise<T>, instead: T): Promise<T> =>
  work.catch((error: unknown) => {
    tell(error);
    return instead;
  });
