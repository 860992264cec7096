import { get, post, type Route } from '../../routing/route.ts';
import { openOnboarding, saveStatement, saveWallets, showAccount } from './account.ts';
import { addLocation, changeOne, deactivate, showLocation, withLocation } from './locations.ts';
import { saveNotifications, showNotifications } from './notifications.ts';
import { removeLogo, saveColor, saveKeyRule, saveLogo, savePractice, showSettings } from './practice.ts';

const SETTINGS = '/console/:practiceId/settings';
const LOCATION = `${SETTINGS}/locations/:locationId`;
const NOTIFICATIONS = `${SETTINGS}/notifications`;
const ACCOUNT = `${SETTINGS}/payment-account`;
const access = 'settings.manage';

export const SETTINGS_ROUTES: readonly Route[] = [
  get('settings', SETTINGS, access, (visit) => showSettings(visit)),
  post('settings.practice', SETTINGS, access, savePractice),
  post('settings.color', `${SETTINGS}/color`, access, saveColor),
  post('settings.keys', `${SETTINGS}/keys`, access, saveKeyRule, { sensitive: true }),
  post('settings.logo', `${SETTINGS}/logo`, access, saveLogo, { takesFile: true }),
  post('settings.logo_remove', `${SETTINGS}/logo/remove`, access, removeLogo),
  post('settings.location_add', `${SETTINGS}/locations`, access, addLocation),
  get('settings.location', LOCATION, access, withLocation(showLocation)),
  post('settings.location_change', LOCATION, access, withLocation(changeOne)),
  post('settings.location_deactivate', `${LOCATION}/deactivate`, access, withLocation(deactivate)),
  get('settings.notifications', NOTIFICATIONS, access, (visit) => showNotifications(visit)),
  post('settings.notifications_change', NOTIFICATIONS, access, saveNotifications, { sensitive: true }),
  get('settings.account', ACCOUNT, access, (visit) => showAccount(visit)),
  post('settings.onboarding', ACCOUNT, access, openOnboarding, { sensitive: true }),
  post('settings.wallets', `${ACCOUNT}/wallets`, access, saveWallets, { sensitive: true }),
  post('settings.statement', `${ACCOUNT}/statement`, access, saveStatement, { sensitive: true }),
];
