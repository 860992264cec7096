import type Koa from 'koa';
import type { ErrorCode } from '../base/errors.ts';
import type { CallerScope, Scope } from '../base/scope.ts';
import type { KeyLimit } from '../limits/admission.ts';

/** The request as the contract's validators see it, completed step by step as the checks go on. */
export interface ReadRequest {
  method: string;
  path: string;
  headers: Record<string, string>;
  query: Record<string, string | number>;
  body: object | undefined;
}

/** What a request carries along the chain. */
export interface RequestState {
  requestId: string;
  scope: Scope;
  /** The client's address, normalised; never used but for limits. */
  address: string;
  /** Set once the key is accepted. */
  callerScope?: CallerScope;
  keyLimit?: KeyLimit;
  /** For the log: what was asked and why it was refused. */
  operationId?: string;
  errorCode?: ErrorCode;
  /** The request as the contract adapter validates it, completed step by step. */
  request?: ReadRequest;
}

export type Context = Koa.ParameterizedContext<RequestState>;
