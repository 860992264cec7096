import { setTimeout as pause } from 'node:timers/promises';
import { SANDBOX_METHODS } from '../../../src/processors/sandbox-methods.ts';
import type { Random } from '../../../test/harness/random.ts';
import { Caller, type CallerOptions } from '../caller.ts';
import type { ShownPayment } from '../evidence.ts';
import type { PayableLink } from '../refunds/setup.ts';
import { spread } from '../spread.ts';
import { HostedPage } from './hosted-page.ts';

export interface PaymentLoadOptions extends CallerOptions {
  links: readonly PayableLink[];
  /** Time over which the patients arrive. */
  spreadMs: number;
  /** Called once a patient has seen the receipt of a link. `done` waits for it. */
  onPaid: (link: PayableLink, method: string) => Promise<void>;
}

/** Test methods in the order in which a patient tries them. Most patients have one that succeeds. */
const WALLETS: readonly (readonly string[])[] = [
  ['card_success'],
  ['card_success'],
  ['card_success'],
  ['card_declined', 'card_success'],
  ['card_challenge'],
  ['card_refund_later'],
  ['bank_settles'],
  ['bank_settles'],
  ['bank_settles'],
  ['bank_returns'],
];

/**
 * Habits of patients. `waits`: sends each form once, and asks again after an answer that is lost. `clicksTwice`: sends the form
 * of the payment twice at once. `leaves`: sends it once, and never sees the page again.
 */
const HABITS = ['waits', 'waits', 'waits', 'clicksTwice', 'leaves'] as const;

/** Pause of a patient before the page is opened again. */
const LOOK_MS = 500;

/**
 * Pages that a patient opens at most: two minutes. A debit is pending for two seconds, and an outage takes one page. But the outage may
 * meet the question to the processor. Then `reconcile_attempts` asks again after a minute, and its next run begins within five seconds.
 */
const MOST_LOOKS = 240;

/** Pays links on their hosted pages, one patient for each link. */
export function startPaymentLoad(options: PaymentLoadOptions) {
  const { links, spreadMs, random, onPaid } = options;
  const caller = new Caller(options);
  const shown = new Map<string, ShownPayment>();
  const payLink = async ([number, link]: [number, PayableLink]) => {
    const address = `198.18.${number >> 8}.${number & 255}`;
    const page = new HostedPage(caller, link.token, address);
    const wallet = random.pick(WALLETS);
    const hasEnded = await pay(page, wallet, random, (payment) => shown.set(link.linkId, payment));
    if (!hasEnded) caller.wrongAnswers.push(`${link.linkId}: its patient waits in vain`);
    if (shown.get(link.linkId) === 'paid') await onPaid(link, wallet.at(-1) ?? '');
  };
  /** Resolves when the last patient has seen the end of the payment, or has left. */
  const done = spread(links.entries(), spreadMs / links.length, payLink);
  return { evidence: { shown }, wrongAnswers: caller.wrongAnswers, done };
}

/**
 * Pays one link, and reports each payment that the page shows. Ends with a receipt, a returned debit, or a patient who left.
 *
 * @returns false if the patient waited for none of them longer than any payment takes
 */
async function pay(
  page: HostedPage,
  wallet: readonly string[],
  random: Random,
  see: (payment: ShownPayment) => void,
): Promise<boolean> {
  // Only a patient can answer the question of a bank.
  const habit = wallet.includes('card_challenge') ? 'waits' : random.pick(HABITS);
  const methods = [...wallet];
  for (let looks = 0; looks < MOST_LOOKS; looks++) {
    const contents = await page.open();
    if (contents === null || contents.kind === 'other') return true;
    if (contents.kind === 'payment') {
      see(contents.payment);
      if (contents.payment !== 'pending') return true;
    } else if (contents.form === 'submit') {
      const fields = { ...contents.fields, ...chosen(methods.length > 1 ? methods.shift() : methods[0]) };
      const forms = habit === 'clicksTwice' ? [fields, fields] : [fields];
      await Promise.all(forms.map((form) => page.sendOnce('submit', form)));
      if (habit === 'leaves') return true;
    } else if (contents.form === 'sandbox') {
      await page.send('sandbox', { ...contents.fields, decision: 'approve' });
    } else {
      await page.send('resume', { ...contents.fields });
    }
    await pause(LOOK_MS);
  }
  return false;
}

function chosen(method = ''): Record<string, string> {
  const type = SANDBOX_METHODS[method]?.type ?? 'card';
  return { method_type: type, [`${type}_method`]: method };
}
