import { normalEmail } from '../../base/email.ts';
import { acceptByToken, findInvitation } from '../people/accept.ts';
import * as ui from '../render/blocks.ts';
import { practicePath, type Reply, type Route, type Visit } from '../routing/route.ts';
import { CONTINUE_PATH, keptFields, keptForm, MAX_KEPT_BYTES } from '../routing/step-up.ts';
import { senderOf } from '../sign-in/devices.ts';
import { admitMailRequest, admitSignInForm } from '../sign-in/limits.ts';
import { signInByPasskey, signInOptions } from '../sign-in/passkeys.ts';
import { requestSignIn } from '../sign-in/requests.ts';
import { signInPath } from '../sign-in/return-path.ts';
import { type SigningBrowser, signIn } from '../sign-in/sessions.ts';
import { findTokenPerson, TOKEN_PATTERN } from '../sign-in/tokens.ts';
import { TEXTS } from '../texts/texts.ts';

/** The pages on which people sign in. */
export const SIGN_IN_ROUTES: readonly Route[] = [
  { name: 'sign_in.form', method: 'GET', path: '/console/sign-in', access: 'public', handle: showForm },
  { name: 'sign_in.request', method: 'POST', path: '/console/sign-in', access: 'public', handle: request },
  { name: 'sign_in.sent', method: 'GET', path: '/console/sign-in/sent', access: 'public', handle: showSent },
  {
    name: 'sign_in.passkey_options',
    method: 'POST',
    path: '/console/sign-in/passkey/options',
    access: 'public',
    handle: passkeyOptions,
  },
  {
    name: 'sign_in.passkey',
    method: 'POST',
    path: '/console/sign-in/passkey',
    access: 'public',
    maxFormBytes: MAX_KEPT_BYTES,
    handle: confirmByPasskey,
  },
  { name: 'sign_in.link', method: 'GET', path: '/console/sign-in/:token', access: 'public', handle: showLink },
  { name: 'sign_in.confirm', method: 'POST', path: '/console/sign-in/:token', access: 'public', handle: confirm },
];

async function showForm({ language, query, pagePath }: Visit): Promise<Reply> {
  const { title, text } = TEXTS[language].signIn;
  const view = { text, ended: query.has('ended'), returnPath: pagePath(query.get('to')) };
  return { kind: 'page', template: 'sign-in', title, view };
}

/** Answers the same for known and unknown addresses, after the same work: the job finds the person. */
async function request(visit: Visit): Promise<Reply> {
  const { scope, language, fields } = visit;
  const sender = await senderOf(scope, visit);
  const byClient = await admitSignInForm(scope, sender);
  if (!byClient.granted) return tooMany(byClient.retrySeconds);
  const text = fields.get('email') ?? '';
  const email = normalEmail(text);
  if (email === null) return refuseEmail(visit, text);
  const byMail = await admitMailRequest(scope, sender, email);
  if (!byMail.granted) return tooMany(byMail.retrySeconds);
  const returnPath = visit.pagePath(fields.get('to'));
  const device = sender.emails.includes(email) ? sender.device : null;
  await requestSignIn(scope, { email, language, device });
  return { kind: 'redirect', to: signInPath({ page: '/console/sign-in/sent', returnPath }), returnPath };
}

function refuseEmail({ language, fields, pagePath }: Visit, email: string): Reply {
  const { signIn, people } = TEXTS[language];
  const returnPath = pagePath(fields.get('to'));
  const view = { text: signIn.text, email, error: people.refusals.invalid_email, returnPath };
  return { kind: 'page', status: 422, template: 'sign-in', title: signIn.title, view };
}

async function showSent({ language, query, pagePath }: Visit): Promise<Reply> {
  const again = signInPath({ returnPath: pagePath(query.get('to')) });
  const { sent: t } = TEXTS[language];
  return ui.page(t.title, [ui.lead(t.text), ui.text(ui.link(again, t.again, { class: undefined }))]);
}

/** Answers the same to everybody: the browser looks for a passkey of this site itself. */
async function passkeyOptions(visit: Visit): Promise<Reply> {
  const { scope } = visit;
  const slot = await admitSignInForm(scope, await senderOf(scope, visit));
  if (!slot.granted) return tooMany(slot.retrySeconds);
  return { kind: 'json', body: await signInOptions(scope) };
}

async function confirmByPasskey(visit: Visit): Promise<Reply> {
  const { scope, language, fields } = visit;
  const slot = await admitSignInForm(scope, await senderOf(scope, visit));
  if (!slot.granted) return tooMany(slot.retrySeconds);
  const returnPath = visit.pagePath(fields.get('to'));
  const cookies = await signInByPasskey(scope, fields.get('response') ?? '', browserOf(visit));
  const form = keptForm(visit);
  if (cookies !== null && form !== null) return { kind: 'redirect', to: CONTINUE_PATH, keepsForm: true, ...cookies };
  if (cookies !== null) return { kind: 'redirect', to: returnPath ?? '/console', ...cookies };
  const { signIn, ownAccount } = TEXTS[language];
  const view = { text: signIn.text, error: ownAccount.signIn.refused, returnPath, kept: keptFields(form) };
  return { kind: 'page', status: 422, template: 'sign-in', title: signIn.title, view };
}

/** Shows the button that signs in. Opening the address changes nothing, because mail scanners open it too. */
async function showLink(visit: Visit): Promise<Reply> {
  const token = tokenOf(visit);
  const person = token === null ? null : await findTokenPerson(visit.scope, token);
  if (person === null) return token === null ? showExpired(visit) : showInvitation(visit, token);
  const { title } = TEXTS[visit.language].confirm;
  return { kind: 'page', template: 'confirm', title, view: { email: person.email } };
}

/** Shows who invites, before anything begins. */
async function showInvitation(visit: Visit, token: string): Promise<Reply> {
  const invitation = await findInvitation(visit.scope, token);
  if (invitation === null) return showExpired(visit);
  return { kind: 'page', template: 'invitation', title: TEXTS[visit.language].invitation.title, view: invitation };
}

async function confirm(visit: Visit): Promise<Reply> {
  const { scope } = visit;
  const slot = await admitSignInForm(scope, await senderOf(scope, visit));
  if (!slot.granted) return tooMany(slot.retrySeconds);
  const token = tokenOf(visit);
  if (token === null) return showExpired(visit);
  const done = await signIn(scope, token, browserOf(visit));
  if (done === null) return accept(visit, token);
  return { kind: 'redirect', to: visit.askedPath ?? '/console', ...done, returnPath: null };
}

async function accept(visit: Visit, token: string): Promise<Reply> {
  const accepted = await acceptByToken(visit.scope, token, browserOf(visit));
  if (accepted === null) return showExpired(visit);
  const { practiceId, cookies } = accepted;
  // Without a session of the person, the page of the practice asks for a sign-in.
  return cookies === null
    ? { kind: 'redirect', to: practicePath({ practiceId }) }
    : { kind: 'redirect', to: '/console', ...cookies };
}

function browserOf({ cookie, device, address }: Visit): SigningBrowser {
  return { formerCookie: cookie, formerDevice: device, address };
}

/** Answers unknown, used and late addresses alike. */
function showExpired({ language }: Visit): Reply {
  const { title, text } = TEXTS[language].expired;
  return { kind: 'page', status: 410, template: 'sign-in', title, view: { text } };
}

function tokenOf({ params: { token = '' } }: Visit): string | null {
  return TOKEN_PATTERN.test(token) ? token : null;
}

function tooMany(retrySeconds: number): Reply {
  return { kind: 'problem', problem: 'too_many', status: 429, retrySeconds };
}
