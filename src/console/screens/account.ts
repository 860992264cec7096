import { parseName } from '../../platform/base/text.ts';
import * as ui from '../../web/blocks.ts';
import { MAX_PERSON_NAME_LENGTH, renamePerson } from '../identity/people/members.ts';
import * as passkeys from '../identity/sign-in/passkeys.ts';
import { requestSignIn } from '../identity/sign-in/requests.ts';
import type { OwnSession } from '../identity/sign-in/sessions.ts';
import * as sessions from '../identity/sign-in/sessions.ts';
import { hashToken } from '../identity/sign-in/tokens.ts';
import type { Passkey } from '../model/passkey.entity.ts';
import { FRESH_SIGN_IN, PEOPLE_REFUSALS } from '../model/refusals.ts';
import { ROLE_TEXTS } from '../render/labels.ts';
import { doneText, type PersonVisit, practicePath, problem, type Reply, type Visit } from '../routing/visit.ts';
import { type Formats, readPracticeFormats } from './formats.ts';
import { nameField, passkeyForm, signInAgain } from './sign-in.ts';

const DONE = {
  session_ended: 'The session is ended.',
  added: 'The passkey is added for your next sign-in.',
  removed: 'The passkey no longer signs in. You can delete it from your device, too.',
};

const REFUSALS = {
  invalid: 'The passkey was not accepted. Try again.',
  known: 'This passkey is already in use.',
  too_many: '20 passkeys is the limit. Remove one first.',
  no_name: 'Give the passkey a name, without invisible marks of direction.',
} satisfies Record<passkeys.PasskeyRefusal, string>;

const ADDITION = {
  title: 'Add a passkey',
  text: 'Your device asks for your fingerprint, face or PIN. Add one passkey on each device that you use.',
  failed: 'No passkey was created. Try again.',
  button: 'Add a passkey',
};

const METHODS = { mail: 'emailed link', passkey: 'passkey' };

const ACCOUNT = '/console/account';
const PASSKEYS = `${ACCOUNT}/passkeys`;

export async function showPractices({ session }: PersonVisit): Promise<Reply> {
  const [first, ...others] = session.memberships;
  if (first !== undefined && others.length === 0) return { kind: 'redirect', to: practicePath(first) };
  const cards = session.memberships.map((member) => {
    const name = ui.element('a', { href: practicePath(member) }, ui.own(member.practiceName));
    return ui.mark('li', [name, ' ', ui.mark('span', ROLE_TEXTS[member.role].name, 'quiet')], 'card');
  });
  return ui.page('Choose a practice', {}, ui.mark('ul', cards, 'cards'));
}

export async function showAccount(visit: PersonVisit, error?: string): Promise<Reply> {
  const { scope, session, fields } = visit;
  const formats = await readPracticeFormats(visit);
  const ownPasskeys = await passkeys.listPasskeys(scope, session.personId);
  return ui.page('Your account', { error, done: doneText(visit, DONE) }, [
    ui.lead(ui.own(`You are signed in as ${session.email}.`)),
    ui.form(`${ACCOUNT}/name`, { title: 'Your name', button: 'Save' }, [
      nameField('person-name', fields.get('person-name') ?? session.name),
    ]),
    ui.heading('Passkeys'),
    ui.text(
      'With a passkey you sign in by the fingerprint, face or PIN of your device, without an email. The passkey stays on ' +
        'your device or in your password manager. It works on this site only, so no fake site can steal it.',
    ),
    ownPasskeys.length === 0 ? ui.text('You have no passkey yet.') : passkeyCards(ownPasskeys, formats),
    sessions.isSignInFresh(scope, session)
      ? passkeyToAdd(fields.get('name') ?? '')
      : signInAgain(visit, { title: 'Add a passkey', text: FRESH_SIGN_IN }),
    ui.heading('Where you are signed in'),
    ui.text(
      'A session ends after 15 minutes without a click. End any that you do not recognize, and remove passkeys that you do not recognize.',
    ),
    sessionTable(visit, await sessions.listSessions(scope, session.personId), formats),
  ]);
}

function passkeyToAdd(name: string): ui.Content {
  const look = {
    required: true,
    maxlength: passkeys.MAX_NAME_LENGTH,
    autocomplete: 'off',
    hint: 'A name by which you know the device, such as “Front desk computer”.',
  };
  const field = ui.field('name', 'Name of the passkey', name, look);
  return [
    passkeyForm(PASSKEYS, 'add', ADDITION, { field }),
    ui.text('Adding a passkey needs JavaScript and a browser that knows passkeys.', { class: 'without-passkeys' }),
  ];
}

