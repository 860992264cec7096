import type { ApiScope } from '../../../contract/operations-type.ts';

export const keys = {
  states: {
    active: 'Active',
    expired: 'Expired',
    revoked: 'Revoked',
  },
  scopeTexts: {
    'payment_links:read': 'Read payment links',
    'payment_links:write': 'Create, change and cancel payment links',
    'webhooks:manage': 'Manage webhook endpoints',
  } satisfies Record<ApiScope, string>,
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
};
