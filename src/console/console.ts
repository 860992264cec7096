import type { IncomingMessage } from 'node:http';
import { Readable } from 'node:stream';
import type { Middleware, ParameterizedContext } from 'koa';
import { ApiError } from '../platform/base/errors.ts';
import type { Limiter } from '../platform/base/scope.ts';
import { answerWithin } from '../platform/base/time/time-budget.ts';
import { createLimiter } from '../platform/database/query/limiter.ts';
import { deviceName } from '../web/device-name.ts';
import { answerFile } from '../web/public-file.ts';
import { isOwnForm } from '../web/read-form.ts';
import { answerFailure, type PageRequestState, readBasePath } from '../web/request.ts';
import { pageHeaders } from '../web/security-headers.ts';
import { FILES } from './browser/assets.ts';
import { readTokenCookies, setDoneWord, setTokenCookies, takeDoneWord } from './browser/cookies.ts';
import { KEEP_ONLY, takeForm } from './identity/sign-in/kept-forms.ts';
import { admitPersonForm, admitRequest, admitSignInForm } from './identity/sign-in/limits.ts';
import { hasToken, isSignInFresh } from './identity/sign-in/sessions.ts';
import { renderPage, renderProblem } from './layout.ts';
import { RightLost } from './model/refusals.ts';
import { isSensitive } from './model/roles.ts';
import { pageAbove, pagePath, table } from './routes.ts';
import { auditPatientView } from './routing/patient-views.ts';
import { type Admitted, admit, confirmMembership } from './routing/right.ts';
import type { PersonRoute } from './routing/route.ts';
import { type FormlessVisit, keep, keepOfEndedSession, readFields } from './routing/sent-form.ts';
import type { Frame, PersonVisit, Reply, Services } from './routing/visit.ts';
import { modeOf, modePath, practicePath, problem } from './routing/visit.ts';

/** State of a request. The console adds who sent it. */
export interface ConsoleRequestState extends PageRequestState {
  personId?: string;
  practiceId?: string;
}

export interface ConsoleOptions extends Services {
  /** Returns the full address of the client, for the audit log; null when the socket is closed. */
  exactAddress: (request: IncomingMessage) => string | null;
  transactions: Limiter;
}

type Limiters = Record<'transactions' | 'limiter', Limiter>;

type Context = ParameterizedContext<ConsoleRequestState>;

const FORM_IS_BACK = 'You are signed in again. Your form was not sent. Check it, and press its button again.';

const BUDGET = { totalMs: 9_500, callsMs: 7_000 };

/** Limits of concurrent pages of a practice, and forms of a person. Forms may wait for the processor, so they take no place of the pages. */
const WORK_LIMITS = { placesPerName: 2, placesInAll: Number.POSITIVE_INFINITY, maxWaitMs: 5_000 };

/** Headers of every page. Its address may be a secret, and our own forms need the header Origin, which `no-referrer` would empty. */
const HEADERS = { ...pageHeaders('itself'), 'Referrer-Policy': 'same-origin' };

/** Serves the console. Every path below /console is answered with a page, also after an error. */
export function consoleRoutes(options: ConsoleOptions): Middleware<ConsoleRequestState> {
  const limiter = createLimiter(WORK_LIMITS);
  return async (ctx, next) => {
    if (ctx.path !== '/console' && !ctx.path.startsWith('/console/')) return next();
    const file = FILES.get(ctx.path);
    if (file !== undefined) {
      ctx.state.operationId = 'console.asset';
      return answerFile(ctx, file);
    }
    const frame: Frame = {
      basePath: readBasePath(ctx.state.scope.consoleUrl),
      requestPath: ctx.path,
      query: readParameters(ctx),
      returnPath: findPage(ctx),
      session: null,
      member: null,
      mode: null,
    };
    try {
      const reply = await answerWithin(BUDGET, () => answer(ctx, frame, { ...options, limiter })).finally(() => {
        if (frame.session !== null) ctx.state.personId = frame.session.personId;
        if (frame.member !== null) ctx.state.practiceId = frame.member.practiceId;
      });
      send(ctx, frame, reply);
    } catch (error) {
      send(ctx, frame, answerError(ctx, error));
    }
  };
}

