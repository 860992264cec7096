/** Spanish names of acts on links and passkeys, and of views of patient data, in the audit log. */
export const acts: Readonly<Record<string, string>> = {
  'link.created': 'Creó un enlace de pago',
  'link.changed': 'Cambió un enlace de pago',
  'link.cancelled': 'Canceló un enlace de pago',
  'link.simulated': 'Simuló un suceso de un enlace de prueba',
  'link.viewed': 'Consultó un enlace de pago',
  'payment.viewed': 'Consultó un pago',
  'payment.refunded': 'Reembolsó un pago',
  'delivery.redelivered': 'Envió de nuevo un webhook',
  'key.viewed': 'Vio una clave de prueba',
  'onboarding.opened': 'Abrió el alta en el procesador de pagos',
  'passkey.added': 'Añadió una llave de acceso',
  'passkey.removed': 'Quitó una llave de acceso',
};

/** Spanish names of the fields that acts change. */
export const fields: Readonly<Record<string, string>> = {
  amountCents: 'importe en centavos',
  changedFields: 'campos cambiados',
  expiresAt: 'vencimiento',
  locationId: 'sede',
  method: 'modo de iniciar sesión',
  mode: 'datos',
  name: 'nombre',
  passkeyId: 'llave de acceso',
  processor: 'procesador',
  refundId: 'reembolso',
  status: 'estado',
  step: 'paso',
};
