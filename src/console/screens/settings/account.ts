import { fresh } from '../../../base/scope.ts';
import { inTransaction } from '../../../database/query/transaction.ts';
import { ONBOARDED_PATH } from '../../../pages/routes.ts';
import { openAccount } from '../../../payment-links/reconcile/onboard.ts';
import { getPractice } from '../../../practices/find.ts';
import type { Practice } from '../../../practices/practice.entity.ts';
import { MAX_SUFFIX, updatePractice } from '../../../practices/service.ts';
import { type Processor, ProcessorUnavailable } from '../../../processors/processor.ts';
import * as ui from '../../render/blocks.ts';
import { type MemberVisit, practicePath, type Reply } from '../../routing/route.ts';
import { invalidForm } from '../../routing/visit.ts';
import { TEXTS } from '../../texts/texts.ts';
import { changePractice, record, refusalText, tabs } from './acts.ts';

interface AccountResult {
  error?: string;
  done?: string;
  /** Addition to the name on statements as the person typed it, if it was refused. */
  refusedSuffix?: string;
}

export async function showAccount(
  visit: MemberVisit,
  { error, done, refusedSuffix }: AccountResult = {},
): Promise<Reply> {
  const { processor, language, query } = visit;
  const { account: t } = TEXTS[language].settings;
  const { wallets, descriptor } = t;
  const saved = new Map([
    ['wallets', wallets.saved],
    ['statement', descriptor.saved],
  ]);
  const practice = await getPractice(fresh(visit.scope), visit.member.practiceId);
  const implied = processor.accounts.implied(practice.id);
  const state = stateOf(processor, practice);
  const { paymentsEnabled, bankDebitsEnabled, walletsEnabled, statementDescriptorSuffix: suffix } = practice;
  const path = practicePath(visit.member, '/settings/payment-account');
  const words = (isEnabled: boolean) => (isEnabled ? t.table.yes : t.table.no);
  const descriptorFields = [
    ui.text(descriptor.text),
    ...(suffix === null ? [] : [ui.text([`${descriptor.present} `, ui.mark('b', `${descriptor.account}* ${suffix}`)])]),
    ui.field('suffix', descriptor.label, refusedSuffix ?? suffix ?? '', {
      attributes: {
        maxlength: MAX_SUFFIX,
        ...ui.CODE,
        autocapitalize: 'characters',
        'aria-invalid': refusedSuffix === undefined ? undefined : 'true',
      },
      hint: descriptor.help,
    }),
  ];
  const blocks = [
    tabs('account'),
    ui.lead(t.lead),
    ui.section(
      t.states[state].title,
      [
        ui.text(t.states[state].text),
        ui.facts(
          [
            [t.table.processor, t.processors[processor.name]],
            [t.table.account, ui.own((implied?.id ?? practice.processorAccountId) || t.table.none)],
            [t.table.cards, words(paymentsEnabled)],
            [t.table.debits, words(paymentsEnabled && bankDebitsEnabled)],
          ],
          'pairs',
        ),
        ui.form({ action: path, className: undefined, button: t[buttonOf(processor, practice)] }),
      ],
      { class: 'card', 'aria-labelledby': 'state' },
    ),
    processor.offersWallets
      ? ui.form({
          action: `${path}/wallets`,
          title: wallets.title,
          blocks: [ui.text(wallets.text), ui.check('wallets', wallets.label, walletsEnabled)],
          button: wallets.button,
        })
      : null,
    ui.form({
      action: `${path}/statement`,
      title: descriptor.title,
      blocks: descriptorFields,
      button: descriptor.button,
    }),
  ];
  const refusal = refusedSuffix === undefined ? 503 : 422;
  return ui.page(t.title, blocks, {
    status: error === undefined ? 200 : refusal,
    error,
    done: done ?? (error === undefined ? saved.get(query.get('done') ?? '') : undefined),
  });
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
    const onward = {
      tag: 'a',
      attributes: { class: 'button', href: onboardingUrl, rel: 'noreferrer' },
      content: t.next.link,
    } as const;
    return ui.page(t.next.title, [tabs('account'), ui.card(ui.text(t.next.text), ui.text(onward))]);
  } catch (error) {
    if (!(error instanceof ProcessorUnavailable)) throw error;
    return showAccount(visit, { error: t.unavailable });
  }
}

/** Switches Apple Pay and Google Pay on or off. A processor without them has no such form. */
export async function saveWallets(visit: MemberVisit): Promise<Reply> {
  if (!visit.processor.offersWallets) return invalidForm();
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
