import { ALPHABET } from './ids.ts';
import { randomText } from './random-text.ts';

/*
 * Slots divide the practices of all cells. Each practice has a slot for life, and the map of cells says which cell has the
 * slot. API keys and tokens of hosted pages carry it, so that the edge finds the cell without a database
 * (docs/decisions/0050-cells.md).
 */

/** Number of slots: all that two characters of base 32 can name. */
export const SLOT_COUNT = 1024;

/**
 * The slot of practices that are older than slots. Their keys and tokens may carry none. The edge sends those to the first
 * cell, so this slot never leaves it.
 */
export const FIRST_SLOT = 0;

/** 190 random bits cannot be guessed. */
const SECRET_LENGTH = 32;

/** A secret with its slot has 34 characters, and one without a slot 32. So the two cannot be confused. */
export const SLOTTED_SECRET = `([${ALPHABET}]{2})[A-Za-z0-9_-]{32}`;

/** Form of a cell's name: it becomes part of HAProxy's names, and in upper case of names of variables. */
export const CELL_NAME = /^[a-z][a-z0-9-]{0,31}$/;

const SLOTTED = new RegExp(`^${SLOTTED_SECRET}$`);

/** Returns the two characters that name a slot, e.g. `0z` for 31. */
export function slotText(slot: number): string {
  return `${ALPHABET[slot >> 5]}${ALPHABET[slot & 31]}`;
}

/** Returns new random text for a key or a token, behind the slot. The slot is no secret, and adds no chance to guess. */
export function newSecret(slot: number): string {
  return `${slotText(slot)}${randomText(SECRET_LENGTH)}`;
}

/** Returns the two characters of the slot that a key's or token's random text carries; null if it carries none. */
export function slotTextOf(secret: string): string | null {
  return SLOTTED.exec(secret)?.[1] ?? null;
}
