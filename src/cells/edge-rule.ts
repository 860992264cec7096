import { SLOTTED_SECRET } from '../base/slot.ts';

/*
 * The rule by which the edge finds the cell of a request. Each expression has the two characters of the slot in its group.
 * HAProxy gets these expressions, so they use no backslash, no flag and no blank but that of the header.
 *
 * 1. A host name of a cell leads to that cell.
 * 2. Otherwise the slot decides: that of the key, of the page's address, or of the parameter of a page's file.
 * 3. Everything else goes to the first cell: malformed keys, documentation, and what is older than slots.
 */

/** Authorization header with a key that carries a slot. */
export const KEY_WITH_SLOT = `^[Bb][Ee][Aa][Rr][Ee][Rr] +pp_[a-z]+_${SLOTTED_SECRET}$`;

/** Path of a hosted page whose token carries a slot, or of one of its forms. */
export const PAGE_WITH_SLOT = `^/pay/${SLOTTED_SECRET}(/.*)?$`;

/** Paths of files that pages load. Their parameter `slot` names the slot of the page. */
export const PAGE_FILES = ['/pay-assets/', '/pay-brand/'] as const;

/** Path of the processor's notifications. Any cell may receive one, and offers it to the others. */
export const NOTIFICATIONS = '/processor/notifications/';

/** Paths that people open. An error of the edge is a page there, and JSON elsewhere. */
export const HTML_PATHS = ['/pay/', '/console', '/onboarded', '/docs'] as const;
