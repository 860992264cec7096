import { get, post, type Route, routeTable } from './routing/route.ts';
import { confirmed } from './routing/visit.ts';
import * as account from './screens/account.ts';
import { exportAuditLog, showAuditLog } from './screens/audit-log.ts';
import { redeliverOne, retryOneNow, showDelivery } from './screens/deliveries/delivery.ts';
import { showDeliveries } from './screens/deliveries/list.ts';
import * as endpoints from './screens/developers/endpoints.ts';
import * as keys from './screens/developers/keys.ts';
import { showOverview } from './screens/developers/overview.ts';
import { showReplay, startReplay } from './screens/developers/replay.ts';
import { showRequests } from './screens/developers/requests.ts';
import { settleFailedRefund, showHome } from './screens/home.ts';
import * as link from './screens/links/change-cancel-send.ts';
import { showLinks, showSearch } from './screens/links/list.ts';
import { createLink, showNewLink } from './screens/links/new-link.ts';
import { showLink, showSlip } from './screens/links/one-link.ts';
import { downloadOwed, sendAgain, showOwed } from './screens/owed.ts';
import { showDailyTotals } from './screens/payments/daily-totals.ts';
import { answerDispute } from './screens/payments/disputes.ts';
import { exportPayments, showPayments } from './screens/payments/list.ts';
import { showEvidence, showPayment } from './screens/payments/payment.ts';
import { confirmRefund, reviewRefund, showRefund } from './screens/payments/refund.ts';
import * as people from './screens/people.ts';
import * as locations from './screens/settings/locations.ts';
import { openOnboarding, saveStatement, saveWallets, showAccount } from './screens/settings/payment-account.ts';
import * as practice from './screens/settings/practice.ts';
import * as signIn from './screens/sign-in.ts';

const SIGN_IN = '/console/sign-in';
const ACCOUNT = '/console/account';
const PASSKEYS = `${ACCOUNT}/passkeys`;
const PRACTICE = '/console/:practiceId';
const MODE = `${PRACTICE}/:mode`;
const DELIVERIES = `${MODE}/deliveries`;
const DELIVERY = `${DELIVERIES}/:eventId`;
const PAYMENTS = `${MODE}/payments`;
const PAYMENT = `${PAYMENTS}/:paidLinkId`;
const SETTINGS = `${PRACTICE}/settings`;
const LOCATION = `${SETTINGS}/locations/:locationId`;
const PAYMENT_ACCOUNT = `${SETTINGS}/payment-account`;
const OWED = `${MODE}/owed`;
const LINKS = `${MODE}/links`;
const LINK = `${LINKS}/:linkId`;
const DEVELOPERS = `${MODE}/developers`;
const KEYS = `${DEVELOPERS}/keys`;
const KEY = `${KEYS}/:keyId`;
const ENDPOINTS = `${DEVELOPERS}/webhooks`;
const ENDPOINT = `${ENDPOINTS}/:endpointId`;
const PEOPLE = `${PRACTICE}/people`;
const MEMBER = `${PEOPLE}/:membershipId`;
const INVITATION = `${PRACTICE}/invitations/:invitationId`;
const AUDIT_LOG = `${PRACTICE}/audit-log`;

const COUNTED = { isCounted: true } as const;
const SENSITIVE = { sensitive: true } as const;
const COUNTED_SENSITIVE = { ...COUNTED, ...SENSITIVE };
/** Taking access away is urgent, and needs no fresh sign-in. */
const TAKES_AWAY = { sensitive: false } as const;
const SENSITIVE_LIVE = { sensitive: 'live' } as const;

