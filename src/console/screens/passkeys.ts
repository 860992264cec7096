import type { Passkey } from '../model/passkey.entity.ts';
import * as ui from '../render/blocks.ts';
import { get, type PersonVisit, post, problem, type Reply, type Route } from '../routing/route.ts';
import { doneText, isConfirmed, notFound } from '../routing/visit.ts';
import { admitPersonForm } from '../sign-in/limits.ts';
import { addPasskey, listPasskeys, MAX_NAME_LENGTH, registrationOptions, removePasskey } from '../sign-in/passkeys.ts';
import { isFresh } from '../sign-in/sessions.ts';
import type { PasskeyRefusal } from '../texts/account.ts';
import { dayText } from './formats.ts';

const ACCOUNT = '/console/account';
const PASSKEYS = `${ACCOUNT}/passkeys`;

export const PASSKEY_ROUTES: readonly Route[] = [
  get('account', ACCOUNT, 'person', (visit) => showAccount(visit)),
  post('account.passkey_options', `${PASSKEYS}/options`, 'person', options, { sensitive: true }),
  post('account.passkey_add', PASSKEYS, 'person', add, { sensitive: true }),
  post('account.passkey_remove', `${PASSKEYS}/:passkeyId/remove`, 'person', remove, { sensitive: true }),
];

async function showAccount(visit: PersonVisit, refused?: { name: string; reason: PasskeyRefusal }): Promise<Reply> {
  const { scope, session, query } = visit;
  const { ownAccount: t, people } = visit.t;
  const passkeys = await listPasskeys(scope, session.personId);
  const unconfirmed = query.get('refused') === 'not_confirmed' ? people.refusals.not_confirmed : undefined;
  const view = {
    passkeys: passkeys.length === 0 ? ui.text(t.passkeys.none) : passkeyCards(visit, passkeys, PASSKEYS),
    isFresh: isFresh(scope, session),
    maxNameLength: MAX_NAME_LENGTH,
    name: refused?.name ?? '',
    returnPath: ACCOUNT,
    error: refused === undefined ? unconfirmed : t.refusals[refused.reason],
    done: doneText(visit, t.done),
  };
  return { kind: 'page', status: refused === undefined ? 200 : 422, template: 'account', title: t.title, view };
}

/** Shows passkeys, each with the form that removes it. Forms are sent to paths below the given one. */
export function passkeyCards({ t, language }: PersonVisit, passkeys: readonly Passkey[], path: string): ui.Block {
  const { passkeys: words, remove } = t.ownAccount;
  const cards = passkeys.map(({ id, name, createdAt, lastUsedAt }) => {
    const added = words.added(dayText(createdAt, language));
    const used = lastUsedAt === null ? words.neverUsed : words.lastUsed(dayText(lastUsedAt, language));
    const removal = { button: remove.button, label: ui.own(remove.label(name)) };
    return ui.mark(
      'li',
      [
        ui.mark('h3', ui.own(name)),
        ui.text(`${added} ${used}`),
        ui.act(`${path}/${id}/remove`, removal, { className: '', confirmId: `confirmed-${id}` }),
      ],
      'card',
    );
  });
  return ui.mark('ul', cards, 'cards');
}

async function options({ scope, session }: PersonVisit): Promise<Reply> {
  const slot = await admitPersonForm(scope, session.personId);
  if (!slot.granted) return problem('too_many', slot);
  return { kind: 'json', body: await registrationOptions(scope, session) };
}

async function add(visit: PersonVisit): Promise<Reply> {
  const { scope, fields } = visit;
  const [name, response] = [fields.get('name') ?? '', fields.get('response') ?? ''];
  const result = await addPasskey(scope, visit.actor, { name, response });
  if (result === 'done') return { kind: 'redirect', to: `${ACCOUNT}?done=added` };
  return showAccount(visit, { name, reason: result });
}

async function remove(visit: PersonVisit): Promise<Reply> {
  const { scope, params, session } = visit;
  if (!isConfirmed(visit)) return { kind: 'redirect', to: `${ACCOUNT}?refused=not_confirmed` };
  const removed = await removePasskey(scope, visit.actor, session.personId, params.passkeyId ?? '');
  return removed ? { kind: 'redirect', to: `${ACCOUNT}?done=removed` } : notFound();
}
