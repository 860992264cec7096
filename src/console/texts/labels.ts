/** Reasons why an endpoint gets nothing, or its secret is neither stored nor read. */
export const webhookRefusals = {
  endpoint_disabled: { en: 'The endpoint is disabled. Enable it first.', es: 'Active primero el punto de conexión.' },
  webhooks_unavailable: {
    en: 'Secrets cannot be read or stored at the moment. Try again later, or ask the operator.',
    es: 'Por ahora no se pueden leer ni guardar secretos. Inténtelo más tarde o avise al operador.',
  },
};

/** Names of columns, facts, fields and links that several pages have. */
export const labels = {
  amount: { en: 'Amount', es: 'Monto' },
  back: { en: 'Back', es: 'Volver' },
  change: { en: 'Change', es: 'Cambiar' },
  created: { en: 'Created', es: 'Creación' },
  day: { en: 'Day', es: 'Día' },
  duration: { en: 'Duration', es: 'Duración' },
  email: { en: 'Email address', es: 'Correo electrónico' },
  event: { en: 'Event', es: 'Evento' },
  key: { en: 'Key', es: 'Clave' },
  lastUsed: { en: 'Last used', es: 'Último uso' },
  location: { en: 'Location', es: 'Sede' },
  name: { en: 'Name', es: 'Nombre' },
  never: { en: 'Never', es: 'Nunca' },
  newer: { en: 'Newer', es: 'Más recientes' },
  newest: { en: 'Newest', es: 'Lo más reciente' },
  no: { en: 'No', es: 'No' },
  older: { en: 'Older', es: 'Anteriores' },
  patient: { en: 'Patient', es: 'Paciente' },
  phone: { en: 'Phone', es: 'Teléfono' },
  print: { en: 'Print', es: 'Imprimir' },
  reason: { en: 'Reason', es: 'Motivo' },
  since: { en: 'Since', es: 'Desde' },
  status: { en: 'Status', es: 'Estado' },
  time: { en: 'Time', es: 'Hora' },
  yes: { en: 'Yes', es: 'Sí' },
};
