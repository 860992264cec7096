import {
  get,
  type PersonVisit,
  post,
  practicePath,
  problem,
  type Reply,
  type Route,
  type Visit,
} from '../routing/route.ts';
import { CONTINUE_PATH, keptForm, MAX_KEPT_BYTES, stepUpPage } from '../routing/step-up.ts';
import { invalidForm } from '../routing/visit.ts';
import { admitPersonForm } from '../sign-in/limits.ts';
import { requestSignIn } from '../sign-in/requests.ts';
import { isFresh, secondsLeft, signOut, signOutEverywhere } from '../sign-in/sessions.ts';
import { hashOf } from '../sign-in/tokens.ts';

export const ACCOUNT_ROUTES: readonly Route[] = [
  get('account.practices', '/console', 'person', showPractices),
  post('account.sign_out', '/console/sign-out', 'person', endSession),
  post('account.sign_out_everywhere', '/console/sign-out-everywhere', 'person', signOutOfAll),
  get('account.stay', '/console/stay', 'person', stay),
  post('account.confirm', '/console/confirm', 'person', requestConfirmation, { maxFormBytes: MAX_KEPT_BYTES }),
  get('account.left', '/console/left', 'public', showLeft),
  get('account.confirm_sent', '/console/confirm', 'person', showSent),
  post('account.continue', CONTINUE_PATH, 'person', continueForm, {
    maxFormBytes: MAX_KEPT_BYTES,
    showsFormAgain: true,
  }),
];

/** Leads to the only practice of the person, or lists all of them. */
async function showPractices({ session, t }: PersonVisit): Promise<Reply> {
  const [first, ...others] = session.memberships;
  if (first !== undefined && others.length === 0) return { kind: 'redirect', to: practicePath(first) };
  return { kind: 'page', template: 'practices', title: t.practices.title, view: {} };
}

async function endSession({ scope, cookie, actor }: PersonVisit): Promise<Reply> {
  if (cookie !== null) await signOut(scope, cookie, actor);
  return { kind: 'redirect', to: '/console/sign-in?ended=1', cookie: null };
}

async function signOutOfAll({ scope, actor }: PersonVisit): Promise<Reply> {
  await signOutEverywhere(scope, actor);
  return { kind: 'redirect', to: '/console/sign-in?ended=1', cookie: null };
}

/** Counts as use of the session, for people who read a page for long. */
async function stay(): Promise<Reply> {
  return { kind: 'empty' };
}

/** Says for how long the session lasts, to an idle page before it leaves the screen. Another tab may have used the session. */
async function showLeft({ scope, cookie }: Visit): Promise<Reply> {
  return { kind: 'json', body: { seconds: cookie === null ? 0 : await secondsLeft(scope, cookie) } };
}

/** Mails a new sign-in link to the signed-in person, for a sensitive action. */
async function requestConfirmation(visit: PersonVisit): Promise<Reply> {
  const { scope, session, language, fields, cookie } = visit;
  const slot = await admitPersonForm(scope, session.personId);
  if (!slot.granted) return problem('too_many', slot);
  const returnPath = visit.pagePath(fields.get('to'));
  // The session counts as a known device. Its hash is that of no other browser.
  const device = cookie === null ? null : hashOf(cookie);
  await requestSignIn(scope, { email: session.email, language, device });
  const form = keptForm(visit);
  return form === null ? { kind: 'redirect', to: '/console/confirm', returnPath } : stepUpPage(visit.t, 'wait', form);
}

/** Shows a kept form to send, once the person has signed in again. Changes nothing, so a form without the token may ask. */
async function continueForm(visit: PersonVisit): Promise<Reply> {
  const form = keptForm(visit);
  if (form === null) return invalidForm();
  const isReady = isFresh(visit.scope, visit.session);
  return isReady ? stepUpPage(visit.t, 'send', form) : stepUpPage(visit.t, 'again', form, 403);
}

async function showSent({ t }: PersonVisit): Promise<Reply> {
  return stepUpPage(t, 'wait', null);
}
