import { TEXTS } from '../../../src/patient-pages/texts/texts.ts';
import { type Answer, type Call, type Caller, formCall, hiddenFields } from '../caller.ts';
import type { ShownPayment } from '../evidence.ts';

/** Form of a hosted page, by the last part of its address. */
type PageForm = 'submit' | 'sandbox' | 'resume';

/** Contents of a page: a payment, a form with its hidden fields, or neither. */
export type PageContents =
  | { kind: 'payment'; payment: ShownPayment }
  | { kind: 'form'; form: PageForm; fields: Readonly<Record<string, string>> }
  | { kind: 'other' };

const { receipt, debit, returned_debit } = TEXTS.en.documents;

const PAYMENTS: ReadonlyMap<string | undefined, ShownPayment> = new Map([
  [receipt, 'paid'],
  [debit, 'pending'],
  [returned_debit, 'returned'],
]);

/** Reads an English page, as a patient does: first for a document about a payment, then for a form. */
export function readPage(text: string): PageContents {
  const [, heading] = /<h2 id="receipt-heading">([^<]*)</.exec(text) ?? [];
  const payment = PAYMENTS.get(heading);
  if (payment !== undefined) return { kind: 'payment', payment };
  const { form, rest } =
    /<form [^>]*action="[^"]*\/(?<form>submit|sandbox|resume)"(?<rest>.*)/s.exec(text)?.groups ?? {};
  if (form !== 'submit' && form !== 'sandbox' && form !== 'resume') return { kind: 'other' };
  const [own = ''] = (rest ?? '').split('</form>');
  return { kind: 'form', form, fields: hiddenFields(own) };
}

/** The hosted page of one link, in the browser of a patient who repeats what got no answer. */
export class HostedPage {
  readonly #caller: Caller;
  readonly #path: string;
  readonly #headers: Record<string, string>;

  /** @param address of the patient; limits count each one by itself */
  constructor(caller: Caller, token: string, address: string) {
    this.#caller = caller;
    this.#path = `/pay/${token}`;
    this.#headers = { 'x-forwarded-for': address };
  }

  /** Opens the page. Returns null if no API shows it. */
  async open(): Promise<PageContents | null> {
    const call: Call = { method: 'GET', path: `${this.#path}?lang=en`, headers: this.#headers };
    const answer = await this.#caller.send(call, ({ status }) => status === 200);
    return answer === null ? null : readPage(answer.text);
  }

  /** Sends a form, until an API redirects to the page. */
  async send(form: PageForm, fields: Record<string, string>): Promise<void> {
    await this.#caller.send(this.#form(form, fields), isRedirect);
  }

  /** Sends a form once, whatever the answer. */
  async sendOnce(form: PageForm, fields: Record<string, string>): Promise<void> {
    await this.#caller.send(this.#form(form, fields), (answer) => isRedirect(answer) || answer.status === 503);
  }

  #form(form: PageForm, fields: Record<string, string>): Call {
    return formCall(`${this.#path}/${form}`, this.#headers, fields);
  }
}

function isRedirect({ status }: Answer): boolean {
  return status === 303;
}
