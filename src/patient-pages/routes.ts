import type { IncomingMessage } from 'node:http';
import type { Middleware, ParameterizedContext } from 'koa';
import type { RateSlots } from '../access/rate-windows.ts';
import type { LinkPage, PageService, SubmitResult } from '../payment-links/checkout/port.ts';
import type { Scope } from '../platform/base/scope.ts';
import { answerWithin, runUncounted } from '../platform/base/time/time-budget.ts';
import { chooseLanguage, type Language } from '../web/language.ts';
import { isOwnForm, readForm } from '../web/read-form.ts';
import { answerFailure, isOpening, type PageRequestState, readBasePath } from '../web/request.ts';
import { type Loads, pageHeaders } from '../web/security-headers.ts';
import { FILE_HEADERS, fileKind, findFile, isInMemory } from './browser/assets.ts';
import { ACTIONS, type Action, isAction } from './forms.ts';
import { renderLink, renderProblem } from './render/render.ts';
import type { Problem } from './texts/texts.ts';
import { linkPath, resultAlert, type ViewContext, viewLink } from './view/link-view.ts';

export interface PageOptions {
  /** Creates the service behind the pages, for one request. */
  pageService: (scope: Scope) => PageService;
  rateSlots: RateSlots;
  /** Returns the full address of the client, for the record of an authorisation; null when the socket is closed. */
  exactAddress: (request: IncomingMessage) => string | null;
  /** True if the operator configured a sender for mails to patients. */
  mailsPatients: boolean;
}

type Context = ParameterizedContext<PageRequestState>;

/** Time budgets of a page. A submission has 20 seconds with the way to the browser. Most banks decide within that time. */
const VIEW_BUDGET = { totalMs: 9_500, callsMs: 5_000 };
const FORM_BUDGET = { totalMs: 17_000, callsMs: 13_000 };

/** Requests of one address per minute. All patients in a waiting room share one. More forms than this suggest card testing. */
const LIMITS = { view: { prefix: 'page-get', limit: 600 }, submit: { prefix: 'page', limit: 60 } };

/** Token of a page, and the action of a form. Other paths are answered without a database query. */
const PATH = /^\/pay\/([\w-]{16,128})(?:\/([a-z]{1,16}))?$/;

