import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { document } from '../../src/contract/document.ts';
import { isObject, type Json, membersAt, pointerBelow, valueAt } from '../../src/contract/json-pointer.ts';
import type { OperationId } from '../../src/contract/operations-type.ts';
import { schemaCompiler } from '../../src/contract/validators.ts';
import { closedDocument } from './closed-document.ts';
import {
  documentedCodes,
  documentedHeaders,
  documentedResponses,
  errorCode,
  resolvePointer,
  responseAt,
} from './documented.ts';

/** Names in any case; a repeated header as an array. */
export type HeaderValues = Readonly<Record<string, string | readonly string[] | undefined>>;

/** A response as it went over the wire. */
export interface ResponseSeen {
  /** Null when the request meant no operation: an unknown path, or a method that the path lacks. */
  operationId: OperationId | null;
  status: number;
  headers: HeaderValues;
  /** The body's text, decoded; empty when there was none. */
  body: string;
}

/** A webhook request as it went over the wire. */
export interface WebhookSeen {
  headers: HeaderValues;
  body: string;
}

/** Path to the schema of the JSON body, below a response or a request body. */
const JSON_SCHEMA = ['content', 'application/json', 'schema'] as const;

/**
 * Compares what the service sends with what the contract says, and remembers what was seen. Made for a test harness
 * that shows it every exchange. Faults come back as sentences; none means that the exchange is as documented.
 */
export class ContractChecker {
  readonly #bodySchema = schemaCompiler(closedDocument(document), { allErrors: true });
  // Headers arrive as text; the numbers among them have to be read.
  readonly #headerSchema = schemaCompiler(document, { coerceTypes: true });
  readonly #seen = new Set<string>();

