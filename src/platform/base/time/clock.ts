/** All code that depends on time gets a clock, so that a test can advance it by hours in one call. */
export interface Clock {
  now(): Date;
  /** Time for statements on which several processes must agree. Null: the clock of the database. */
  shared(): Date | null;
}

export const systemClock: Clock = {
  now: () => new Date(),
  shared: () => null,
};
