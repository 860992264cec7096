import type { Api, ApiRequest } from '../api.ts';
import { Failure } from '../failure.ts';
import type { Webhook } from './post.ts';

/** One page of test events. */
export interface TestEvents {
  data: Webhook[];
  /** Position after these events. */
  cursor: string;
  hasMore: boolean;
  /** True if the service deleted events after the cursor, because the practice had too many. */
  eventsDropped: boolean;
}

/** Reads test events. Their ids and types become headers and lines of the terminal, so they are checked. @throws Failure */
export async function readTestEvents(api: Api, request: ApiRequest = {}): Promise<TestEvents> {
  const { data, cursor, hasMore, eventsDropped } = await api.call('GET', '/test-helpers/events', request);
  if (Array.isArray(data) && data.every(isWebhook) && typeof cursor === 'string') {
    return { data, cursor, hasMore: hasMore === true, eventsDropped: eventsDropped === true };
  }
  throw new Failure('The service answered with something other than test events.', 'Is the address right?');
}

function isWebhook(value: Partial<Record<keyof Webhook, unknown>> | null): value is Webhook {
  const isName = (name: unknown) => typeof name === 'string' && /^[\w.-]{1,200}$/.test(name);
  return isName(value?.id) && isName(value?.type) && typeof value?.payload === 'string';
}
