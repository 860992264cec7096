import { type PersonVisit, post, problem, type Reply, type Route } from '../routing/route.ts';
import { isConfirmed, notFound } from '../routing/visit.ts';
import { admitPersonForm } from '../sign-in/limits.ts';
import { addPasskey, registrationOptions, removePasskey } from '../sign-in/passkeys.ts';
import { ACCOUNT, PASSKEYS, showAccount } from './account.ts';

export const PASSKEY_ROUTES: readonly Route[] = [
  post('account.passkey_options', `${PASSKEYS}/options`, 'person', options, { sensitive: true }),
  post('account.passkey_add', PASSKEYS, 'person', add, { sensitive: true }),
  post('account.passkey_remove', `${PASSKEYS}/:passkeyId/remove`, 'person', remove, { sensitive: true }),
];

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
  return showAccount(visit, { passkey: { name, reason: result } });
}

async function remove(visit: PersonVisit): Promise<Reply> {
  const { scope, params } = visit;
  if (!isConfirmed(visit)) return { kind: 'redirect', to: `${ACCOUNT}?refused=not_confirmed` };
  const removed = await removePasskey(scope, visit.actor, params.passkeyId ?? '');
  return removed ? { kind: 'redirect', to: `${ACCOUNT}?done=removed` } : notFound();
}
