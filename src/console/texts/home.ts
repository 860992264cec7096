import type { Both } from '../../pages/texts/languages.ts';
import type { ActReason } from '../../payment-links/billing/list-to-act-on.ts';

export const home = {
  title: { en: 'Overview', es: 'Resumen' },
  developers: { en: 'Keys and webhooks', es: 'Claves y webhooks' },
  spans: {
    today: { en: 'Today', es: 'Hoy' },
    week: { en: 'This week', es: 'Esta semana' },
    month: { en: 'This month', es: 'Este mes' },
  },
  formerSpans: {
    today: { en: 'Yesterday', es: 'Ayer' },
    week: { en: 'Same days last week', es: 'Mismos días de la semana pasada' },
    month: { en: 'Same days last month', es: 'Mismos días del mes pasado' },
  },
  outstanding: { en: 'Outstanding', es: 'Por cobrar' },
  owed: { en: 'Owed now', es: 'Pendiente de pago' },
  expiring: { en: 'Expires within 7 days', es: 'Vence en 7 días' },
  processing: { en: 'Bank debits under way', es: 'Débitos bancarios en curso' },
  links: (count: string) => ({ en: `Links: ${count}`, es: `Enlaces: ${count}` }),
  payments: (count: string) => ({ en: `Payments: ${count}`, es: `Pagos: ${count}` }),
  toActOn: {
    open_dispute: { en: 'Open disputes', es: 'Disputas abiertas' },
    returned_debit: { en: 'Debits returned', es: 'Débitos devueltos' },
    failed_refund: { en: 'Refunds that failed', es: 'Reembolsos fallidos' },
  } satisfies Record<ActReason, Both>,
  listedFor: { en: 'In the last 60 days', es: 'En los últimos 60 días' },
  chart: { en: 'The last 30 days', es: 'Los últimos 30 días' },
  table: { en: 'The same figures in a table', es: 'Las mismas cifras en una tabla' },
  weeks: { en: 'Weeks begin on Monday.', es: 'Las semanas empiezan el lunes.' },
};
