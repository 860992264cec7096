/** Acts of the settings in the audit log. */
export const settingsActs: Readonly<Record<string, string>> = {
  'settings.changed': 'Changed the settings',
  'logo.changed': 'Changed the logo',
  'notifications.changed': 'Changed who gets notifications',
  'onboarding.opened': 'Opened the onboarding of the payment processor',
  'location.changed': 'Changed a location',
};

/** Fields of the settings in the audit log. */
export const settingsFields: Readonly<Record<string, string>> = {
  name: 'name',
  phone: 'telephone',
  postalAddress: 'postal address',
  disputes: 'disputes',
  refunds: 'refunds',
  payments: 'payments',
  webhooks: 'webhooks',
  walletsEnabled: 'Apple Pay and Google Pay',
  brandColor: 'color',
  logoHash: 'logo',
  city: 'city',
  state: 'state',
  timeZone: 'time zone',
  active: 'in use',
};