/** Finds the route and checks everything that its access requires, in the order of the statements. */
async function answer(ctx: Context, frame: Frame, options: ConsoleOptions & Limiters): Promise<Reply> {
  const { scope, limitAddress } = ctx.state;
  const { exactAddress, transactions, limiter, ...services } = options;
  ctx.state.operationId = 'console';
  const slot = await admitRequest(scope, limitAddress);
  if (!slot.granted) return problem('too_many', slot);
  const match = table.find(ctx.method, ctx.path);
  if ('allowed' in match) return refuseMethod(ctx, match.allowed);
  const { route, params } = match;
  if (params.mode !== undefined || route.isLive === true) frame.mode = modeOf({ params });
  ctx.state.operationId = `console.${route.name}`;
  if (route.method === 'POST' && !isOwnForm(ctx.req, scope.consoleUrl, false)) return problem('foreign_form');
  const { returnPath: askedPath, ...cookies } = readTokenCookies(ctx);
  const visit: FormlessVisit = {
    ...frame,
    ...services,
    ...cookies,
    scope,
    address: exactAddress(ctx.req),
    limitAddress,
    params,
    faults: [],
    deviceName: deviceName(ctx.get('User-Agent')),
    askedPath: pagePath(askedPath),
    pagePath,
  };
  if (route.access !== 'public') return answerPerson(ctx, route, visit, frame, { transactions, limiter });
  const form = await readFields(ctx, route);
  if ('kind' in form) return form;
  const signInSlot = route.isCounted === true ? await admitSignInForm(scope, visit) : slot;
  return signInSlot.granted ? route.handle({ ...visit, ...form }) : problem('too_many', signInSlot);
}

async function answerPerson(
  ctx: Context,
  route: PersonRoute,
  visit: FormlessVisit,
  frame: Frame,
  limiters: Limiters,
): Promise<Reply> {
  const hasArrived = ctx.req.complete;
  let admitted = await admit(route, visit, frame);
  if ('kind' in admitted) return frame.session === null ? keepOfEndedSession(ctx, route, visit, admitted) : admitted;
  // So no body of a stranger is read.
  const form = await readFields(ctx, route);
  if ('kind' in form) return form;
  // Session and right may have ended while the form was on its way.
  if (!hasArrived) admitted = await admit(route, visit, frame);
  if ('kind' in admitted) return admitted;
  const { session, actor } = admitted;
  const { scope, keptForm, returnPath } = visit;
  if (route.method === 'POST' && !hasToken(visit.cookie, form.fields.get('csrf'))) return problem('foreign_form');
  if (form.fields.has(KEEP_ONLY)) {
    await keep(ctx, { ...visit, ...form }, session.personId);
    return { kind: 'redirect', to: returnPath ?? '/console' };
  }
  // A sign-in leads to the page without parameters. With them, it shows other entries.
  const isShown = ctx.method === 'GET' && keptForm !== null && ctx.querystring === '';
  const kept = isShown ? await takeForm(scope, keptForm, session.personId, ctx.path) : null;
  const personVisit = { ...visit, ...form, ...kept, session, actor };
  const reply = needsFreshSignIn(route, personVisit)
    ? problem('old_sign_in')
    : await answerAdmitted(admitted, personVisit, limiters);
  if (reply.kind === 'problem' && reply.problem === 'old_sign_in') await keep(ctx, personVisit, session.personId);
  if (kept === null) return reply;
  setTokenCookies(ctx, { keptForm: null });
  return reply.kind === 'page' ? { ...reply, done: FORM_IS_BACK } : reply;
}

async function answerAdmitted(
  admitted: Admitted,
  visit: PersonVisit,
  { transactions, limiter }: Limiters,
): Promise<Reply> {
  const { session } = visit;
  if (!('member' in admitted)) {
    const slot = admitted.route.isCounted === true ? await admitPersonForm(visit.scope, session.personId) : null;
    if (slot?.granted === false) return problem('too_many', slot);
    return limiter.run(session.personId, () => admitted.route.handle(visit));
  }
  const { member, route } = admitted;
  const scope = {
    ...visit.scope,
    transactionsOf: { practiceId: member.practiceId, limiter: transactions },
    // Acts on people check the right with their own locks, which they take in one order.
    confirmRight: route.access === 'people.manage' ? undefined : confirmMembership(member),
  };
  const mode = modeOf(visit);
  const memberVisit = {
    ...visit,
    scope,
    member,
    mode,
    path: (rest: string) => practicePath(member, rest),
    modePath: (rest: string) => modePath(member, mode, rest),
  };
  const name = route.method === 'GET' ? member.practiceId : session.personId;
  const reply = await limiter.run(name, () => route.handle(memberVisit));
  await auditPatientView(memberVisit, reply);
  return reply;
}

