import { STAFF_STATUSES } from '../../../../src/payment-links/model/staff-status.ts';
import { linkId } from '../../seed/lists.ts';
import type { SeededPractice } from '../../seed/seed.ts';
import type { Page } from '../compared-pages.ts';

/** Different links and payments that are opened. */
const SINGLE = 10;

const DAY_MS = 86_400_000;

/** Returns the first and the last day of the month before the present one, whose rows are complete. */
export function lastMonth(): string {
  const first = new Date();
  first.setUTCDate(1);
  const last = new Date(first.getTime() - DAY_MS);
  const to = last.toISOString().slice(0, 10);
  return `from=${to.slice(0, 7)}-01&to=${to}`;
}

/** Returns the pages that people of a practice open, if it has `count` links from the number `firstNumber` on. */
export function pagesOf(practice: SeededPractice, email: string, count: number, firstNumber: number): Page[] {
  // The links of seedLinks: with the remainders 0 to 11 of 20 they are paid, with 12 to 14 active.
  const some = (remainder: number) =>
    Array.from({ length: SINGLE }, (_, index) => {
      const twenties = Math.floor((count / 20 / SINGLE) * index);
      return linkId(firstNumber + 20 * twenties + remainder + (remainder === 0 ? 20 : 0));
    });
  const middle = `${new Date(Date.now() - 365 * DAY_MS).toISOString()}_${linkId(firstNumber + count / 2)}`;
  const list = (of: string, name: string, query: Record<string, string>): Page => ({
    ...{ name: `${of}, ${name}`, has: `/live/${of}/plink_` },
    paths: [`/live/${of}?${new URLSearchParams(query)}`],
  });
  return [
    { name: 'home', paths: [''], has: '/live/links' },
    list('links', 'first page', {}),
    ...STAFF_STATUSES.map((status) => list('links', `status=${status}`, { status })),
    list('links', 'a page in the middle', { before: middle }),
    list('links', 'search by last name', { q: 'garcia' }),
    list('links', 'search by first and last name', { q: 'Lucía García' }),
    list('links', 'search by reference', { q: 'visit-10' }),
    list('links', 'search by reference of half', { q: 'plan' }),
    list('links', 'search by chart number', { q: 'chart-10' }),
    list('links', 'search by amount', { amount: ((100 + ((count - 1) % 90_000)) / 100).toFixed(2) }),
    { name: 'one link', paths: some(13).map((id) => `/live/links/${id}`), has: '/pay/' },
    { name: 'new link', paths: ['/live/links/new'], has: '<form' },
    list('payments', 'first page', {}),
    ...['paid', 'processing', 'refunded', 'disputed', 'returned'].map((state) =>
      list('payments', `state=${state}`, { state }),
    ),
    ...['card', 'us_bank_account'].map((method) => list('payments', `method=${method}`, { method })),
    list('payments', 'location', { location: practice.locationIds[1] ?? '' }),
    { name: 'one payment', paths: some(0).map((id) => `/live/payments/${id}`), has: '/live/links/plink_' },
    {
      ...{ name: 'reconciliation of a month', paths: [`/live/reconciliation?${lastMonth()}`], has: 'id="by-method"' },
    },
    { name: 'audit log', paths: ['/audit-log'], has: 'plink_' },
    { name: 'audit log, one action', paths: ['/audit-log?action=payments.exported'], has: email },
    { name: 'audit log, one person', paths: [`/audit-log?${new URLSearchParams({ actor: email })}`], has: email },
    { name: 'developers', paths: ['/live/developers'], has: '/live/developers/requests' },
    { name: 'request log', paths: ['/live/developers/requests'], has: '/live/developers/keys/key_' },
    { name: 'request log, refused', paths: ['/live/developers/requests?status=refused'], has: 'not_found' },
    {
      name: 'request log, method=POST',
      paths: ['/live/developers/requests?method=POST'],
      has: '/live/developers/keys/key_',
    },
  ];
}
