/**
 * Source of the time. All code that depends on time gets a clock, so that a test can advance it by hours in one call.
 */
export interface Clock {
  /** Returns the current time, precise to the millisecond. */
  now(): Date;
  /**
   * Returns the time for statements on which several processes must agree. Null means the database's clock, which all
   * processes share. A settable clock returns its own time.
   */
  shared(): Date | null;
}

/** The clock of production. */
export const systemClock: Clock = {
  now: () => new Date(),
  shared: () => null,
};
