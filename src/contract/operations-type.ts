import type { EventType, operations, webhooks } from '../../generated/contract.ts';

/* Types for handlers, derived from `generated/contract.ts`, which is generated from `openapi.yaml`. */

export type * from '../../generated/contract.ts';

/** Body of the webhook request of one type: `EventOf<'payment_link.paid'>`. */
export type EventOf<Type extends EventType> = webhooks[Type]['post']['requestBody']['content']['application/json'];

/** The operations that clients call. Those named `receive…Event` are the webhook requests that we send. */
export type OperationId = Exclude<keyof operations, `receive${string}Event`>;

/**
 * Rules of request bodies that the contract's schemas cannot express, by operation. Each returns the body in the service's
 * own units, which the handler gets as `parsed`, or throws an `ApiError`.
 */
export type BodyRules = { [Id in OperationId]?: (body: OperationInput<Id>['body']) => unknown };

/** Input of a handler: the validated parts of the request. */
export interface OperationInput<Id extends OperationId> {
  path: Present<operations[Id]['parameters']['path']>;
  query: Present<operations[Id]['parameters']['query']>;
  /** The documented request headers, by their names in lower case as Node gives them. */
  headers: LowerCaseKeys<Present<operations[Id]['parameters']['header']>>;
  /** Undefined for operations without request body, and where an optional one is left out. */
  body: RequestBody<operations[Id]['requestBody']>;
}

/** Reply of a handler: one of the documented success statuses with its body. Errors are thrown. */
export type OperationReply<Id extends OperationId> = {
  [Status in keyof operations[Id]['responses'] & SuccessStatus]: Reply<Status, operations[Id]['responses'][Status]>;
}[keyof operations[Id]['responses'] & SuccessStatus];

/** A handler for each operation of the contract: `{ … } satisfies Operations<MyContext>`. */
export type Operations<Context, Rules extends BodyRules = Record<never, never>> = {
  [Id in OperationId]: (
    context: Context,
    input: OperationInput<Id> & { parsed: Parsed<Rules, Id> },
  ) => Promise<OperationReply<Id>>;
};

type Parsed<Rules extends BodyRules, Id extends OperationId> =
  Rules extends Record<Id, (body: never) => infer Result> ? Result : undefined;

type SuccessStatus = 200 | 201 | 202 | 204;

/** Headers that the server sets on every response, so that handlers cannot set them. */
type HeaderOfEveryResponse = 'Request-Id' | 'RateLimit-Limit' | 'RateLimit-Remaining' | 'RateLimit-Reset';

type Reply<Status, Response> = Response extends { headers: infer Headers; content: { 'application/json': infer Body } }
  ? JsonReply<Status, Body, OwnHeaders<Headers>>
  : { status: Status; body?: undefined; rawBody?: undefined; headers?: undefined };

type JsonReply<Status, Body, Headers> = [keyof Headers] extends [never]
  ? { status: Status; body: Body; rawBody?: undefined; headers?: undefined }
  :
      | { status: Status; body: Body; rawBody?: undefined; headers?: Partial<Headers> }
      | StoredReply<Status, Headers, 'Idempotency-Replayed'>;

/** A replayed reply, sent byte for byte, for operations whose contract has a replay header. */
type StoredReply<Status, Headers, ReplayHeader> = ReplayHeader extends keyof Headers
  ? { status: Status; body?: undefined; rawBody: string; headers?: Partial<Headers> }
  : never;

/** The headers that this response alone documents; the index signature of the generated type is dropped. */
type OwnHeaders<Headers> = {
  [Name in keyof Headers as string extends Name ? never : Exclude<Name, HeaderOfEveryResponse>]: Headers[Name];
};

/** An absent group of parameters (`query?: never`) is an empty object at run time. */
type Present<Group> = [NonNullable<Group>] extends [never] ? Record<string, never> : NonNullable<Group>;

type LowerCaseKeys<Headers> = { [Name in keyof Headers as Lowercase<Name & string>]: Headers[Name] };

type RequestBody<Declared> = [NonNullable<Declared>] extends [never]
  ? undefined
  : NonNullable<Declared> extends { content: { 'application/json': infer Body } }
    ? Body | Extract<Declared, undefined>
    : never;
