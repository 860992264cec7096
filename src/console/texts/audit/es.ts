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
  createdAt: 'creación',
  expiresAt: 'vencimiento',
  id: 'id',
  locationId: 'sede',
  method: 'modo de iniciar sesión',
  mode: 'datos',
  name: 'nombre',
  passkeyId: 'llave de acceso',
  practiceId: 'consulta',
  processor: 'procesador',
  refundId: 'reembolso',
  status: 'estado',
  step: 'paso',
};

/** Spanish names of the kinds of objects that acts change. */
export const targets: Readonly<Record<string, string>> = {
  api_key: 'Clave de API',
  delivery: 'Entrega',
  endpoint: 'Punto de webhook',
  webhook_endpoint: 'Punto de webhook',
  location: 'Sede',
  membership: 'Persona',
  payment_link: 'Enlace de pago',
  person: 'Persona',
  practice: 'Consulta',
};
