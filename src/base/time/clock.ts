/**
 * Where the time comes from. Everything that decides by time asks a clock it was given, so that a test can move hours in
 * one call.
 */
export interface Clock {
  /** The present moment, milliseconds precise. */
  now(): Date;
  /**
   * What statements that several processes must agree on pass to the database: null lets the database read its own
   * clock, the one clock all processes share. A settable clock returns its own time instead.
   */
  shared(): Date | null;
}

/** The clock of production. */
export const systemClock: Clock = {
  now: () => new Date(),
  shared: () => null,
};