/** All routes of the console. A page that is missing here does not exist. */
export const CONSOLE_ROUTES: readonly Route[] = [
  get('sign_in.form', SIGN_IN, 'public', signIn.showForm),
  post('sign_in.request', SIGN_IN, 'public', signIn.request, COUNTED),
  get('sign_in.sent', `${SIGN_IN}/sent`, 'public', signIn.showSent),
  post('sign_in.passkey_options', `${SIGN_IN}/passkey/options`, 'public', signIn.passkeyOptions, COUNTED),
  post('sign_in.passkey', `${SIGN_IN}/passkey`, 'public', signIn.confirmByPasskey, COUNTED),
  get('sign_in.link', `${SIGN_IN}/:token`, 'public', signIn.showLink),
  post('sign_in.confirm', `${SIGN_IN}/:token`, 'public', signIn.confirm, COUNTED),

  get('account.practices', '/console', 'person', account.showPractices),
  get('account', ACCOUNT, 'person', account.showAccount),
  post('account.rename', `${ACCOUNT}/name`, 'person', account.rename),
  post('account.session_end', `${ACCOUNT}/sessions/end`, 'person', account.endOneSession),
  post('account.sign_out', '/console/sign-out', 'person', account.endSession),
  post('account.sign_out_everywhere', '/console/sign-out-everywhere', 'person', account.signOutOfAll),
  post('account.confirm', '/console/confirm', 'person', account.requestConfirmation, COUNTED),
  get('account.left', '/console/left', 'public', account.showLeft),
  get('account.confirm_sent', '/console/confirm', 'person', account.showSent),
  post('account.passkey_options', `${PASSKEYS}/options`, 'person', account.passkeyOptions, COUNTED_SENSITIVE),
  post('account.passkey_add', PASSKEYS, 'person', account.addOwnPasskey, SENSITIVE),
  post('account.passkey_remove', `${PASSKEYS}/:passkeyId/remove`, 'person', confirmed(account.removeOwnPasskey)),

  get('home', PRACTICE, 'home.view', (visit) => showHome(visit), { isLive: true }),
  get('home.of_mode', MODE, 'home.view', (visit) => showHome(visit)),
  post('home.settle_refund', `${MODE}/attention`, 'payments.refund', settleFailedRefund),

  get('deliveries.list', DELIVERIES, 'developers.view', showDeliveries),
  get('deliveries.one', DELIVERY, 'developers.view', showDelivery),
  post('deliveries.redeliver', `${DELIVERY}/redeliver`, 'webhooks.manage', redeliverOne),
  post('deliveries.retry_now', `${DELIVERY}/retry`, 'webhooks.manage', retryOneNow),

  get('payments.list', PAYMENTS, 'payments.view', showPayments),
  post('payments.export', `${PAYMENTS}/export`, 'payments.export', exportPayments),
  get('payments.one', PAYMENT, 'payments.view', showPayment),
  get('payments.evidence', `${PAYMENT}/disputes/:disputeId`, 'payments.view', showEvidence),
  post('payments.answer', `${PAYMENT}/disputes/:disputeId`, 'payments.answer', answerDispute),
  get('payments.refund_form', `${PAYMENT}/refund`, 'payments.refund', showRefund),
  post('payments.refund_review', `${PAYMENT}/refund`, 'payments.refund', reviewRefund),
  post('payments.refund', `${PAYMENT}/refund/confirm`, 'payments.refund', confirmed(confirmRefund)),
  get('payments.reconciliation', `${MODE}/reconciliation`, 'payments.view', showDailyTotals),

  get('settings', SETTINGS, 'settings.manage', practice.showSettings),
  post('settings.practice', SETTINGS, 'settings.manage', practice.savePractice),
  post('settings.color', `${SETTINGS}/color`, 'settings.manage', practice.saveColor),
  post('settings.keys', `${SETTINGS}/keys`, 'settings.manage', practice.saveKeyRule, SENSITIVE),
  post('settings.logo', `${SETTINGS}/logo`, 'settings.manage', practice.saveLogo, { takesFile: true }),
  post('settings.logo_remove', `${SETTINGS}/logo/remove`, 'settings.manage', confirmed(practice.removeLogo)),
  post('settings.location_add', `${SETTINGS}/locations`, 'settings.manage', practice.addLocation),
  get('settings.location', LOCATION, 'settings.manage', locations.showLocation),
  post('settings.location_change', LOCATION, 'settings.manage', locations.changeOne),
  post('settings.location_deactivate', `${LOCATION}/deactivate`, 'settings.manage', confirmed(locations.deactivate)),
  post('settings.notifications', `${SETTINGS}/notifications`, 'settings.manage', practice.saveNotifications, SENSITIVE),
  get('settings.account', PAYMENT_ACCOUNT, 'settings.manage', showAccount),
  post('settings.onboarding', PAYMENT_ACCOUNT, 'settings.manage', openOnboarding, SENSITIVE),
  post('settings.wallets', `${PAYMENT_ACCOUNT}/wallets`, 'settings.manage', saveWallets, SENSITIVE),
  post('settings.statement', `${PAYMENT_ACCOUNT}/statement`, 'settings.manage', saveStatement, SENSITIVE),

  get('owed.list', OWED, 'links.view', (visit) => showOwed(visit)),
  post('owed.send', `${OWED}/send`, 'links.change', sendAgain),
  post('owed.export', `${OWED}/export`, 'payments.export', downloadOwed),
  get('links.list', LINKS, 'links.view', showLinks),
  get('links.new', `${LINKS}/new`, 'links.create', showNewLink),
  post('links.create', `${LINKS}/new`, 'links.create', createLink),
  get('links.one', LINK, 'links.view', showLink),
  get('links.slip', `${LINK}/slip`, 'links.view', showSlip),
  get('links.change_form', `${LINK}/change`, 'links.change', link.showChange),
  post('links.change', `${LINK}/change`, 'links.change', link.change),
  get('links.cancel_form', `${LINK}/cancel`, 'links.cancel', link.showCancel),
  post('links.cancel', `${LINK}/cancel`, 'links.cancel', confirmed(link.cancel)),
  post('links.undo_settlement', `${LINK}/cancel/undo`, 'links.cancel', link.undo),
  get('links.send_form', `${LINK}/send`, 'links.change', link.showSend),
  post('links.send', `${LINK}/send`, 'links.change', link.send),
  get('search', `${MODE}/search`, 'links.view', showSearch),

  // Acts that send live events to a new address, send them again, or end them, need a fresh sign-in.
  get('developers.home', DEVELOPERS, 'developers.view', showOverview),
  get('keys.new', `${KEYS}/new`, 'keys.manage', keys.showNewKey),
  post('keys.create', KEYS, 'keys.manage', keys.createKey),
  get('keys.one', KEY, 'developers.view', keys.showOneKey),
  post('keys.rename', `${KEY}/rename`, 'keys.manage', keys.rename),
  post('keys.revoke', `${KEY}/revoke`, 'keys.manage', confirmed(keys.revoke), TAKES_AWAY),
  post('keys.show', `${KEY}/show`, 'secrets.view', keys.showKeyAgain),
  get('webhooks.new', `${ENDPOINTS}/new`, 'webhooks.manage', endpoints.showNewEndpoint),
  post('webhooks.create', ENDPOINTS, 'webhooks.manage', endpoints.create, SENSITIVE_LIVE),
  get('webhooks.one', ENDPOINT, 'developers.view', endpoints.showEndpoint),
  post('webhooks.change', ENDPOINT, 'webhooks.manage', endpoints.change),
  post('webhooks.enable', `${ENDPOINT}/enable`, 'webhooks.manage', endpoints.enable),
  post('webhooks.disable', `${ENDPOINT}/disable`, 'webhooks.manage', confirmed(endpoints.disable)),
  post('webhooks.delete', `${ENDPOINT}/delete`, 'webhooks.manage', confirmed(endpoints.remove), SENSITIVE_LIVE),
  post('webhooks.secret', `${ENDPOINT}/secret`, 'secrets.view', endpoints.show),
  post('webhooks.rotate', `${ENDPOINT}/rotate`, 'secrets.view', confirmed(endpoints.rotate)),
  get('webhooks.preview', `${ENDPOINT}/replay`, 'webhooks.manage', showReplay),
  post('webhooks.replay', `${ENDPOINT}/replay`, 'webhooks.manage', confirmed(startReplay), SENSITIVE_LIVE),
  post('webhooks.test', `${ENDPOINT}/test`, 'webhooks.manage', endpoints.sendTest),
  get('developers.requests', `${DEVELOPERS}/requests`, 'developers.view', showRequests),

  get('people.list', PEOPLE, 'people.view', people.showList),
  post('people.invite', PEOPLE, 'people.manage', people.invite),
  get('people.one', MEMBER, 'people.manage', people.showOne),
  post('people.change', MEMBER, 'people.manage', people.change),
  post('people.lock', `${MEMBER}/lock`, 'people.manage', confirmed(people.lock), TAKES_AWAY),
  post('people.unlock', `${MEMBER}/unlock`, 'people.manage', people.unlock),
  post('people.remove', `${MEMBER}/remove`, 'people.manage', confirmed(people.remove), TAKES_AWAY),
  post('people.invitation_send', `${INVITATION}/send`, 'people.manage', people.sendInvitation),
  post('people.invitation_withdraw', `${INVITATION}/withdraw`, 'people.manage', people.withdraw, TAKES_AWAY),

  get('audit_log', AUDIT_LOG, 'audit_log.view', showAuditLog),
  post('audit_log.export', `${AUDIT_LOG}/export`, 'audit_log.view', exportAuditLog),
];

export const table = routeTable(CONSOLE_ROUTES);

/** The alphabet of ids, and a limit of the length. So the text can name no other site, however a browser reads it. */
const PATH = /^\/console(?:\/[\w-]{1,128}){1,8}$/;

/** Pages of the sign-in itself, and forms that end it. */
const SIGN_IN_PATH = /^\/console\/(?:sign-in|sign-out|sign-out-everywhere|confirm|left)(?:\/|$)/;

/** Returns the text if it is the path of a page to which a sign-in may lead back; else null. Parameters may name a patient. */
export function pagePath(text: string | null | undefined): string | null {
  const isPage = text && PATH.test(text) && !SIGN_IN_PATH.test(text) && 'route' in table.find('GET', text);
  return isPage ? text : null;
}

/** Returns the path if a page has it; else the path of the nearest page above it, and null without one. */
export function pageAbove(path: string): string | null {
  for (let end = path.length; end > 0; end = path.lastIndexOf('/', end - 1)) {
    const page = pagePath(path.slice(0, end));
    if (page !== null) return page;
  }
  return null;
}
