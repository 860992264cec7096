import type { ParameterizedContext } from 'koa';
import { runUncounted } from '../../platform/base/time/time-budget.ts';
import { readForm } from '../../web/read-form.ts';
import type { PageRequestState } from '../../web/request.ts';
import { setTokenCookies } from '../browser/cookies.ts';
import { keepForm } from '../identity/sign-in/kept-forms.ts';
import { findFormerPerson, hasToken } from '../identity/sign-in/sessions.ts';
import type { Route } from './route.ts';
import { problem, type Reply, type Visit } from './visit.ts';

type Context = ParameterizedContext<PageRequestState>;

type Form = Pick<Visit, 'fields' | 'file'>;

export type FormlessVisit = Omit<Visit, keyof Form>;

export async function readFields(ctx: Context, route: Route): Promise<Form | Reply> {
  if (route.method !== 'POST') return { fields: new Map(), file: null };
  const takesFile = route.takesFile === true;
  const form = await runUncounted(() => readForm(ctx, takesFile));
  if (form.kind === 'refused') {
    return problem(form.status === 413 && takesFile ? 'file_too_large' : 'invalid_form', form);
  }
  const { fields, file } = form;
  // PostgreSQL refuses the character NUL, and nobody can type it.
  return [...fields].flat().some((text) => text.includes('\0')) ? problem('invalid_form') : { fields, file };
}

/** Keeps the form of a session that has ended by itself. Returns the reply, which leads to the sign-in. */
export async function keepOfEndedSession(
  ctx: Context,
  route: Route,
  visit: FormlessVisit,
  reply: Reply,
): Promise<Reply> {
  if (visit.cookie === null || route.method !== 'POST' || route.takesFile === true) return reply;
  const personId = await findFormerPerson(visit.scope, visit.cookie);
  const form = personId === null ? reply : await readFields(ctx, route);
  if (personId !== null && 'fields' in form) await keep(ctx, { ...visit, ...form }, personId);
  return reply;
}

/** Keeps a form that has the token of its session. */
export async function keep(
  ctx: Context,
  { scope, cookie, fields, query, returnPath: page }: FormlessVisit & Pick<Form, 'fields'>,
  personId: string,
): Promise<void> {
  if (cookie === null || !hasToken(cookie, fields.get('csrf'))) return;
  setTokenCookies(ctx, { keptForm: await keepForm(scope, { cookie, personId, page, fields, query }) });
}
