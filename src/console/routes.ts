import { type Route, routeTable } from './routing/route.ts';
import { ACCOUNT_ROUTES } from './screens/account.ts';
import { AUDIT_ROUTES } from './screens/audit-log.ts';
import { DELIVERY_ROUTES } from './screens/deliveries/routes.ts';
import { DEVELOPER_ROUTES } from './screens/developers/routes.ts';
import { HOME_ROUTES } from './screens/home.ts';
import { LINK_ROUTES } from './screens/links/routes.ts';
import { PASSKEY_ROUTES } from './screens/passkeys.ts';
import { PAYMENT_ROUTES } from './screens/payments/routes.ts';
import { PEOPLE_ROUTES } from './screens/people.ts';
import { SEARCH_ROUTES } from './screens/search.ts';
import { SETTINGS_ROUTES } from './screens/settings/routes.ts';
import { SIGN_IN_ROUTES } from './screens/sign-in.ts';
import { returnPathOf } from './sign-in/return-path.ts';

/** All routes of the console. A page that is missing here does not exist. */
export const CONSOLE_ROUTES: readonly Route[] = [
  ...SIGN_IN_ROUTES,
  ...ACCOUNT_ROUTES,
  ...PASSKEY_ROUTES,
  ...HOME_ROUTES,
  ...DELIVERY_ROUTES,
  ...PAYMENT_ROUTES,
  ...SETTINGS_ROUTES,
  ...LINK_ROUTES,
  ...SEARCH_ROUTES,
  ...DEVELOPER_ROUTES,
  ...PEOPLE_ROUTES,
  ...AUDIT_ROUTES,
];

export const table = routeTable(CONSOLE_ROUTES);

/** Returns the text if it is the path of a page to which a sign-in may lead back; else null. A path of forms alone is none. */
export function pagePath(text: string | null | undefined): string | null {
  const path = returnPathOf(text);
  return path !== null && 'route' in table.find('GET', path) ? path : null;
}
