/** Acts of the settings in the audit log. */
export const settingsActs: Readonly<Record<string, string>> = {
  'settings.changed': 'Cambió los ajustes',
  'logo.changed': 'Cambió el logotipo',
  'notifications.changed': 'Cambió quién recibe avisos',
  'onboarding.opened': 'Abrió el alta en el procesador de pagos',
  'location.changed': 'Cambió una sede',
};

/** Fields of the settings in the audit log. */
export const settingsFields: Readonly<Record<string, string>> = {
  name: 'nombre',
  phone: 'teléfono',
  postalAddress: 'dirección postal',
  disputes: 'disputas',
  refunds: 'reembolsos',
  payments: 'pagos',
  webhooks: 'webhooks',
  walletsEnabled: 'Apple Pay y Google Pay',
  brandColor: 'color',
  logoHash: 'logotipo',
  city: 'ciudad',
  state: 'estado',
  timeZone: 'zona horaria',
  active: 'en uso',
};
