import type { Both } from '../../../pages/texts/languages.ts';
import type { TimelineActor, TimelineEntry } from '../../../payment-links/billing/timeline.ts';
import type { RefundStatus } from '../../../payment-links/model/transitions.ts';
import { disputeReasons } from './disputes.ts';

export const payment = {
  title: (amount: string) => ({ en: `Payment of ${amount}`, es: `Pago de ${amount}` }),
  facts: {
    fee: { en: 'Fee', es: 'Comisión' },
    net: { en: 'Net', es: 'Neto' },
    refunded: { en: 'Refunded', es: 'Reembolsado' },
    refundable: { en: 'Still refundable', es: 'Aún reembolsable' },
    method: { en: 'Method', es: 'Forma de pago' },
    number: { en: 'Payment number', es: 'Número de pago' },
    descriptor: { en: 'On the statement', es: 'En el estado de cuenta' },
    paid: { en: 'Paid', es: 'Pagado' },
    settled: { en: 'Settled', es: 'Liquidado' },
    description: { en: 'For', es: 'Concepto' },
  },
  unknown: { en: 'not known yet', es: 'aún desconocido' },
  done: { en: 'The refund is recorded. Its status is below.', es: 'El reembolso está registrado; abajo, su estado.' },
  refunds: {
    title: { en: 'Refunds', es: 'Reembolsos' },
    none: { en: 'Nothing was refunded.', es: 'No se ha reembolsado nada.' },
    when: { en: 'When', es: 'Cuándo' },
  },
  refundStatus: {
    pending: { en: 'On its way', es: 'En camino' },
    succeeded: { en: 'Refunded', es: 'Reembolsado' },
    failed: { en: 'Failed', es: 'Fallido' },
  } satisfies Record<RefundStatus, Both>,
  disputes: {
    title: { en: 'Disputes', es: 'Disputas' },
    opened: { en: 'Opened', es: 'Abierta' },
    due: { en: 'Evidence due', es: 'Evidencia hasta' },
  },
  disputeReasons,
  disputeStatus: {
    open: { en: 'Open', es: 'Abierta' },
    won: { en: 'Won', es: 'Ganada' },
    lost: { en: 'Lost', es: 'Perdida' },
  },
  authorisation: {
    title: { en: 'Authorization', es: 'Autorización' },
    given: (moment: string) => ({
      en: `Given on the hosted page on ${moment}.`,
      es: `Dada en la página de pago el ${moment}.`,
    }),
    card: {
      en: 'A card payment has no text. The patient entered the card on the hosted page.',
      es: 'Un pago con tarjeta no tiene texto. El paciente introdujo la tarjeta en la página de pago.',
    },
    erased: {
      en: 'The record is not kept: it is older than two years, or the payment was simulated.',
      es: 'El registro no se conserva: tiene más de dos años, o el pago fue simulado.',
    },
    address: { en: 'Network address of the patient', es: 'Dirección de red del paciente' },
    language: { en: 'Language of the page', es: 'Idioma de la página' },
    text: { en: 'Text above the button', es: 'Texto sobre el botón' },
  },
  timeline: {
    title: { en: 'Timeline', es: 'Cronología' },
    noTime: { en: 'time not recorded', es: 'hora no registrada' },
    by: { en: 'by', es: 'por' },
    from: { en: 'from', es: 'desde' },
    times: (count: string) => ({ en: `${count} times in all`, es: `${count} veces en total` }),
    what: {
      link_created: { en: 'Link created', es: 'Enlace creado' },
      link_expired: { en: 'Link expired', es: 'Enlace vencido' },
      opened: { en: 'Page opened', es: 'Página abierta' },
      opened_again: { en: 'Page last opened', es: 'Página abierta por última vez' },
      attempt_started: { en: 'Payment submitted', es: 'Pago enviado' },
      attempt_failed: { en: 'Payment declined', es: 'Pago rechazado' },
      attempt_cancelled: { en: 'Payment not completed, no money taken', es: 'Pago no completado, sin cobro' },
      attempt_in_doubt: { en: 'Payment ended, outcome unknown', es: 'Pago terminado, resultado desconocido' },
      debit_submitted: { en: 'Debit submitted to the bank', es: 'Débito enviado al banco' },
      paid: { en: 'Paid', es: 'Pagado' },
      settled: { en: 'Debit confirmed by the bank', es: 'Débito confirmado por el banco' },
      returned: { en: 'Returned by the bank', es: 'Devuelto por el banco' },
      refund_requested: { en: 'Refund requested', es: 'Reembolso pedido' },
      reversed: { en: 'Taken back by the bank', es: 'Revertido por el banco' },
      dispute_opened: { en: 'Dispute opened', es: 'Disputa abierta' },
      dispute_won: { en: 'Dispute won', es: 'Disputa ganada' },
      dispute_lost: { en: 'Dispute lost', es: 'Disputa perdida' },
    } satisfies Record<Exclude<TimelineEntry['what'], 'act'>, Both>,
    actors: {
      api: { en: 'software of the practice', es: 'un programa del consultorio' },
      api_key: { en: 'API key', es: 'la clave de API' },
      staff: { en: 'office staff', es: 'el personal del consultorio' },
      website: { en: 'the website', es: 'el sitio web' },
      operator: { en: 'the operator of the service', es: 'el operador del servicio' },
      patient: { en: 'the patient', es: 'el paciente' },
      processor: { en: 'the payment processor', es: 'el procesador de pagos' },
      bank: { en: 'the patient’s bank', es: 'el banco del paciente' },
      system: { en: 'this service', es: 'este servicio' },
      simulation: { en: 'a simulation', es: 'una simulación' },
    } satisfies Record<Exclude<TimelineActor['kind'], 'person'>, Both>,
  },
};