/** Path of a page with signs and words of the text in which a program found the address, such as `).`, `/` and `%22%3Ehere`. */
const PATH_IN_TEXT = /^\/pay\/([\w-]{16,128})(?:\/*[^\w/-].*|\/+)$/;

/** Signs that texts add, too, but that are also the last characters of tokens of 2.0.0. */
const SIGNS_OF_TOKENS = /[-_]+$/;

/** Result in the page's address after a receipt was queued. */
const RECEIPT_QUEUED = 'receipt';

/** Time after a payment in which the page may thank for it. */
const JUST_PAID_MS = 60 * 60_000;

/** Path to which the processor returns a practice's administrator after onboarding. */
export const ONBOARDED_PATH = '/onboarded';

/** Serves the hosted pages and their files. Every path below /pay is answered with a page, also after an error. */
export function pageRoutes(options: PageOptions): Middleware<PageRequestState> {
  return async (ctx, next) => {
    if (ctx.path === ONBOARDED_PATH) return answerOnboarded(ctx);
    const kind = fileKind(ctx.path);
    if (kind === null && ctx.path !== '/pay' && !ctx.path.startsWith('/pay/')) return next();
    if (kind === 'brand') ctx.state.operationId = 'page.brand';
    try {
      const budget = ctx.method === 'POST' ? FORM_BUDGET : VIEW_BUDGET;
      await answerWithin(budget, () => (kind === null ? answer(ctx, options) : answerFile(ctx, options)));
    } catch (error) {
      // The page refers to the link's own page. Only that page knows whether money was taken.
      const { problem, status, retrySeconds } = answerFailure(ctx, error);
      if (retrySeconds !== undefined) ctx.set('Retry-After', `${retrySeconds}`);
      showProblem(ctx, problem, status);
    }
  };
}

/** Answers a file of this service or of a practice. */
async function answerFile(ctx: Context, options: PageOptions): Promise<void> {
  if (!isReading(ctx)) return;
  // A file in memory is free, so it does not count against the limit.
  if (!isInMemory(ctx.path) && !(await admit(ctx, options, 'view'))) return;
  const file = await findFile(ctx.state.scope, ctx.path);
  if (file === null) return showProblem(ctx, 'not_found', 404);
  ctx.set(FILE_HEADERS);
  ctx.type = file.type;
  ctx.body = file.bytes;
}

/** Shows the administrator what to do next. The page does not know whether onboarding is complete. */
function answerOnboarded(ctx: Context): void {
  ctx.state.operationId = 'page.onboarded';
  if (isReading(ctx)) showProblem(ctx, 'onboarded', 200);
}

async function answer(ctx: Context, options: PageOptions): Promise<void> {
  const [, token, action] = PATH.exec(ctx.path) ?? [];
  if (token === undefined) return answerPage(ctx, options, PATH_IN_TEXT.exec(ctx.path)?.[1] ?? null);
  if (action === undefined) return answerPage(ctx, options, token);
  if (!isAction(action) || (action === 'receipt' && !options.mailsPatients)) return showProblem(ctx, 'not_found', 404);
  return answerForm(ctx, options, token, action);
}

/** Changes nothing but the count of openings, because mail scanners open links, too. */
async function answerPage(ctx: Context, options: PageOptions, token: string | null): Promise<void> {
  if (token === null) return showProblem(ctx, 'not_found', 404);
  ctx.state.operationId = 'page';
  if (!isReading(ctx) || !(await admit(ctx, options, 'view'))) return;
  const service = options.pageService(ctx.state.scope);
  const trimmedToken = token.replace(SIGNS_OF_TOKENS, '');
  const page = (await service.find(token)) ?? (trimmedToken === token ? null : await service.find(trimmedToken));
  if (page === null) return showProblem(ctx, 'not_found', 404);
  if (ctx.path !== linkPath(page.token)) return redirect(ctx, 302, `${linkPath(page.token)}${ctx.search}`);
  if (isOpening(ctx)) service.countOpening(page);
  const result = singleValue(ctx.query.result);
  const language = selectLanguage(ctx);
  // An address that says “just paid” may be opened again much later.
  const isRecent = ctx.state.scope.clock.now().getTime() - (page.paidAt?.getTime() ?? 0) < JUST_PAID_MS;
  showLink(ctx, page, {
    language,
    alert: resultAlert(page, result, language),
    isJustPaid: result === 'paid' && isRecent,
    receiptForm: options.mailsPatients ? { email: '', isSent: result === RECEIPT_QUEUED } : null,
  });
}

async function answerForm(ctx: Context, options: PageOptions, token: string, action: Action): Promise<void> {
  const { scope } = ctx.state;
  ctx.state.operationId = `page.${action}`;
  if (ctx.method !== 'POST') return refuseMethod(ctx, 'POST');
  if (!isOwnForm(ctx.req, scope.publicUrl, true)) return showProblem(ctx, 'refused', 403);
  if (!(await admit(ctx, options, 'submit'))) return;
  const form = await runUncounted(() => readForm(ctx));
  if (form.kind === 'refused') {
    // The rest of the body is not read.
    ctx.set('Connection', 'close');
    return showProblem(ctx, 'refused', form.status);
  }
  const service = options.pageService(scope);
  const page = await service.find(token);
  if (page === null) return showProblem(ctx, 'not_found', 404);
  const language = selectLanguage(ctx, form.fields.get('lang'));
  const sender = { address: options.exactAddress(ctx.req) ?? 'unknown', userAgent: ctx.get('User-Agent') };
  const outcome = await ACTIONS[action]({
    service,
    page,
    fields: form.fields,
    language,
    now: scope.clock.now(),
    sender,
    limitAddress: ctx.state.limitAddress,
  });
  if (outcome.kind === 'unknown') return showProblem(ctx, 'refused', 400, language);
  if (outcome.kind === 'wrong') {
    ctx.status = 422;
    const receiptForm = options.mailsPatients ? { email: outcome.typedEmail ?? '', isSent: false } : null;
    return showLink(ctx, page, { language, alert: outcome.alert, isJustPaid: false, receiptForm });
  }
  // The browser asks for the page, so that reloading never sends the form again.
  const result = outcome.kind === 'receipt_queued' ? RECEIPT_QUEUED : resultInAddress(action, outcome.result);
  const query = `lang=${language}${result === null ? '' : `&result=${result}`}`;
  redirect(ctx, 303, `${linkPath(page.token)}?${query}`, language);
}

function redirect(ctx: Context, status: 302 | 303, path: string, language = selectLanguage(ctx)): void {
  setHeaders(ctx, language, 'own');
  ctx.status = status;
  ctx.redirect(`${readBasePath(ctx.state.scope.publicUrl)}${path}`);
}

/**
 * Returns what the page's address names of a form's result, or null for nothing. A patient who returns and finds the
 * payment done has paid on this page. One who cancelled a payment needs no alert about it.
 */
function resultInAddress(action: Action, result: SubmitResult): string | null {
  // The link's own state says all about these.
  if (result === 'declined' || result === 'requires_action') return null;
  if (action === 'another' && result === 'cancelled') return null;
  const isReturn = action === 'resume' || action === 'another' || action === 'sandbox';
  return result === 'accepted' || (isReturn && result === 'not_payable') ? 'paid' : result;
}

function showLink(ctx: Context, page: LinkPage, context: Omit<ViewContext, 'now'>): void {
  const { clock, publicUrl } = ctx.state.scope;
  const { language } = context;
  const view = viewLink(page, { ...context, now: clock.now() });
  setHeaders(ctx, language, view.loads);
  ctx.body = renderLink({ language, basePath: readBasePath(publicUrl) }, view);
}

function showProblem(ctx: Context, problem: Problem, status: number, language = selectLanguage(ctx)): void {
  setHeaders(ctx, language, 'own');
  ctx.status = status;
  ctx.body = renderProblem({ language, basePath: readBasePath(ctx.state.scope.publicUrl) }, problem);
}

/** Returns true for a method that reads, and refuses all others. */
function isReading(ctx: Context): boolean {
  const isReading = ctx.method === 'GET' || ctx.method === 'HEAD';
  if (!isReading) refuseMethod(ctx, 'GET, HEAD');
  return isReading;
}

function refuseMethod(ctx: Context, methods: string): void {
  ctx.set('Allow', methods);
  showProblem(ctx, 'refused', 405);
}

/** Counts the request in the rate window of the address. */
async function admit(ctx: Context, { rateSlots }: PageOptions, kind: keyof typeof LIMITS): Promise<boolean> {
  const { prefix, limit } = LIMITS[kind];
  const slot = await rateSlots({ subject: `${prefix}:${ctx.state.limitAddress}`, limit });
  if (slot.granted) return true;
  ctx.state.errorCode = 'rate_limited';
  ctx.set('Retry-After', `${slot.retrySeconds}`);
  showProblem(ctx, 'too_many', 429);
  return false;
}

function setHeaders(ctx: Context, language: Language, loads: Loads): void {
  ctx.set(pageHeaders(loads));
  ctx.set('Content-Language', language);
  ctx.vary('Accept-Language');
  ctx.type = 'text/html; charset=utf-8';
}

function selectLanguage(ctx: Context, code: string | null = singleValue(ctx.query.lang)): Language {
  return chooseLanguage(code, ctx.request);
}

function singleValue(value: string | string[] | undefined): string | null {
  return typeof value === 'string' ? value : null;
}
