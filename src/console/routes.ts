import type { Route } from './routing/route.ts';
import { ACCOUNT_ROUTES } from './screens/account.ts';
import { AUDIT_ROUTES } from './screens/audit-log.ts';
import { DEVELOPER_ROUTES } from './screens/developers/routes.ts';
import { HOME_ROUTES } from './screens/home.ts';
import { PEOPLE_ROUTES } from './screens/people.ts';
import { SIGN_IN_ROUTES } from './screens/sign-in.ts';

/** All routes of the console. A page that is missing here does not exist. */
export const CONSOLE_ROUTES: readonly Route[] = [
  ...SIGN_IN_ROUTES,
  ...ACCOUNT_ROUTES,
  ...HOME_ROUTES,
  ...DEVELOPER_ROUTES,
  ...PEOPLE_ROUTES,
  ...AUDIT_ROUTES,
];
