import { normalizeEmail } from '../../platform/base/email.ts';
import { parseName } from '../../platform/base/text.ts';
import * as ui from '../../web/blocks.ts';
import { ASSETS } from '../browser/assets.ts';
import { acceptByToken, findInvitation } from '../identity/people/accept.ts';
import { MAX_PERSON_NAME_LENGTH } from '../identity/people/members.ts';
import { admitMailRequest, findSender } from '../identity/sign-in/limits.ts';
import { signInByPasskey, signInOptions } from '../identity/sign-in/passkeys.ts';
import { requestSignIn } from '../identity/sign-in/requests.ts';
import { secondsLeft, signIn } from '../identity/sign-in/sessions.ts';
import { findTokenPerson, TOKEN_PATTERN } from '../identity/sign-in/tokens.ts';
import { PEOPLE_REFUSALS } from '../model/refusals.ts';
import { ROLE_TEXTS } from '../render/labels.ts';
import { catchRefusals, explainFaults } from '../routing/handlers.ts';
import type { Frame, Refusal, Reply, Visit } from '../routing/visit.ts';
import { findFault, practicePath, problem, refuseFields, signInPath } from '../routing/visit.ts';

const SIGN_IN_PAGE = {
  title: 'Sign in',
  text: 'Enter your email address. We send you a link that signs you in; there is no password.',
};

const EXPIRED = {
  title: 'This link no longer works',
  text:
    'A link to sign in works once, for 15 minutes. Enter your email address to get a new one. An invitation works once, for ' +
    '7 days. Ask the practice to send it again.',
};

const SIGN_IN = '/console/sign-in';

/** Shows the form. To a browser with the cookie of a session that has ended, it says so. */
export async function showForm(visit: Visit): Promise<Reply> {
  const { scope, cookie, query } = visit;
  const hasEnded = cookie !== null && (await secondsLeft(scope, cookie)) === 0;
  return signInPage(visit, SIGN_IN_PAGE, { isSignedOut: hasEnded || query.get('done') === 'signed_out' });
}

/** Answers the same for known and unknown addresses, after the same work: the job finds the person. */
export async function request(visit: Visit): Promise<Reply> {
  const { scope, fields } = visit;
  const sender = await findSender(scope, visit);
  const email = normalizeEmail(fields.get('email') ?? '');
  const returnPath = visit.pagePath(fields.get('to'));
  if (email === null) return signInPage(visit, SIGN_IN_PAGE, { error: PEOPLE_REFUSALS.invalid_email });
  const byMail = await admitMailRequest(scope, sender, email);
  if (!byMail.granted) return problem('too_many', byMail);
  const device = sender.emails.includes(email) ? sender.device : null;
  await requestSignIn(scope, email, device);
  return { kind: 'redirect', to: signInPath({ returnPath }, '/console/sign-in/sent'), returnPath };
}

/** Shows the form that asks for a mail. The address or the form says to which page the sign-in leads back. */
function signInPage(
  visit: Visit,
  { title, text }: Record<'title' | 'text', string>,
  { isSignedOut = false, ...refused }: { error?: string; status?: number; isSignedOut?: boolean },
): Reply {
  const { query, fields } = visit;
  const returnPath = visit.pagePath(fields.get('to') ?? query.get('to')) ?? visit.returnPath;
  const isWrong = refused.error !== undefined;
  const look = { ...ui.CODE, type: 'email', autocomplete: 'email', required: true, maxlength: 254, isWrong };
  return ui.page(title, refused, [
    isSignedOut && ui.text('You are signed out. Sign in again to continue.', { class: 'alert', role: 'status' }),
    ui.lead(text),
    ui.form(
      SIGN_IN,
      { button: 'Send me a link', hidden: { to: returnPath ?? '' } },
      ui.field('email', 'Email address', fields.get('email'), look),
    ),
    passkeySignIn(returnPath),
  ]);
}

export async function showSent({ query, pagePath }: Visit): Promise<Reply> {
  const again = signInPath({ returnPath: pagePath(query.get('to')) });
  const question = 'Nothing came? Check the spelling and your spam folder, then send another link';
  return ui.page('Check your inbox', {}, [
    ui.lead('If this address may sign in, an email with a link is on its way. The link works once, for 15 minutes.'),
    ui.text(ui.link(again, question, { class: undefined })),
  ]);
}

/** Answers the same to everybody: the browser looks for a passkey of this site itself. */
export async function passkeyOptions({ scope }: Visit): Promise<Reply> {
  return { kind: 'json', body: await signInOptions(scope) };
}

export async function confirmByPasskey(visit: Visit): Promise<Reply> {
  const { scope, fields } = visit;
  const cookies = await signInByPasskey(scope, fields.get('response') ?? '', visit);
  if (cookies !== null) return { kind: 'redirect', to: visit.pagePath(fields.get('to')) ?? '/console', ...cookies };
  return signInPage(visit, SIGN_IN_PAGE, { error: 'This passkey does not work here. Ask for a link.' });
}