  /**
   * Lists the faults of a response: status, media type, headers, body and error code. Counts the response as exercised.
   */
  checkResponse(seen: ResponseSeen): string[] {
    const { operationId, status } = seen;
    const content = parse(seen.body);
    if (operationId === null) {
      return this.#checkUnrouted(seen, content).map((fault) => `no operation ${status}: ${fault}`);
    }
    const response = responseAt(operationId, status);
    if (response === null) return [`${operationId} ${status}: the status is not documented`];
    this.#seen.add(`${operationId} ${status}`);
    const faults = [...this.#checkHeaders(response, seen.headers), ...this.#checkBody(response, seen, content)];
    if (status >= 400) faults.push(...checkError(response, seen, content));
    return faults.map((fault) => `${operationId} ${status}: ${fault}`);
  }

  /** Lists the faults of a webhook request: its type, its headers, and its body by its type. */
  checkWebhook({ headers, body }: WebhookSeen): string[] {
    const event = parse(body);
    if (!isObject(event)) return ['webhook: the body is not an event'];
    const faults = this.#checkEvent(event);
    const parameters = valueAt(document, pointerBelow('#', 'webhooks', String(event.type), 'post', 'parameters'));
    if (Array.isArray(parameters)) {
      faults.push(...parameters.flatMap((parameter: Json) => this.#checkParameter(parameter, headers)));
    }
    if (headerValue(headers, 'content-type') !== 'application/json')
      faults.push('Content-Type is not application/json');
    if (headerValue(headers, 'service-event-id') !== event.id)
      faults.push('Service-Event-Id is not the id of the body');
    if (headerValue(headers, 'service-event-type') !== event.type)
      faults.push('Service-Event-Type is not the type of the body');
    return faults.map((fault) => `webhook ${event.type}: ${fault}`);
  }

  /** The documented responses that were never seen, as `getLocation 404`, in the order of the contract. */
  neverExercised(): string[] {
    return documentedResponses()
      .map(({ operationId, status }) => `${operationId} ${status}`)
      .filter((response) => !this.#seen.has(response));
  }

  /** Writes what was exercised to a file of this process in the folder, in place of what it wrote before. */
  saveExercised(directory: string): void {
    writeFileSync(join(directory, `${process.pid}.json`), JSON.stringify([...this.#seen]));
  }

  /** Counts as exercised what another process saved. */
  addExercised(seen: readonly string[]): void {
    for (const response of seen) this.#seen.add(response);
  }

  #checkUnrouted({ status, headers }: ResponseSeen, content: Json): string[] {
    const faults = status < 400 ? ['it is a success, but of what?'] : [];
    if (headerValue(headers, 'request-id') === undefined) faults.push('the header Request-Id is missing');
    if (status === 405 && headerValue(headers, 'allow') === undefined) faults.push('the header Allow is missing');
    if (mediaType(headers) !== 'application/json') faults.push('the media type is not application/json');
    return [
      ...faults,
      ...this.#checkSchema(pointerBelow('#', 'components', 'responses', 'NotFound', ...JSON_SCHEMA), content),
    ];
  }

  #checkHeaders(response: string, headers: HeaderValues): string[] {
    const declared = Object.keys(membersAt(document, pointerBelow(response, 'headers')));
    const astray = documentedHeaders().filter(
      (name) => !declared.includes(name) && headerValue(headers, name) !== undefined,
    );
    return [
      ...declared.flatMap((name) => this.#checkHeader(pointerBelow(response, 'headers', name), name, headers)),
      ...astray.map((name) => `the header ${name} is not documented here`),
    ];
  }

  #checkHeader(pointer: string, name: string, headers: HeaderValues): string[] {
    const target = resolvePointer(document, pointer);
    const value = headerValue(headers, name);
    if (value === undefined) {
      return valueAt(document, pointerBelow(target, 'required')) === true ? [`the header ${name} is missing`] : [];
    }
    const validate = this.#headerSchema(pointerBelow(target, 'schema'));
    return validate(value) ? [] : [`the header ${name} ${validate.errors?.[0]?.message}: ${value}`];
  }

  /** Parameters of webhooks are references throughout, as the contract's own test demands. */
  #checkParameter(parameter: Json, headers: HeaderValues): string[] {
    if (!isObject(parameter) || typeof parameter.$ref !== 'string') return ['a parameter is not a reference'];
    return this.#checkHeader(parameter.$ref, String(valueAt(document, pointerBelow(parameter.$ref, 'name'))), headers);
  }

  #checkBody(response: string, { headers, body }: ResponseSeen, content: Json): string[] {
    const documented = valueAt(document, pointerBelow(response, 'content'));
    if (!isObject(documented)) return body === '' ? [] : ['there is a body, but none is documented'];
    const given = mediaType(headers);
    if (!Object.hasOwn(documented, given)) return [`the media type ${given} is not documented`];
    if (content === undefined) return ['the body is not JSON'];
    const faults = this.#checkSchema(pointerBelow(response, 'content', given, 'schema'), content);
    // A delivery carries an event as text, which its schema cannot look into.
    if (isObject(content) && content.object === 'webhook_delivery' && typeof content.payload === 'string') {
      faults.push(...this.#checkEvent(parse(content.payload)));
    }
    return faults;
  }

  #checkEvent(event: Json): string[] {
    if (!isObject(event) || typeof event.type !== 'string') return ['the event has no type'];
    const operation = pointerBelow('#', 'webhooks', event.type, 'post');
    if (valueAt(document, operation) === undefined) return [`the type ${event.type} is not documented`];
    return this.#checkSchema(pointerBelow(operation, 'requestBody', ...JSON_SCHEMA), event);
  }

  #checkSchema(pointer: string, value: Json): string[] {
    const validate = this.#bodySchema(pointer);
    if (validate(value)) return [];
    return (validate.errors ?? []).map(
      ({ instancePath, message, params }) => `body${instancePath} ${message} ${JSON.stringify(params)}`,
    );
  }
}

function checkError(response: string, { headers }: ResponseSeen, content: Json): string[] {
  const code = errorCode(content);
  const faults =
    code !== null && documentedCodes(response).includes(code) ? [] : [`the code ${code} is not documented here`];
  const requestId = isObject(content) && isObject(content.error) ? content.error.requestId : undefined;
  if (requestId !== headerValue(headers, 'request-id')) faults.push('error.requestId is not the Request-Id');
  return faults;
}

function headerValue(headers: HeaderValues, name: string): string | undefined {
  const value = Object.entries(headers).find(([key]) => key.toLowerCase() === name.toLowerCase())?.[1];
  return typeof value === 'object' ? value.join(', ') : value;
}

function mediaType(headers: HeaderValues): string {
  return (headerValue(headers, 'content-type') ?? '').split(';', 1)[0]?.trim().toLowerCase() ?? '';
}

/** The JSON value of a text, or undefined if it is none. */
function parse(text: string): Json {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
