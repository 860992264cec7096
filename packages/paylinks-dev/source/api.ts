import { Failure, UsageError } from './failure.ts';
import { printable } from './terminal.ts';

/** Address and key of the service. */
export interface ApiSettings {
  baseUrl: string;
  apiKey: string;
}

/** Timeout of a request in milliseconds. The service answers within ten seconds. */
const TIMEOUT_MS = 20_000;

/** The next step after a live key was refused. */
const USE_TEST_KEY = 'Use a test key: it begins with pp_test_.';

/** Largest answer that is read, in bytes. A page of 100 test events has a few megabytes at most. */
const MAX_ANSWER_BYTES = 32 * 1_048_576;

/** The next step for an error code. The pages of the service explain every code. */
const HINTS = new Map([
  ['invalid_api_key', 'Check PAYLINKS_API_KEY: the key is incomplete, revoked, expired, or of another service.'],
  ['insufficient_scope', 'Ask an administrator of the practice for a key with this scope.'],
  ['test_mode_only', USE_TEST_KEY],
  ['api_access_disabled', 'Ask the operator to switch the access of the practice on.'],
]);

/** An answer that is no success. */
export class ApiFailure extends Failure {
  /** Null if there was no answer. */
  readonly status: number | null;
  readonly code: string | null;
  readonly param: string | null;
  /** Seconds of `Retry-After`; null without it. */
  readonly retryAfterSeconds: number | null;

  constructor(
    message: string,
    hint: string | null,
    answer: { status?: number; code?: string; param?: string | null; retryAfterSeconds?: number | null } = {},
  ) {
    super(message, hint);
    this.name = 'ApiFailure';
    this.status = answer.status ?? null;
    this.code = answer.code ?? null;
    this.param = answer.param ?? null;
    this.retryAfterSeconds = answer.retryAfterSeconds ?? null;
  }

  /** True if the same request may succeed later. */
  get isTemporary(): boolean {
    return this.status === null || this.status === 429 || this.status >= 500;
  }
}

/** Checks address and key. The errors repeat neither. A live key is sent encrypted only. @throws UsageError */
export function apiSettings(baseUrl: string | undefined, apiKey: string | undefined): ApiSettings {
  if (baseUrl === undefined || baseUrl === '') {
    throw new UsageError('The address of the service is missing.', 'Set PAYLINKS_BASE_URL, or give --base-url.');
  }
  if (apiKey === undefined || apiKey === '') {
    throw new UsageError('The API key is missing.', 'Set PAYLINKS_API_KEY to a key that begins with pp_test_.');
  }
  const url = URL.parse(baseUrl);
  if (url === null || !/^https?:$/.test(url.protocol) || url.username !== '' || url.search !== '' || url.hash !== '') {
    throw new UsageError(
      'The address of the service must be like https://pay.example.com.',
      'Set PAYLINKS_BASE_URL, with http:// or https:// at its beginning.',
    );
  }
  if (!/^pp_(test|live)_[\w-]+$/.test(apiKey)) {
    throw new UsageError(
      'The API key must begin with pp_test_ or pp_live_, and have letters, digits, _ and - only.',
      'Set PAYLINKS_API_KEY to your whole key: pp_test_… in the guides stands for it.',
    );
  }
  // Tools show the address of the API with this end.
  const path = url.pathname.replace(/\/+$/, '').replace(/\/api\/v1$/, '');
  const settings = { baseUrl: `${url.origin}${path}`, apiKey };
  if (apiKey.startsWith('pp_live_') && isReadableOnTheWay(settings)) {
    throw new UsageError(
      'A live key must not be sent without encryption.',
      'Use an address that begins with https://.',
    );
  }
  return settings;
}

/** Returns true if the key leaves this machine without encryption. */
export function isReadableOnTheWay({ baseUrl }: ApiSettings): boolean {
  const { protocol, hostname } = new URL(baseUrl);
  return protocol === 'http:' && !/^(127(\.\d+){3}|\[::1\]|(.+\.)?localhost)$/.test(hostname);
}

/** A JSON object of the service. */
export type Json = Record<string, unknown>;

/** One request. */
export interface ApiRequest {
  query?: Readonly<Record<string, string | number | undefined>>;
  body?: object;
  idempotencyKey?: string;
  signal?: AbortSignal;
}

/** Client of the service. */
export class Api {
  readonly settings: ApiSettings;

  constructor(settings: ApiSettings) {
    this.settings = settings;
  }

  /** True with a test key. */
  get isTest(): boolean {
    return this.settings.apiKey.startsWith('pp_test_');
  }

  /** Refuses a live key before anything is sent. @throws Failure */
  needTestKey(): void {
    if (!this.isTest) throw new Failure('This command needs a test key.', USE_TEST_KEY);
  }

