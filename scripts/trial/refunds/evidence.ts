/** Refunds that a run asked for, and those that it made at the processor. */
export interface RefundEvidence {
  /** Refunds of the console, by the refund id in their form. */
  asked: ReadonlyMap<string, AskedRefund>;
  /** Refunds that the practice made at the processor itself, in cents by the processor's id. */
  madeOutside: ReadonlyMap<string, number>;
  /** Refunds of test links that an API confirmed, in cents by the id of the link. */
  simulated: ReadonlyMap<string, number>;
}

/** A refund of the console. */
export interface AskedRefund {
  linkId: string;
  cents: number;
  /** True once an API confirmed it. */
  isConfirmed: boolean;
}
