import { ONBOARDED_PATH } from '../../../patient-pages/routes.ts';
import { openAccount } from '../../../payment-links/payments/account.ts';
import { fresh } from '../../../platform/base/scope.ts';
import { inTransaction } from '../../../platform/database/query/transaction.ts';
import { auditChange } from '../../../practices/changes-by-people.ts';
import { getPractice } from '../../../practices/find.ts';
import type { Practice } from '../../../practices/practice.entity.ts';
import { MAX_SUFFIX_LENGTH } from '../../../practices/service.ts';
import { type Processor, ProcessorUnavailable } from '../../../processors/processor.ts';
import * as ui from '../../../web/blocks.ts';
import { catchRefusals } from '../../routing/handlers.ts';
import { doneText, type MemberVisit, problem, type Reply } from '../../routing/visit.ts';
import { byPerson, savePracticeChange, tabs } from './changes.ts';

const STATES = {
  ready: { title: 'Ready', text: 'Patients can pay by card and bank debit.', button: 'Check again' },
  cards_only: {
    title: 'Cards only',
    text: 'Patients can pay by card. Bank debits are not enabled for the account yet: check it at the processor.',
    button: 'Check again',
  },
  unfinished: {
    title: 'Not finished',
    text: 'The account exists, but cannot take payments yet. The processor still needs information from you.',
    button: 'Continue the setup',
  },
  none: {
    title: 'No account yet',
    text: 'Until there is one, you can create test links only. Have the tax number and bank account of the practice at hand.',
    button: 'Open an account',
  },
  sandbox: {
    title: 'Simulated',
    text: 'This service runs with a simulated processor. No money moves, and nothing needs to be set up.',
    button: 'Check again',
  },
};

const PROCESSORS = { sandbox: 'Simulation', stripe: 'Stripe' };

const STATEMENT = {
  title: 'Name on statements',
  text: 'Patients see the name of your account at the processor on their statements. You change that name at the processor. For cards you can add a word here: then the first ten characters of the name stand before it. Bank debits have the name alone.',
  suffix: 'Addition for cards',
  suffixHelp:
    'At most 10 characters, such as DENTAL. Do not name a treatment: others may read the statement. Leave it empty for none.',
  button: 'Save the addition',
};

const WALLETS = {
  title: 'Apple Pay and Google Pay',
  text: 'The form for cards offers them on devices that have them. Register the domain of the payment pages for your account at Stripe first: without it, they do not appear.',
  button: 'Save',
};

export async function showAccount(visit: MemberVisit, error?: string): Promise<ui.ConsolePage> {
  const { processor } = visit;
  const practice = await getPractice(fresh(visit.scope), visit.member.practiceId);
  const implied = processor.accounts.implied(practice.id);
  const state = findState(processor, practice);
  const { paymentsEnabled, bankDebitsEnabled, walletsEnabled, statementDescriptorSuffix: suffix } = practice;
  const path = visit.path('/settings/payment-account');
  const words = (isEnabled: boolean) => (isEnabled ? 'Yes' : 'No');
  const input = visit.fields.get('suffix');
  const look = { ...ui.CODE, autocapitalize: 'characters', maxlength: MAX_SUFFIX_LENGTH, isWrong: input !== undefined };
  return ui.page('Payment account', { error, done: doneText(visit) }, [
    tabs(visit, 'account'),
    ui.lead('The account at the payment processor, which charges patients and pays you.'),
    ui.card(STATES[state].title, [
      ui.text(STATES[state].text),
      ui.facts('facts pairs', [
        ['Processor', PROCESSORS[processor.name]],
        ['Account', ui.own((implied?.id ?? practice.processorAccountId) || 'none')],
        ['Payments', words(paymentsEnabled)],
        ['Bank debits', words(paymentsEnabled && bankDebitsEnabled)],
      ]),
      ui.form(path, { className: '', button: STATES[state].button }),
    ]),
    processor.offersWallets &&
      ui.form(
        `${path}/wallets`,
        WALLETS,
        ui.check('wallets', 'Offer Apple Pay and Google Pay', visit.fields.has('wallets') || walletsEnabled),
      ),
    ui.form(`${path}/statement`, STATEMENT, [
      suffix !== null && ui.text([`On card statements: `, ui.mark('b', `YOUR NAME* ${suffix}`)]),
      ui.fields(STATEMENT, { suffix: input ?? suffix }, { suffix: look }),
    ]),
  ]);
}

/** Opens the account, or asks the processor about it again. Onboarding goes on by a link: our policy lets no form lead to another host. */
export async function openOnboarding(visit: MemberVisit): Promise<Reply> {
  const { scope, processor } = visit;
  const { practiceId } = visit.member;
  await inTransaction(fresh(scope), async (scope) => {
    auditChange(scope, byPerson(visit), { action: 'onboarding.opened', after: { processor: processor.name } });
  });
  const returnUrl = `${scope.publicUrl}${ONBOARDED_PATH}`;
  try {
    const { onboardingUrl } = await openAccount(fresh(scope), processor, practiceId, returnUrl);
    if (onboardingUrl === null)
      return { ...(await showAccount(visit)), done: 'Nothing is left to do at the processor.' };
    const onward = ui.link(onboardingUrl, 'Continue', { class: 'button', rel: 'noreferrer' });
    return ui.page('Continue at the processor', {}, [
      tabs(visit, 'account'),
      ui.card(null, [
        ui.text(
          'The processor asks for the data of your practice on its own pages. The address works once, for a few minutes.',
        ),
        ui.text(onward),
      ]),
    ]);
  } catch (error) {
    if (!(error instanceof ProcessorUnavailable)) throw error;
    const sentence = 'The payment processor does not answer at the moment. Try again in a few minutes.';
    return { ...(await showAccount(visit, sentence)), status: 503 };
  }
}

/** Switches Apple Pay and Google Pay on or off. A processor without them has no such form. */
export async function saveWallets(visit: MemberVisit): Promise<Reply> {
  if (!visit.processor.offersWallets) return problem('invalid_form');
  const walletsEnabled = visit.fields.get('wallets') === 'on';
  return savePracticeChange(visit, '/settings/payment-account?done=saved', { walletsEnabled });
}

export const saveStatement = catchRefusals((visit: MemberVisit) => {
  const input = visit.fields.get('suffix') ?? '';
  const changes = { statementDescriptorSuffix: input.trim() === '' ? null : input };
  return savePracticeChange(visit, '/settings/payment-account?done=saved', changes);
}, showAccount);

function findState({ accounts }: Processor, practice: Practice) {
  if (accounts.implied(practice.id) !== null) return 'sandbox';
  if (practice.processorAccountId === null) return 'none';
  if (!practice.paymentsEnabled) return 'unfinished';
  return practice.bankDebitsEnabled ? 'ready' : 'cards_only';
}
