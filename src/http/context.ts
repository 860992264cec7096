import type Koa from 'koa';
import type { KeyLimit } from '../access/admission.ts';
import type { ConsoleRequestState } from '../console/console.ts';
import type { OperationId } from '../contract/operations-type.ts';
import type { CallerScope } from '../platform/base/scope.ts';

export interface RequestState extends ConsoleRequestState {
  /** Set when the key has been accepted. */
  callerScope?: CallerScope;
  keyLimit?: KeyLimit;
  /** Operation of a known key, also of one that is refused. For the log of the console. */
  apiOperation?: OperationId;
}

export type Context = Koa.ParameterizedContext<RequestState>;
