import { parseName } from '../../base/text.ts';
import type { Passkey } from '../model/passkey.entity.ts';
import { MAX_PERSON_NAME_LENGTH, renamePerson } from '../people/users.ts';
import * as ui from '../render/blocks.ts';
import { doneText, type PersonVisit, practicePath, problem, type Reply, type Visit } from '../routing/visit.ts';
import { admitPersonForm } from '../sign-in/limits.ts';
import { addPasskey, listPasskeys, MAX_NAME_LENGTH, registrationOptions, removePasskey } from '../sign-in/passkeys.ts';
import { requestSignIn } from '../sign-in/requests.ts';
import {
  isSignInFresh,
  listSessions,
  type OwnSession,
  secondsLeft,
  signOut,
  signOutEverywhere,
} from '../sign-in/sessions.ts';
import { hashOf } from '../sign-in/tokens.ts';
import { type Formats, readPracticeFormats } from './formats.ts';
import { passkeyForm, signInAgain } from './fresh-sign-in.ts';

const ACCOUNT = '/console/account';
const PASSKEYS = `${ACCOUNT}/passkeys`;

/** Leads to the only practice of the person, or lists all of them. */
export async function showPractices({ session, t }: PersonVisit): Promise<Reply> {
  const [first, ...others] = session.memberships;
  if (first !== undefined && others.length === 0) return { kind: 'redirect', to: practicePath(first) };
  const cards = session.memberships.map((member) => {
    const name = ui.element('a', { href: practicePath(member) }, ui.own(member.practiceName));
    return ui.mark('li', [name, ' ', ui.mark('span', t.roles[member.role].name, 'quiet')], 'card');
  });
  return ui.page(t.practices.title, {}, ui.mark('ul', cards, 'cards'));
}

/** Shows the person's name, passkeys and sessions. A refused form keeps what was typed. */
export async function showAccount(visit: PersonVisit, error?: string): Promise<Reply> {
  const { scope, session, fields } = visit;
  const { ownAccount: t } = visit.t;
  const formats = await readPracticeFormats(visit);
  const passkeys = await listPasskeys(scope, session.personId);
  return ui.page(t.title, { error, done: doneText(visit, t.done) }, [
    ui.lead(ui.own(t.lead(session.email))),
    ui.form(`${ACCOUNT}/name`, { title: t.name.title, button: visit.t.save }, [
      ui.field('person-name', t.name.label, fields.get('person-name') ?? session.name, {
        required: true,
        maxlength: MAX_PERSON_NAME_LENGTH,
        autocomplete: 'name',
        hint: t.name.hint,
      }),
    ]),
    ui.heading(t.passkeys.title),
    ui.text(t.passkeys.about),
    passkeys.length === 0 ? ui.text(t.passkeys.none) : passkeyCards(visit, passkeys, formats),
    isSignInFresh(scope, session)
      ? passkeyToAdd(visit, fields.get('name') ?? '')
      : signInAgain(visit, { title: t.add.title, text: visit.t.freshSignIn.text }),
    ui.heading(t.sessions.title),
    ui.text(t.sessions.text),
    sessionTable(visit, await listSessions(scope, session.personId), formats),
  ]);
}

function passkeyToAdd({ t }: PersonVisit, name: string): ui.Content {
  const { add } = t.ownAccount;
  const look = { required: true, maxlength: MAX_NAME_LENGTH, autocomplete: 'off', hint: add.nameHint };
  const field = ui.field('name', add.name, name, look);
  return [
    passkeyForm(PASSKEYS, 'add', { ...add, button: add.title }, { field }),
    ui.text(add.needsScript, { class: 'without-passkeys' }),
  ];
}

/** Shows passkeys, each with the form that removes it. */
function passkeyCards(visit: PersonVisit, passkeys: readonly Passkey[], { day }: Formats): ui.Block {
  const { passkeys: words, remove } = visit.t.ownAccount;
  const cards = passkeys.map(({ id, name, createdAt, lastUsedAt }) => {
    const added = words.added(day(createdAt));
    const used = lastUsedAt === null ? words.neverUsed : words.lastUsed(day(lastUsedAt));
    const removal = { button: remove.button, label: ui.own(remove.label(name)), className: '' };
    return ui.mark(
      'li',
      [ui.mark('h3', ui.own(name)), ui.text(`${added} ${used}`), ui.form(`${PASSKEYS}/${id}/remove`, removal)],
      'card',
    );
  });
  return ui.mark('ul', cards, 'cards');
}