  /** Sends a request below `/api/v1`, and returns the JSON of its answer. @throws ApiFailure */
  async call<Answer = Json>(method: 'GET' | 'POST' | 'PATCH', path: string, request: ApiRequest = {}): Promise<Answer> {
    const { baseUrl } = this.settings;
    const url = new URL(`${baseUrl}/api/v1${path}`);
    for (const [name, value] of Object.entries(request.query ?? {})) {
      if (value !== undefined) url.searchParams.set(name, String(value));
    }
    const response = await this.#send(url, method, request);
    const text = await textOf(response, baseUrl);
    if (response.ok) return parsed<Answer>(text, baseUrl);
    throw this.#refusal(response, text, path);
  }

  async #send(url: URL, method: string, { body, idempotencyKey, signal }: ApiRequest): Promise<Response> {
    const timeout = AbortSignal.timeout(TIMEOUT_MS);
    try {
      return await fetch(url, {
        method,
        // The key must not follow a redirect to another host.
        redirect: 'error',
        signal: signal === undefined ? timeout : AbortSignal.any([signal, timeout]),
        headers: {
          Authorization: `Bearer ${this.settings.apiKey}`,
          'User-Agent': 'paylinks-dev',
          ...(body !== undefined && { 'Content-Type': 'application/json' }),
          ...(idempotencyKey !== undefined && { 'Idempotency-Key': idempotencyKey }),
        },
        body: body === undefined ? null : JSON.stringify(body),
      });
    } catch (error) {
      throw unreachable(this.settings.baseUrl, error);
    }
  }

  #refusal({ status, headers }: Response, text: string, path: string): ApiFailure {
    const { code, message, param, requestId } = errorOf(text);
    if (code === null) {
      const fact = `The service answered with status ${status} and no error of its own.`;
      return new ApiFailure(fact, 'Is this the address of the service?', { status });
    }
    const retryAfterSeconds = Number(headers.get('retry-after') ?? Number.NaN);
    const isUnknownPath = status === 404 && path.startsWith('/test-helpers') && message === 'No such path.';
    const hint = isUnknownPath
      ? 'This service is older than the command.'
      : status === 429 && retryAfterSeconds > 0
        ? `Repeat the command in ${retryAfterSeconds} s.`
        : HINTS.get(code);
    const page = `See ${this.settings.baseUrl}/docs/errors/${encodeURIComponent(code)}`;
    return new ApiFailure(`${code}: ${message} (request ${requestId})`, hint === undefined ? page : `${hint} ${page}`, {
      status,
      code,
      param,
      retryAfterSeconds: Number.isFinite(retryAfterSeconds) ? retryAfterSeconds : null,
    });
  }
}

/** Reads the body of an answer. @throws ApiFailure if it ends early or is too long */
async function textOf({ body }: Response, baseUrl: string): Promise<string> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  try {
    for await (const chunk of body ?? []) {
      chunks.push(chunk);
      bytes += chunk.length;
      if (bytes > MAX_ANSWER_BYTES) break;
    }
  } catch (error) {
    throw unreachable(baseUrl, error);
  }
  if (bytes <= MAX_ANSWER_BYTES) return Buffer.concat(chunks).toString('utf8');
  throw new ApiFailure(`${baseUrl} sends an answer without end.`, 'Is this the address of the service?');
}

function unreachable(baseUrl: string, error: unknown): ApiFailure {
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
  const reason = cause instanceof Error ? ('code' in cause ? String(cause.code) : cause.message) : 'unknown';
  return new ApiFailure(
    `${baseUrl} does not answer: ${printable(reason)}`,
    'Is the address right, and the service up?',
  );
}

function parsed<Answer>(text: string, baseUrl: string): Answer {
  try {
    // The contract of the service describes the answers.
    return JSON.parse(text) as Answer;
  } catch {
    throw new ApiFailure(`${baseUrl} answered without JSON.`, 'Is this the address of the service?');
  }
}

/** Returns the error of an answer; the code is null if the text is no error of the service. */
function errorOf(text: string): { code: string | null; message: string; param: string | null; requestId: string } {
  const none = { code: null, message: '', param: null, requestId: '' };
  try {
    const { error } = JSON.parse(text);
    if (typeof error?.code !== 'string' || typeof error.message !== 'string') return none;
    if (!/^[a-z_]{1,100}$/.test(error.code)) return none;
    const param = typeof error.param === 'string' ? error.param : null;
    return {
      code: error.code,
      message: printable(error.message),
      param,
      requestId: printable(String(error.requestId)),
    };
  } catch {
    return none;
  }
}
