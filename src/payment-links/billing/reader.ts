/** The payments that a person of a practice sees: of one mode, of all locations or of some. */
export interface PaymentReader {
  practiceId: string;
  test: boolean;
  /** Null: all locations of the practice. */
  locationIds: readonly string[] | null;
}

/** Returns the reader for one of its locations. The reader of a location that it does not see finds nothing. */
export function atLocation(reader: PaymentReader, locationId: string): PaymentReader {
  const { locationIds } = reader;
  return { ...reader, locationIds: locationIds === null || locationIds.includes(locationId) ? [locationId] : [] };
}
