import { ApiError } from '../base/errors.ts';
import type { CallerScope } from '../base/scope.ts';
import { uncounted } from '../base/time/time-budget.ts';
import type { BodyRules } from '../contract/operations-type.ts';
import { type Admissions, readCredentials } from '../limits/admission.ts';
import type { PracticeLimiter } from '../limits/practice-limiter.ts';
import type { Context } from './context.ts';
import type { ContractApi, ReadRequest, Route } from './contract-api.ts';
import { readBody } from './request/body.ts';
import { readIdempotencyKey } from './request/idempotency-key.ts';
import { readQuery } from './request/query.ts';
import { requireCleanText, requireNoProperties, validationError } from './request/validation.ts';

/** One request on its way through the checks. Each check fills in what later checks and the handler use. */
export interface RequestInProgress extends ReadRequest {
  ctx: Context;
  /** Null for a path or a method that the contract does not have. */
  route: Route | null;
  /** Set by `admit`. */
  callerScope?: CallerScope;
  /** The result of the operation's body rule, set by `requireBodyRule`. */
  parsed?: unknown;
  /** Set by `requireIdempotencyKey`. */
  idempotencyKey?: string;
}

/** A request whose key was accepted. */
export type AdmittedRequest = RequestInProgress & { route: Route; callerScope: CallerScope };

/** Returns the request as an admitted one. @throws Error before `admit` */
export function admitted(request: RequestInProgress): AdmittedRequest {
  const { route, callerScope } = request;
  if (route === null || callerScope === undefined) throw new Error('the request has not been admitted');
  return Object.assign(request, { route, callerScope });
}

/**
 * Checks the address limit, then path and method, then key, API access and key limit. One statement makes all checks of
 * the database, so a path or method is matched first and refused after it.
 *
 * @throws ApiError `rate_limited`, `not_found`, `method_not_allowed`, `invalid_api_key`, `api_access_disabled`
 */
export async function admit(
  request: RequestInProgress,
  api: ContractApi,
  admissions: Admissions,
  limiter: PracticeLimiter,
): Promise<void> {
  const { ctx, route } = request;
  const { scope, address } = ctx.state;
  if (route === null) {
    await admissions.admitAddress(address);
    throw noRoute(api.methodsOf(request.path));
  }
  const credentials = readCredentials(ctx.req.headersDistinct.authorization ?? []);
  const { caller, keyLimit, refusal } = await admissions.admitKey(address, credentials);
  request.callerScope = { ...scope, caller, transactionsOf: { practiceId: caller.practiceId, limiter } };
  ctx.state.callerScope = request.callerScope;
  if (keyLimit !== null) ctx.state.keyLimit = keyLimit;
  if (refusal !== null) throw refusal;
  ctx.state.operationId = route.description.operationId;
}

/** Checks that the key has the operation's scope. @throws ApiError `insufficient_scope` */
export function requireScope(request: RequestInProgress): void {
  const { route, callerScope } = admitted(request);
  const { requiredScope } = route.description;
  if (requiredScope !== null && !callerScope.caller.scopes.includes(requiredScope)) {
    throw new ApiError('insufficient_scope', { message: `This operation needs the scope ${requiredScope}.` });
  }
}

/** Reads the body: its media type, its size, and its JSON. The time it takes does not count for the time budget. */
export async function readJson(request: RequestInProgress): Promise<void> {
  const { ctx, route } = admitted(request);
  if (route.description.hasBody) request.body = await uncounted(() => readBody(ctx));
}

/** Reads the query: names, encoding and types of its parameters. */
export function readParameters(request: RequestInProgress): void {
  const { ctx, route } = admitted(request);
  request.query = readQuery(ctx.querystring, route.queryParameters);
}

/** Checks the body, then the query, against the contract's schemas. An operation without a body takes `{}`. */
export function requireValid(request: RequestInProgress, api: ContractApi): void {
  const { route } = admitted(request);
  if (!route.description.describesBody) {
    requireNoProperties(request.body);
    request.body = undefined;
  }
  const faults = api.faults(request, route);
  if (faults.length > 0) throw validationError(faults);
}

/** Refuses control characters in the body. */
export function requireText({ body }: RequestInProgress): void {
  requireCleanText(body);
}

/** Refuses live keys for operations of the test mode. @throws ApiError `test_mode_only` */
export function requireMode(request: RequestInProgress): void {
  const { route, callerScope } = admitted(request);
  if (route.description.testModeOnly && !callerScope.caller.test) throw new ApiError('test_mode_only');
}

/** Checks the rules of the operation's body that a schema cannot express. */
export function requireBodyRule(request: RequestInProgress, rules: BodyRules): void {
  const { route, body } = admitted(request);
  // The body is valid by the schema from which the rule's parameter type is generated.
  const rule = rules[route.description.operationId] as ((body: unknown) => unknown) | undefined;
  request.parsed = rule?.(body);
}

/** Reads the idempotency key. @throws ApiError `idempotency_key_required`, `validation_error` */
export function requireIdempotencyKey(request: RequestInProgress): void {
  const { ctx, route } = admitted(request);
  const { idempotencyKey } = route.description;
  if (idempotencyKey === null) return;
  request.idempotencyKey = readIdempotencyKey(ctx.req.headersDistinct, idempotencyKey === 'required');
}

function noRoute(methods: readonly string[]): ApiError {
  if (methods.length === 0) return new ApiError('not_found');
  return new ApiError('method_not_allowed', { headers: { Allow: methods.join(', ') } });
}
