import type { StatusClass } from '../../../keys/list-requests.ts';
import { endpoints } from './endpoints.ts';
import { keys } from './keys.ts';

export const developers = {
  lead: 'Programs of your practice use the API with a key, and receive events at webhook endpoints.',
  first: {
    steps: [
      'Create an API key in test data. Nothing that it does moves money.',
      'Follow the quickstart: create a payment link and pay it with a test card.',
      'Add an endpoint, and send it a test event.',
      'Switch to live data and create a live key when your program works.',
    ],
  },
  refusals: {
    endpoint_disabled: 'The endpoint is disabled. Enable it first.',
    webhooks_unavailable: 'Secrets cannot be read or stored at the moment. Try again later, or ask the operator.',
    no_name: 'Enter a name of at most 60 characters, without invisible marks of direction.',
    no_scope: 'Choose at least one permission. A key without any could do nothing.',
    unknown_location: 'Choose a location in use, or all.',
    expiry_past: 'Enter a day in the future, or leave it empty.',
    sent_before:
      'This form was sent before, and nothing was created a second time. If you did not copy the key, revoke it and create another.',
    key_not_shown: 'This key cannot be shown again. Create a new one, and revoke this one.',
    live_key: 'In this practice, only owners and administrators create live keys.',
    no_event: 'Choose all types, or only these and at least one of them.',
    description_invalid: 'A note has at most 500 characters, without special control characters.',
    limit_reached: 'Ten endpoints is the limit. Delete one first.',
    rotated_before: 'The secret was replaced since you opened the page. Nothing was changed. Look at the new secret.',
    since_invalid: 'Enter a day and a time.',
    since_outside: 'Enter a time of the last 30 days.',
  },
  done: {
    revoked: 'The key is revoked. It no longer works.',
    created: 'The endpoint receives events from now on. Show its secret to check signatures.',
    enabled: 'The endpoint is enabled. To send what it missed, start a replay.',
    disabled: 'The endpoint is disabled. Nothing more is sent to it.',
    deleted: 'The endpoint and its deliveries are gone.',
  },
  keys,
  endpoints,
  requests: {
    lead: 'Requests of your keys in the last three days, the newest first. New ones appear after a few seconds.',
    omitted: (count: number) =>
      `Busy keys: each server keeps at most ${count} requests with an error and ${count} without per minute. Requests without a valid key are not here.`,
    id: 'Request id',
    classes: {
      '2': '2xx: success',
      '4': '4xx: refused',
      '5': '5xx: failed',
      refused: 'All errors',
    } satisfies Record<StatusClass, string>,
  },
};
