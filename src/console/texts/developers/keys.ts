import type { ApiScope } from '../../../contract/operations-type.ts';

export const keys = {
  title: 'API keys',
  empty: 'There is no key yet.',
  scopes: 'Permissions',
  creator: 'Created by',
  expires: 'Expires',
  states: {
    active: 'Active',
    expired: 'Expired',
    revoked: 'Revoked',
  },
  name: (lastFour: string) => `Key …${lastFour}`,
  naming: {
    label: 'Name of the key',
    hint: 'Its program, such as “Billing import”.',
  },
  limit: 'Limit',
  limitText: (count: number) => `${count} requests per minute`,
  add: 'Create an API key',
  scopeTexts: {
    'payment_links:read': 'Read payment links',
    'payment_links:write': 'Create, change and cancel payment links',
    'webhooks:manage': 'Manage webhook endpoints',
  } satisfies Record<ApiScope, string>,
  form: {
    scopesHelp:
      'Give a key only what its program needs. A live key that reads payment links reads the names and contact details of all patients.',
    expiry: 'Last day (optional)',
    expiryHelp: 'The key works until the end of this day.',
    button: 'Create the key',
  },
  shown: {
    title: 'Your new API key',
    live: 'Copy the key now. It is shown this one time only. Keep it where only your program reads it.',
    test: 'Keep it where only your program reads it.',
    label: 'API key',
  },
  show: {
    title: 'Show the key',
    text: 'Test keys can be shown again. The audit log records it.',
    button: 'Show',
  },
  revoke: {
    title: 'Revoke the key',
    text: 'Programs that use it are refused at their next request. This cannot be undone.',
    label: 'Yes, revoke this key',
    button: 'Revoke',
  },
  requests: 'Requests of this key',
};
