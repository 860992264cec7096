import type { Mutant } from './mutant.ts';

const KEYS = 'test/console/developers/keys.test.ts';
const ENDPOINTS = 'test/console/developers/endpoints.test.ts';
const REQUESTS = 'test/console/developers/requests.test.ts';

/** Faults in the console's pages for developers, and in the log of API requests. */
export const DEVELOPERS: readonly Mutant[] = [
  {
    name: 'a form that is sent twice creates two objects',
    file: 'src/console/model/sent-forms.ts',
    text: 'return stored.length === 1;',
    instead: 'return stored.length <= 1;',
    test: KEYS,
    title: 'a form for a key that is sent twice',
  },
  {
    name: 'a key without a permission gets all permissions',
    file: 'src/console/screens/developers/keys.ts',
    text: "if (scopes.length === 0) return 'no_scope';",
    instead: '',
    test: KEYS,
    title: 'a form without permission',
  },
  {
    name: 'keys of the other mode are known',
    file: 'src/keys/service.ts',
    text: 'await em.findOne(ApiKey, { ...owner, id })',
    instead: 'await em.findOne(ApiKey, { practiceId: owner.practiceId, id })',
    test: KEYS,
    title: 'a key of the other mode is an unknown one',
  },
  {
    name: 'keys are managed without a fresh sign-in',
    file: 'src/console/model/roles.ts',
    text: "'keys.manage': { roles: DEVELOPERS, reach: 'practice', sensitive: true },",
    instead: "'keys.manage': { roles: DEVELOPERS, reach: 'practice' },",
    test: KEYS,
    title: 'ask for a sign-in of the last 15 minutes',
  },
  {
    name: 'a form that replaces a secret and is sent twice ends the overlap',
    file: 'src/webhooks/endpoints/service.ts',
    text: 'formerMark !== undefined && formerMark !== secretMark(endpoint)',
    instead: "formerMark === ''",
    test: ENDPOINTS,
    title: 'replaces the secret and is sent twice replaces it once',
  },
  {
    name: 'parameters of an address are in the audit log',
    file: 'src/webhooks/endpoints/acts.ts',
    text: "const [address = '', ...parameters] = url.split('?');",
    instead: "const [address = '', ...parameters] = url.split('#');",
    test: ENDPOINTS,
    title: 'the audit log has no parameter of its address',
  },
  {
    name: 'the log of requests shows those of all practices',
    file: 'src/keys/list-requests.ts',
    text: '      practiceId,\n      test,',
    instead: '      test,',
    test: REQUESTS,
    title: 'requests appear with operation',
  },
  {
    name: 'a busy key is logged without a limit',
    file: 'src/keys/request-log.ts',
    text: 'if (count >= LOGGED_PER_MINUTE) return false;',
    instead: 'if (status < 400 && count >= LOGGED_PER_MINUTE) return true;',
    test: REQUESTS,
    title: 'a busy key is logged up to a limit',
  },
];