/** Returns true if the form needs a newer sign-in than the session has. Pages need none, because the form comes back. */
function needsFreshSignIn({ method, access, sensitive }: PersonRoute, visit: PersonVisit): boolean {
  if (method === 'GET' || isSignInFresh(visit.scope, visit.session)) return false;
  if (sensitive === undefined) return access !== 'person' && isSensitive(access);
  return sensitive === true || (sensitive === 'live' && modeOf(visit) === 'live');
}

/** Returns the parameters of the address that come once, and `done` only after an act. */
function readParameters(ctx: Context): ReadonlyMap<string, string> {
  const mayReport = takeDoneWord(ctx);
  const parameters = new Map<string, string>();
  for (const [name, value] of Object.entries(ctx.query)) {
    // A text with the character NUL, which PostgreSQL refuses, finds nothing.
    if (typeof value === 'string' && (mayReport || name !== 'done'))
      parameters.set(name, value.replaceAll('\0', '\ufffd'));
  }
  return parameters;
}

/** Returns the path of the page on which the person is: the requested one, or the one that sent the form. */
function findPage(ctx: Context): string | null {
  if (ctx.method !== 'POST') return pagePath(ctx.path);
  const page = URL.parse(ctx.get('Referer'))?.pathname ?? '';
  const basePath = readBasePath(ctx.state.scope.consoleUrl);
  // A page that answers a form has the address of the form.
  return pageAbove(page.startsWith(basePath) ? page.slice(basePath.length) : '') ?? pageAbove(ctx.path);
}

function refuseMethod(ctx: Context, allowed: readonly string[]): Reply {
  if (allowed.length === 0) return problem('not_found');
  ctx.set('Allow', allowed.flatMap((method) => (method === 'GET' ? ['GET', 'HEAD'] : [method])).join(', '));
  return problem('method_not_allowed');
}

function answerError(ctx: Context, error: unknown): Reply {
  if (error instanceof ApiError && error.status === 404) return problem('not_found');
  if (error instanceof RightLost) return problem('forbidden');
  const { problem: name, ...rest } = answerFailure(ctx, error);
  return problem(name, rest);
}

function send(ctx: Context, frame: Frame, reply: Reply): void {
  ctx.set({ ...HEADERS, 'Content-Language': 'en' });
  ctx.vary('Cookie');
  // The rest of a body is not read.
  if (ctx.method === 'POST' && !ctx.req.readableEnded) ctx.set('Connection', 'close');
  ctx.type = 'text/html; charset=utf-8';
  switch (reply.kind) {
    case 'page':
      ctx.status = reply.status;
      ctx.body = renderPage(frame, reply);
      return;
    case 'redirect':
      setTokenCookies(ctx, reply);
      setDoneWord(ctx, reply);
      // 303, so that reloading never sends a form again.
      ctx.status = 303;
      ctx.redirect(`${frame.basePath}${reply.to}`);
      return;
    case 'json':
      ctx.type = 'application/json; charset=utf-8';
      ctx.body = JSON.stringify(reply.body);
      return;
    case 'download':
      ctx.type = reply.type;
      ctx.attachment(reply.filename);
      // The rest of the content is read outside the time budget, as fast as the client takes it.
      ctx.body = Readable.from(reply.content, { objectMode: false });
      return;
    case 'problem':
      ctx.status = reply.status;
      if (reply.retrySeconds !== undefined) ctx.set('Retry-After', `${reply.retrySeconds}`);
      if (reply.problem === 'too_many') ctx.state.errorCode = 'rate_limited';
      ctx.body = renderProblem(frame, reply.problem);
  }
}
