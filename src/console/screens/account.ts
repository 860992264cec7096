import {
  type PersonVisit,
  personRoute,
  practicePath,
  problem,
  publicRoute,
  type Reply,
  type Route,
  type Visit,
} from '../routing/route.ts';
import { CONTINUE_PATH, keptForm, MAX_KEPT_BYTES, stepUpPage } from '../routing/step-up.ts';
import { actorOf, invalidForm } from '../routing/visit.ts';
import { admitPersonForm } from '../sign-in/limits.ts';
import { requestSignIn } from '../sign-in/requests.ts';
import { isFresh, secondsLeft, signOut, signOutEverywhere } from '../sign-in/sessions.ts';
import { hashOf } from '../sign-in/tokens.ts';
import { TEXTS } from '../texts/texts.ts';

export const ACCOUNT_ROUTES: readonly Route[] = [
  personRoute('account.practices', 'GET', '/console', showPractices),
  personRoute('account.sign_out', 'POST', '/console/sign-out', endSession),
  personRoute('account.sign_out_everywhere', 'POST', '/console/sign-out-everywhere', signOutOfAll),
  personRoute('account.stay', 'GET', '/console/stay', stay),
  personRoute('account.confirm', 'POST', '/console/confirm', requestConfirmation, { maxFormBytes: MAX_KEPT_BYTES }),
  publicRoute('account.left', 'GET', '/console/left', showLeft),
  personRoute('account.confirm_sent', 'GET', '/console/confirm', showSent),
  personRoute('account.continue', 'POST', CONTINUE_PATH, continueForm, {
    maxFormBytes: MAX_KEPT_BYTES,
    showsFormAgain: true,
  }),
];

/** Leads to the only practice of the person, or lists all of them. */
async function showPractices({ session: { memberships }, language }: PersonVisit): Promise<Reply> {
  const [first, ...others] = memberships;
  if (first !== undefined && others.length === 0) return { kind: 'redirect', to: practicePath(first) };
  return { kind: 'page', template: 'practices', title: TEXTS[language].practices.title, view: {} };
}

async function endSession(visit: PersonVisit): Promise<Reply> {
  const { scope, cookie } = visit;
  if (cookie !== null) await signOut(scope, cookie, actorOf(visit));
  return { kind: 'redirect', to: '/console/sign-in?ended=1', cookie: null };
}

async function signOutOfAll(visit: PersonVisit): Promise<Reply> {
  await signOutEverywhere(visit.scope, actorOf(visit));
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
  return form === null ? { kind: 'redirect', to: '/console/confirm', returnPath } : stepUpPage(language, 'wait', form);
}

/** Shows a kept form to send, once the person has signed in again. Changes nothing, so a form without the token may ask. */
async function continueForm(visit: PersonVisit): Promise<Reply> {
  const form = keptForm(visit);
  if (form === null) return invalidForm();
  return isFresh(visit.scope, visit.session)
    ? stepUpPage(visit.language, 'send', form)
    : stepUpPage(visit.language, 'again', form, 403);
}

async function showSent({ language }: PersonVisit): Promise<Reply> {
  return stepUpPage(language, 'wait', null);
}