function passkeyCards(ownPasskeys: readonly Passkey[], { day }: Formats): ui.Block {
  const cards = ownPasskeys.map(({ id, name, createdAt, lastUsedAt }) => {
    const added = `Added on ${day(createdAt)}.`;
    const usage = lastUsedAt === null ? 'Not used yet.' : `Last used on ${day(lastUsedAt)}.`;
    const removal = { button: 'Remove', label: ui.own(`Yes, remove “${name}”`), className: '' };
    return ui.mark(
      'li',
      [ui.mark('h3', ui.own(name)), ui.text(`${added} ${usage}`), ui.form(`${PASSKEYS}/${id}/remove`, removal)],
      'card',
    );
  });
  return ui.mark('ul', cards, 'cards');
}

function sessionTable({ session }: PersonVisit, rows: readonly OwnSession[], { time, caption }: Formats): ui.Block {
  const ownId = session.hash.toString('hex');
  const device = ({ deviceName }: OwnSession) => deviceName ?? 'Unknown browser';
  const end = (one: OwnSession) => {
    const named = { look: 'quiet', label: `End the session: ${device(one)}`, hidden: { session: one.id } } as const;
    return ui.button(`${ACCOUNT}/sessions/end`, 'End', named);
  };
  return ui.table(
    'Where you are signed in',
    rows,
    [
      ['Browser and device', (one) => [device(one), one.id === ownId && ui.mark('span', ` (this one)`, 'quiet')]],
      ['Signed in', ({ signedInAt }) => time(signedInAt)],
      ['By', ({ method }) => METHODS[method]],
      ['Last used', ({ lastUsedAt }) => time(lastUsedAt)],
      ['End', (one) => one.id !== ownId && end(one)],
    ],
    { caption },
  );
}

export async function rename(visit: PersonVisit): Promise<Reply> {
  const name = parseName(visit.fields.get('person-name') ?? '', MAX_PERSON_NAME_LENGTH);
  if (name === null) return showAccount(visit, PEOPLE_REFUSALS.no_name);
  await renamePerson(visit.scope, visit.actor, name);
  return { kind: 'redirect', to: `${ACCOUNT}?done=saved` };
}

export async function passkeyOptions({ scope, session }: PersonVisit): Promise<Reply> {
  return { kind: 'json', body: await passkeys.registrationOptions(scope, session) };
}

export async function addOwnPasskey(visit: PersonVisit): Promise<Reply> {
  const { scope, actor, fields } = visit;
  const result = await passkeys.addPasskey(scope, actor, fields.get('name') ?? '', fields.get('response') ?? '');
  if (result === 'done') return { kind: 'redirect', to: `${ACCOUNT}?done=added` };
  return showAccount(visit, REFUSALS[result]);
}

export async function removeOwnPasskey({ scope, actor, params }: PersonVisit): Promise<Reply> {
  const isRemoved = await passkeys.removePasskey(scope, actor, params.passkeyId ?? '');
  return isRemoved ? { kind: 'redirect', to: `${ACCOUNT}?done=removed` } : problem('not_found');
}

/** Ends a session of the person, in this or another browser. A field names it, so no log of addresses has its hash. */
export async function endOneSession({ scope, actor, session, fields }: PersonVisit): Promise<Reply> {
  const hash = Buffer.from(fields.get('session') ?? '', 'hex');
  if (!(await sessions.signOut(scope, hash, actor))) return problem('not_found');
  if (hash.equals(session.hash)) return { kind: 'redirect', to: '/console/sign-in?done=signed_out', cookie: null };
  return { kind: 'redirect', to: `${ACCOUNT}?done=session_ended` };
}

export async function endSession({ scope, session, actor }: PersonVisit): Promise<Reply> {
  await sessions.signOut(scope, session.hash, actor);
  return { kind: 'redirect', to: '/console/sign-in?done=signed_out', cookie: null };
}

export async function signOutOfAll({ scope, actor }: PersonVisit): Promise<Reply> {
  await sessions.signOutEverywhere(scope, actor);
  return { kind: 'redirect', to: '/console/sign-in?done=signed_out', cookie: null };
}

/** Says for how long the session lasts, to an idle page before it leaves the screen. Another tab may have used the session. */
export async function showLeft({ scope, cookie }: Visit): Promise<Reply> {
  return { kind: 'json', body: { seconds: cookie === null ? 0 : await sessions.secondsLeft(scope, cookie) } };
}

export async function requestConfirmation(visit: PersonVisit): Promise<Reply> {
  const { scope, session, fields, cookie } = visit;
  const returnPath = visit.pagePath(fields.get('to'));
  // The session counts as a known device. No other browser has its hash.
  const device = cookie === null ? null : hashToken(cookie);
  await requestSignIn(scope, session.email, device);
  return { kind: 'redirect', to: '/console/confirm', returnPath };
}

export async function showSent(): Promise<Reply> {
  return ui.page('Confirm that it is you', { done: 'The link is on its way. Open it in this browser.' }, null);
}
