/* A client of the payment links API: time limits, retries, pages, and errors as exceptions with their code. */

/** The properties of a payment link that this program reads. There are more: ignore properties you do not know. */
export interface PaymentLink {
  id: string;
  url: string;
  status: 'active' | 'paid' | 'expired' | 'cancelled';
  test: boolean;
  /** In dollars, as all amounts of the API. */
  amount: number;
  externalReference: string | null;
  createdAt: string;
  /** Null while there is no payment, and always null when a test link is read. Its `status` may get new values. */
  transaction: { status: string; amount: number } | null;
  refunds: { id: string; amount: number; status: string }[];
}

export interface NewLink {
  amount: number;
  description: string;
  externalReference: string;
  locationId?: string;
  patient: { firstName: string; lastName: string; externalId: string };
}

interface Page<Item> {
  data: Item[];
  hasMore: boolean;
}

/** An answer outside 2xx. Program against `code`, show `message` to people, and quote `requestId` for help. */
export class PaylinksError extends Error {
  readonly status: number;
  readonly code: string;
  readonly param: string | null;
  readonly requestId: string;

  constructor(status: number, error: { code: string; message: string; param: string | null; requestId: string }) {
    super(`${error.code}: ${error.message} (${error.requestId})`);
    this.status = status;
    this.code = error.code;
    this.param = error.param;
    this.requestId = error.requestId;
  }
}

/** The service answers within ten seconds. */
const TIMEOUT_MS = 15_000;
const ATTEMPTS = 5;

export class Paylinks {
  readonly #baseUrl: string;
  readonly #apiKey: string;

  constructor(baseUrl: string, apiKey: string) {
    this.#baseUrl = baseUrl;
    this.#apiKey = apiKey;
  }

  /** Creates a link, however often it is called with the same key. Store the key before the first call. */
  createLink(link: NewLink, idempotencyKey: string): Promise<PaymentLink> {
    return this.#send('POST', '/payment-links', { 'Idempotency-Key': idempotencyKey }, JSON.stringify(link));
  }

  /** Yields the links of all pages. A link that moved to the next page while we read is not repeated. */
  async *links(filters: Record<string, string>): AsyncGenerator<PaymentLink> {
    const seen = new Set<string>();
    for (let page = 1; ; page++) {
      const query = new URLSearchParams({ ...filters, page: `${page}`, pageSize: '100' });
      const { data, hasMore }: Page<PaymentLink> = await this.#send('GET', `/payment-links?${query}`);
      yield* data.filter(({ id }) => !seen.has(id));
      for (const { id } of data) seen.add(id);
      if (!hasMore) return;
    }
  }

  /**
   * Sends a request until it has an answer that repeating cannot improve. Every attempt has the same idempotency key.
   *
   * @throws PaylinksError for an answer outside 2xx
   * @throws Error if no attempt was answered; the service may have done its work nevertheless
   */
  async #send<Answer>(
    method: string,
    path: string,
    headers: Record<string, string> = {},
    body?: string,
  ): Promise<Answer> {
    for (let attempt = 1; ; attempt++) {
      const result = await this.#attempt(method, path, headers, body);
      if (result.error === null) return JSON.parse(result.text);
      if (attempt === ATTEMPTS || !mayRepeat(result.error)) throw result.error;
      const backoffSeconds = 0.25 * 2 ** attempt * (0.5 + Math.random());
      const waitSeconds = Math.max(backoffSeconds, result.retryAfterSeconds);
      await new Promise((resolve) => setTimeout(resolve, 1_000 * waitSeconds));
    }
  }

  async #attempt(
    method: string,
    path: string,
    headers: Record<string, string>,
    body?: string,
  ): Promise<{ text: string; error: null } | { error: Error; retryAfterSeconds: number }> {
    try {
      const response = await fetch(`${this.#baseUrl}/api/v1${path}`, {
        method,
        headers: { Authorization: `Bearer ${this.#apiKey}`, 'Content-Type': 'application/json', ...headers },
        body,
        signal: AbortSignal.timeout(TIMEOUT_MS),
      });
      const text = await response.text();
      if (response.ok) return { text, error: null };
      const error = new PaylinksError(response.status, JSON.parse(text).error);
      return { error, retryAfterSeconds: Number(response.headers.get('Retry-After') ?? 0) };
    } catch (error) {
      return { error: new Error(`${method} ${path} got no answer`, { cause: error }), retryAfterSeconds: 0 };
    }
  }
}

/** Returns true if the same request may succeed later. A request without an answer may be repeated, too. */
function mayRepeat(error: Error): boolean {
  if (!(error instanceof PaylinksError)) return true;
  return error.status === 429 || error.status >= 500 || error.code === 'idempotency_key_in_flight';
}

/** Turns dollars into whole cents, so that amounts can be added and compared. */
export function centsOf(dollars: number): number {
  return Math.round(dollars * 100);
}