/** Shows the button that signs in. Opening the address changes nothing, because mail scanners open it too. */
export async function showLink(visit: Visit, error?: string): Promise<Reply> {
  const token = readToken(visit);
  const person = token === null ? null : await findTokenPerson(visit.scope, token);
  if (person === null) return token === null ? showExpired(visit) : showInvitation(visit, token, error);
  const form = ui.form(visit.requestPath, { text: ui.own(`You will sign in as ${person.email}.`), button: 'Sign in' });
  return ui.page('Sign in to the console', {}, form);
}

/** Shows who invites, before anything begins. A refused form keeps what was typed. */
async function showInvitation(visit: Visit, token: string, error?: string): Promise<Reply> {
  const invitation = await findInvitation(visit.scope, token);
  if (invitation === null) return showExpired(visit);
  const { practice, role, email, needsName } = invitation;
  const offer = `The practice “${practice}” invites you to its console, as: ${ROLE_TEXTS[role].name}.`;
  const result = `If you accept, you belong to the practice as ${email}, and its administrators see your acts for it.`;
  return ui.page('Invitation', explainFaults(visit, error), [
    ui.form(visit.requestPath, { text: ui.own(offer), button: 'Accept the invitation' }, [
      ui.text(ui.own(result)),
      needsName && nameField('name', visit.fields.get('name'), findFault(visit, 'name')),
    ]),
  ]);
}

export const confirm = catchRefusals(async (visit: Visit) => {
  const token = readToken(visit);
  if (token === null) return showExpired(visit);
  const cookies = await signIn(visit.scope, token, visit);
  if (cookies === null) return accept(visit, token);
  return { kind: 'redirect', to: visit.askedPath ?? '/console', ...cookies, returnPath: null };
}, showLink);

async function accept(visit: Visit, token: string): Promise<Reply | Refusal> {
  const name = parseName(visit.fields.get('name') ?? '', MAX_PERSON_NAME_LENGTH);
  const acceptance = await acceptByToken(visit.scope, token, visit, name);
  if (acceptance === null) return showExpired(visit);
  if ('refusals' in acceptance) return refuseFields([{ id: 'name', sentence: PEOPLE_REFUSALS.no_name }]);
  const { practiceId, cookies } = acceptance;
  // Without a session of the person, the page of the practice asks for a sign-in.
  return cookies === null
    ? { kind: 'redirect', to: practicePath({ practiceId }) }
    : { kind: 'redirect', to: '/console', ...cookies };
}

function showExpired(visit: Visit): Reply {
  return signInPage(visit, EXPIRED, { status: 410 });
}

function readToken({ params: { token = '' } }: Visit): string | null {
  return TOKEN_PATTERN.test(token) ? token : null;
}

const PASSKEY_SIGN_IN = {
  title: 'Or use a passkey',
  text: 'If you have added a passkey, your fingerprint, face or PIN is enough.',
  button: 'Sign in with a passkey',
  failed: 'No passkey was used. Ask for a link instead.',
};

/** Returns the field for the name of a person. */
export function nameField(id: string, name: string | null | undefined, fault?: string): ui.Block {
  const look = { required: true, maxlength: MAX_PERSON_NAME_LENGTH, autocomplete: 'name', fault };
  return ui.field(id, 'First and last name', name, { ...look, hint: 'Your practice sees it beside your address.' });
}

/** Returns the forms by which the signed-in person signs in again: by a mailed link, or by a passkey. */
export function signInAgain(
  { returnPath }: Pick<Frame, 'returnPath'>,
  words: { title?: string; text: ui.Content },
): ui.Content {
  const form = { ...words, button: 'Send me a link', hidden: { to: returnPath ?? '' } };
  return [ui.form('/console/confirm', form), passkeySignIn(returnPath)];
}

function passkeySignIn(returnPath: string | null): ui.Content {
  return passkeyForm('/console/sign-in/passkey', 'sign-in', PASSKEY_SIGN_IN, { hidden: { to: returnPath ?? '' } });
}

/** Returns a form that asks the browser for a passkey, for browsers with scripts. */
export function passkeyForm(
  path: string,
  purpose: 'sign-in' | 'add',
  { title, text, failed, button }: Record<'title' | 'text' | 'failed' | 'button', string>,
  { hidden = {}, field = null }: { hidden?: Readonly<Record<string, string>>; field?: ui.Content },
): ui.Content {
  const { passkeys } = ASSETS;
  const words = {
    title,
    text,
    button,
    className: 'card passkey',
    hidden: { ...hidden, response: '' },
    attributes: { 'data-purpose': purpose, 'data-options': `${path}/options`, hidden: true },
  };
  const fault = ui.text(failed, { class: 'alert stop', role: 'alert', hidden: true });
  return [
    ui.element('script', { src: passkeys.address().path, defer: true }, ''),
    ui.form(path, words, [fault, field]),
  ];
}
