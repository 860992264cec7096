import type { Route } from '../../routing/route.ts';
import { openOnboarding, saveStatement, saveWallets, showAccount } from './account.ts';
import { addLocation, changeOne, deactivate, showLocation } from './locations.ts';
import { saveNotifications, showNotifications } from './notifications.ts';
import { removeLogo, saveColor, saveKeyRule, saveLogo, savePractice, showSettings } from './practice.ts';

const SETTINGS = '/console/:practiceId/settings';
const LOCATION = `${SETTINGS}/locations/:locationId`;
const NOTIFICATIONS = `${SETTINGS}/notifications`;
const ACCOUNT = `${SETTINGS}/payment-account`;
const access = 'settings.manage';

/** Pages on the settings of a practice. */
export const SETTINGS_ROUTES: readonly Route[] = [
  { name: 'settings', method: 'GET', path: SETTINGS, access, handle: (visit) => showSettings(visit) },
  { name: 'settings.practice', method: 'POST', path: SETTINGS, access, handle: savePractice },
  { name: 'settings.color', method: 'POST', path: `${SETTINGS}/color`, access, handle: saveColor },
  { name: 'settings.keys', method: 'POST', path: `${SETTINGS}/keys`, access, sensitive: true, handle: saveKeyRule },
  { name: 'settings.logo', method: 'POST', path: `${SETTINGS}/logo`, access, takesFile: true, handle: saveLogo },
  { name: 'settings.logo_remove', method: 'POST', path: `${SETTINGS}/logo/remove`, access, handle: removeLogo },
  { name: 'settings.location_add', method: 'POST', path: `${SETTINGS}/locations`, access, handle: addLocation },
  { name: 'settings.location', method: 'GET', path: LOCATION, access, handle: (visit) => showLocation(visit) },
  { name: 'settings.location_change', method: 'POST', path: LOCATION, access, handle: changeOne },
  { name: 'settings.location_deactivate', method: 'POST', path: `${LOCATION}/deactivate`, access, handle: deactivate },
  {
    name: 'settings.notifications',
    method: 'GET',
    path: NOTIFICATIONS,
    access,
    handle: (visit) => showNotifications(visit),
  },
  {
    name: 'settings.notifications_change',
    method: 'POST',
    path: NOTIFICATIONS,
    access,
    sensitive: true,
    handle: saveNotifications,
  },
  { name: 'settings.account', method: 'GET', path: ACCOUNT, access, handle: (visit) => showAccount(visit) },
  { name: 'settings.onboarding', method: 'POST', path: ACCOUNT, access, sensitive: true, handle: openOnboarding },
  {
    name: 'settings.wallets',
    method: 'POST',
    path: `${ACCOUNT}/wallets`,
    access,
    sensitive: true,
    handle: saveWallets,
  },
  {
    name: 'settings.statement',
    method: 'POST',
    path: `${ACCOUNT}/statement`,
    access,
    sensitive: true,
    handle: saveStatement,
  },
];
