import { fresh } from '../../../base/scope.ts';
import { inTransaction } from '../../../database/query/transaction.ts';
import { ONBOARDED_PATH } from '../../../pages/routes.ts';
import { openAccount } from '../../../payment-links/reconcile/onboard.ts';
import { getPractice } from '../../../practices/find.ts';
import type { Practice } from '../../../practices/practice.entity.ts';
import { MAX_SUFFIX, updatePractice } from '../../../practices/service.ts';
import { type Processor, ProcessorUnavailable } from '../../../processors/processor.ts';
import { type MemberVisit, practicePath, type Reply } from '../../routing/route.ts';
import { TEXTS } from '../../texts/texts.ts';
import { changePractice, record, refusalText } from './acts.ts';

/** Result of a form, for the page that answers it. */
interface AccountResult {
  error?: string;
  done?: string;
  /** Addition to the name on statements as the person typed it, if it was refused. */
  refusedSuffix?: string;
}

/** Shows the state of the practice's account at the processor, with the forms for it. */
export async function showAccount(
  visit: MemberVisit,
  { error, done, refusedSuffix }: AccountResult = {},
): Promise<Reply> {
  const { processor, language, query } = visit;
  const { title, wallets, descriptor } = TEXTS[language].settings.account;
  const saved = new Map([
    ['wallets', wallets.saved],
    ['statement', descriptor.saved],
  ]);
  const practice = await getPractice(fresh(visit.scope), visit.member.practiceId);
  const implied = processor.accounts.implied(practice.id);
  const view = {
    state: stateOf(processor, practice),
    processor: processor.name,
    account: (implied?.id ?? practice.processorAccountId) || null,
    paymentsEnabled: practice.paymentsEnabled,
    bankDebitsEnabled: practice.paymentsEnabled && practice.bankDebitsEnabled,
    walletsEnabled: practice.walletsEnabled,
    suffix: practice.statementDescriptorSuffix,
    suffixInput: refusedSuffix ?? practice.statementDescriptorSuffix ?? '',
    isSuffixRefused: refusedSuffix !== undefined,
    maxSuffix: MAX_SUFFIX,
    button: buttonOf(processor, practice),
    error,
    done: done ?? (error === undefined ? saved.get(query.get('done') ?? '') : undefined),
  };
  const refusal = refusedSuffix === undefined ? 503 : 422;
  return { kind: 'page', status: error === undefined ? 200 : refusal, template: 'settings/account', title, view };
}

/**
 * Opens the account, or asks the processor about it again. Shows the address where onboarding goes on as a link: the
 * policy of our pages lets no form lead to another host.
 */
export async function openOnboarding(visit: MemberVisit): Promise<Reply> {
  const { scope, processor, language, member } = visit;
  const { practiceId } = member;
  const t = TEXTS[language].settings.account;
  await inTransaction(fresh(scope), async (scope) => {
    const target = { kind: 'practice', id: practiceId };
    record(visit, scope, { action: 'onboarding.opened', target, before: null, after: { processor: processor.name } });
  });
  const returnUrl = `${scope.publicUrl}${ONBOARDED_PATH}`;
  try {
    const { onboardingUrl } = await openAccount(fresh(scope), processor, practiceId, returnUrl);
    if (onboardingUrl === null) return showAccount(visit, { done: t.complete });
    return { kind: 'page', template: 'settings/onboarding', title: t.next.title, view: { onboardingUrl } };
  } catch (error) {
    if (!(error instanceof ProcessorUnavailable)) throw error;
    return showAccount(visit, { error: t.unavailable });
  }
}

/** Switches Apple Pay and Google Pay on or off. Another processor than Stripe has no such form. */
export async function saveWallets(visit: MemberVisit): Promise<Reply> {
  if (visit.processor.name !== 'stripe') return { kind: 'problem', problem: 'invalid_form', status: 400 };
  const walletsEnabled = visit.fields.get('wallets') === 'on';
  await changePractice(visit, 'settings.changed', (scope, id) => updatePractice(scope, id, { walletsEnabled }));
  return { kind: 'redirect', to: practicePath(visit.member, '/settings/payment-account?done=wallets') };
}

/** Saves the addition to the name on card statements, or removes it for an empty field. */
export async function saveStatement(visit: MemberVisit): Promise<Reply> {
  const input = visit.fields.get('suffix') ?? '';
  const suffix = input.trim() === '' ? null : input;
  try {
    await changePractice(visit, 'settings.changed', (scope, id) =>
      updatePractice(scope, id, { statementDescriptorSuffix: suffix }),
    );
  } catch (error) {
    return showAccount(visit, { error: refusalText(visit, error), refusedSuffix: input });
  }
  return { kind: 'redirect', to: practicePath(visit.member, '/settings/payment-account?done=statement') };
}

function stateOf({ accounts }: Processor, practice: Practice) {
  if (accounts.implied(practice.id) !== null) return 'sandbox';
  if (practice.processorAccountId === null) return 'none';
  if (!practice.paymentsEnabled) return 'unfinished';
  return practice.bankDebitsEnabled ? 'ready' : 'cards_only';
}

function buttonOf({ accounts }: Processor, practice: Practice) {
  if (accounts.implied(practice.id) !== null || practice.paymentsEnabled) return 'check';
  return practice.processorAccountId === null ? 'begin' : 'goOn';
}
