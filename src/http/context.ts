import type Koa from 'koa';
import type { ErrorCode } from '../base/errors.ts';
import type { CallerScope, Scope } from '../base/scope.ts';
import type { OperationId } from '../contract/operations-type.ts';
import type { KeyLimit } from '../limits/admission.ts';

/** State of one request, shared by all middleware. */
export interface RequestState {
  requestId: string;
  scope: Scope;
  /** The client's normalised address, used only for limits. */
  address: string;
  /** Set when the key has been accepted. */
  callerScope?: CallerScope;
  keyLimit?: KeyLimit;
  /** Operation of a known key, also of one that is refused. For the log of the console. */
  apiOperation?: OperationId;
  /** For the log, like `errorCode`. */
  operationId?: string;
  errorCode?: ErrorCode;
  /** Set by the console: the signed-in person and the practice. For the log. */
  personId?: string;
  practiceId?: string;
}

/** Context of a request in the middleware of this room. */
export type Context = Koa.ParameterizedContext<RequestState>;