/** Shows sessions, each with the form that ends it. */
function sessionTable(
  { session, t }: PersonVisit,
  sessions: readonly OwnSession[],
  { time, caption }: Formats,
): ui.Block {
  const { sessions: words } = t.ownAccount;
  const ownId = session.hash.toString('hex');
  const device = ({ deviceName }: OwnSession) => deviceName ?? words.unknownDevice;
  const end = (one: OwnSession) => {
    const named = { look: 'quiet', label: words.endLabel(device(one)), hidden: { session: one.id } } as const;
    return ui.button(`${ACCOUNT}/sessions/end`, words.end, named);
  };
  return ui.table(
    words.title,
    sessions,
    [
      [words.device, (one) => [device(one), one.id === ownId && ui.mark('span', ` (${words.own})`, 'quiet')]],
      [words.signedIn, ({ signedInAt }) => time(signedInAt)],
      [words.method, ({ method }) => t.ownAccount.sessions.methods[method]],
      [t.labels.lastUsed, ({ lastUsedAt }) => time(lastUsedAt)],
      [words.end, (one) => one.id !== ownId && end(one)],
    ],
    { caption },
  );
}

export async function rename(visit: PersonVisit): Promise<Reply> {
  const name = parseName(visit.fields.get('person-name') ?? '', MAX_PERSON_NAME_LENGTH);
  if (name === null) return showAccount(visit, visit.t.people.refusals.no_name);
  await renamePerson(visit.scope, visit.actor, name);
  return { kind: 'redirect', to: `${ACCOUNT}?done=saved` };
}

export async function passkeyOptions({ scope, session }: PersonVisit): Promise<Reply> {
  const slot = await admitPersonForm(scope, session.personId);
  if (!slot.granted) return problem('too_many', slot);
  return { kind: 'json', body: await registrationOptions(scope, session) };
}

export async function addOwnPasskey(visit: PersonVisit): Promise<Reply> {
  const { scope, fields } = visit;
  const [name, response] = [fields.get('name') ?? '', fields.get('response') ?? ''];
  const result = await addPasskey(scope, visit.actor, { name, response });
  if (result === 'done') return { kind: 'redirect', to: `${ACCOUNT}?done=added` };
  return showAccount(visit, visit.t.ownAccount.refusals[result]);
}

export async function removeOwnPasskey({ scope, actor, params }: PersonVisit): Promise<Reply> {
  const removed = await removePasskey(scope, actor, params.passkeyId ?? '');
  return removed ? { kind: 'redirect', to: `${ACCOUNT}?done=removed` } : problem('not_found');
}

/** Ends a session of the person, in this or another browser. A field names it, so no log of addresses has its hash. */
export async function endOneSession({ scope, actor, session, fields }: PersonVisit): Promise<Reply> {
  const hash = Buffer.from(fields.get('session') ?? '', 'hex');
  if (!(await signOut(scope, hash, actor))) return problem('not_found');
  if (hash.equals(session.hash)) return { kind: 'redirect', to: '/console/sign-in?done=signed_out', cookie: null };
  return { kind: 'redirect', to: `${ACCOUNT}?done=session_ended` };
}

export async function endSession({ scope, session, actor }: PersonVisit): Promise<Reply> {
  await signOut(scope, session.hash, actor);
  return { kind: 'redirect', to: '/console/sign-in?done=signed_out', cookie: null };
}

export async function signOutOfAll({ scope, actor }: PersonVisit): Promise<Reply> {
  await signOutEverywhere(scope, actor);
  return { kind: 'redirect', to: '/console/sign-in?done=signed_out', cookie: null };
}

/** Counts as use of the session, for people who read a page for long. */
export async function stay(): Promise<Reply> {
  return { kind: 'empty' };
}

/** Says for how long the session lasts, to an idle page before it leaves the screen. Another tab may have used the session. */
export async function showLeft({ scope, cookie }: Visit): Promise<Reply> {
  return { kind: 'json', body: { seconds: cookie === null ? 0 : await secondsLeft(scope, cookie) } };
}

/** Mails a new sign-in link to the signed-in person, for a sensitive action. */
export async function requestConfirmation(visit: PersonVisit): Promise<Reply> {
  const { scope, session, fields, cookie } = visit;
  const slot = await admitPersonForm(scope, session.personId);
  if (!slot.granted) return problem('too_many', slot);
  const returnPath = visit.pagePath(fields.get('to'));
  // The session counts as a known device. Its hash is that of no other browser.
  const device = cookie === null ? null : hashOf(cookie);
  await requestSignIn(scope, { email: session.email, device });
  return { kind: 'redirect', to: '/console/confirm', returnPath };
}

export async function showSent({ t }: PersonVisit): Promise<Reply> {
  const { title, sent } = t.freshSignIn;
  return ui.page(title, { done: sent }, null);
}
