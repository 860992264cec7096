import type { Both } from '../../../pages/texts/languages.ts';
import type { Totals } from '../../../payment-links/billing/daily-totals.ts';
import type { ActReason } from '../../../payment-links/billing/list-to-act-on.ts';
import type { FigureFilter, PaymentState } from '../../../payment-links/billing/payment-filter.ts';
import { payment } from './payment.ts';

export const payments = {
  title: { en: 'Payments', es: 'Pagos' },
  lead: { en: 'Paid links, newest first.', es: 'Enlaces pagados, los más recientes primero.' },
  states: {
    paid: { en: 'Paid', es: 'Pagado' },
    processing: { en: 'Processing', es: 'En proceso' },
    partly_refunded: { en: 'Partly refunded', es: 'Reembolsado en parte' },
    refunded: { en: 'Refunded', es: 'Reembolsado' },
    disputed: { en: 'Disputed', es: 'En disputa' },
    dispute_lost: { en: 'Dispute lost', es: 'Disputa perdida' },
    returned: { en: 'Returned', es: 'Devuelto' },
  } satisfies Record<PaymentState, Both>,
  methods: { card: { en: 'Card', es: 'Tarjeta' }, us_bank_account: { en: 'Bank debit', es: 'Débito bancario' } },
  filter: {
    figures: {
      received: { en: 'Received', es: 'Recibido' },
      refunded_then: { en: 'Refunded in these days', es: 'Reembolsado en estos días' },
      taken_back_then: { en: 'Taken back in these days', es: 'Revertido en estos días' },
      open_dispute: { en: 'Open dispute', es: 'Disputa abierta' },
      returned_debit: { en: 'Debit returned, last 60 days', es: 'Débito devuelto, últimos 60 días' },
      failed_refund: { en: 'Refund failed, last 60 days', es: 'Reembolso fallido, últimos 60 días' },
    } satisfies Record<FigureFilter, Both>,
    from: { en: 'From', es: 'Desde' },
    to: { en: 'To', es: 'Hasta' },
  },
  open: (patient: string, amount: string) => ({
    en: `Open the payment of ${patient}, ${amount}`,
    es: `Abrir el pago de ${patient}, ${amount}`,
  }),
  empty: {
    title: { en: 'No payment yet', es: 'Todavía no hay pagos' },
    text: {
      en: 'A payment appears here as soon as a patient pays a link. Refunds start from its page.',
      es: 'Un pago aparece aquí en cuanto un paciente paga un enlace. Los reembolsos empiezan en su página.',
    },
  },
  examined: (day: string) => ({
    en: `Searched back to ${day}. Older payments may match, too.`,
    es: `Se ha buscado hasta el ${day}. Puede haber pagos anteriores que correspondan.`,
  }),
  exported: { en: 'Download these payments (CSV)', es: 'Descargar estos pagos (CSV)' },
  exportHelp: { en: 'Without days: the last 365 days.', es: 'Sin días: los últimos 365 días.' },
  exportTooLong: { en: 'A file has at most 366 days.', es: 'Un archivo tiene 366 días como máximo.' },
  dailyTotalsLink: { en: 'Totals by day, location and method', es: 'Totales por día, sede y forma de pago' },
  toActOn: {
    title: { en: 'To act on', es: 'Por resolver' },
    help: {
      en: 'Open disputes, and what failed or was returned in the last 60 days.',
      es: 'Disputas abiertas, y lo que falló o se devolvió en los últimos 60 días.',
    },
    none: {
      en: 'Nothing to act on: no open dispute, failed refund or returned debit.',
      es: 'Nada por resolver: ninguna disputa abierta, ningún reembolso fallido, ningún débito devuelto.',
    },
    reasons: {
      failed_refund: {
        title: { en: 'Refund failed', es: 'Reembolso fallido' },
        text: {
          en: 'The patient has not received this money. Refund again, or pay another way.',
          es: 'El paciente no ha recibido este dinero. Reembolse otra vez o pague de otro modo.',
        },
      },
      returned_debit: {
        title: { en: 'Debit returned', es: 'Débito devuelto' },
        text: { en: 'Send the patient a new link.', es: 'Envíe un enlace nuevo al paciente.' },
      },
      open_dispute: {
        title: { en: 'Dispute', es: 'Disputa' },
        text: { en: 'Send evidence to the processor in time.', es: 'Envíe evidencia al procesador a tiempo.' },
      },
    } satisfies Record<ActReason, { title: Both; text: Both }>,
    dueBy: (moment: string) => ({ en: `Evidence due ${moment}`, es: `Evidencia hasta el ${moment}` }),
    noDeadline: { en: 'The bank named no deadline.', es: 'El banco no ha fijado un plazo.' },
    overdue: { en: 'The deadline has passed.', es: 'El plazo ha vencido.' },
  },
  payment,
  refund: {
    title: { en: 'Refund', es: 'Reembolsar' },
    left: (amount: string, paid: string) => ({
      en: `Of the ${paid} paid, ${amount} can still be refunded.`,
      es: `De los ${paid} pagados, aún se pueden reembolsar ${amount}.`,
    }),
    none: { en: 'Nothing can be refunded at the moment.', es: 'De momento no se puede reembolsar nada.' },
    full: (amount: string) => ({ en: `All that is left: ${amount}`, es: `Todo lo que queda: ${amount}` }),
    part: { en: 'A part', es: 'Una parte' },
    amount: { en: 'Amount of the part, in dollars', es: 'Monto de la parte, en dólares' },
    amountHelp: { en: 'For example 25.00', es: 'Por ejemplo 25.00' },
    reason: { en: 'Reason (optional)', es: 'Motivo (opcional)' },
    reasonHelp: { en: 'The API shows it. Write nothing about health.', es: 'La API lo muestra. Nada sobre la salud.' },
    next: { en: 'Continue', es: 'Continuar' },
    cancel: { en: 'Do not refund', es: 'No reembolsar' },
    disputed: {
      en: 'A dispute is open. If you refund now and lose it, you pay twice.',
      es: 'Hay una disputa abierta. Si reembolsa ahora y la pierde, paga dos veces.',
    },
    faults: {
      no_amount: { en: 'Enter an amount such as 25.00.', es: 'Escriba un monto como 25.00.' },
      two_amounts: {
        en: 'You chose all that is left, and entered a part. Choose one of the two.',
        es: 'Eligió todo lo que queda y escribió una parte. Elija una de las dos cosas.',
      },
      too_much: { en: 'This is more than can be refunded.', es: 'Es más de lo que se puede reembolsar.' },
      taken_back: { en: 'The bank took the payment back.', es: 'El banco revirtió el pago.' },
      not_settled: { en: 'Not settled, or nothing is left to refund.', es: 'Sin liquidar, o no queda nada.' },
      other_processor: { en: 'Refund it at the other processor.', es: 'Reembólselo en el otro procesador.' },
      id_taken: { en: 'This form was used. Begin a new refund.', es: 'Este formulario ya se usó. Empiece otro.' },
      reason_invalid: {
        en: 'A reason has at most 500 characters, without control characters and invisible marks of direction.',
        es: 'Un motivo tiene 500 caracteres como máximo, sin caracteres de control especiales.',
      },
    },
    tooMuch: (amount: string) => ({ en: `At most ${amount} can be refunded.`, es: `Reembolse hasta ${amount}.` }),
    takenBack: (taken: string, left: string) => ({
      en: `The patient’s bank took ${taken} of this payment back, so at most ${left} can be refunded.`,
      es: `El banco del paciente revirtió ${taken} de este pago, así que se pueden reembolsar ${left} como máximo.`,
    }),
    confirm: {
      title: { en: 'Confirm the refund', es: 'Confirmar el reembolso' },
      text: (amount: string) => ({
        en: `You are about to refund ${amount}. A refund cannot be undone.`,
        es: `Está a punto de reembolsar ${amount}. Un reembolso no se puede anular.`,
      }),
      left: (amount: string) => ({ en: `${amount} is left after that.`, es: `Después quedan ${amount}.` }),
      box: { en: 'Yes, refund this amount', es: 'Sí, reembolsar este monto' },
      button: { en: 'Refund now', es: 'Reembolsar ahora' },
    },
  },
  evidence: {
    title: { en: 'Evidence sheet', es: 'Hoja de evidencia' },
    lead: {
      en: 'Print this sheet, or save it as PDF, and send it to the processor before the deadline.',
      es: 'Imprima esta hoja o guárdela como PDF, y envíela al procesador antes del plazo.',
    },
    receipt: { en: 'Receipt', es: 'Recibo' },
    printed: { en: 'Printed on', es: 'Impresa el' },
  },
  dailyTotals: {
    title: { en: 'Reconciliation', es: 'Conciliación' },
    lead: { en: 'What came in and went out, by day.', es: 'Lo que entró y salió, por días.' },
    button: { en: 'Show', es: 'Mostrar' },
    previous: { en: 'Previous month', es: 'Mes anterior' },
    following: { en: 'Next month', es: 'Mes siguiente' },
    tooLong: {
      en: 'Choose two days, the first before the last, with at most 92 days.',
      es: 'Elija dos días, el primero antes del último, con 92 días como máximo.',
    },
    byDay: { en: 'By day', es: 'Por día' },
    byLocation: { en: 'By location', es: 'Por sede' },
    byMethod: { en: 'By method', es: 'Por forma de pago' },
    total: 'Total',
    chart: { en: 'Received, and refunded or taken back, by day', es: 'Recibido, y reembolsado o revertido, por día' },
    chartHelp: { en: 'The table below has the same figures.', es: 'La tabla de abajo tiene las mismas cifras.' },
    returned: { en: 'Refunds and amounts taken back', es: 'Reembolsos y montos revertidos' },
    columns: {
      payments: { en: 'Payments', es: 'Pagos' },
      receivedCents: { en: 'Received', es: 'Recibido' },
      processingCents: { en: 'Processing', es: 'En proceso' },
      refundedCents: { en: 'Refunds', es: 'Reembolsos' },
      takenBackCents: { en: 'Taken back', es: 'Revertido' },
      feeCents: { en: 'Fees', es: 'Comisiones' },
      netCents: { en: 'Net', es: 'Neto' },
    } satisfies Record<Exclude<keyof Totals, 'unknownFees'>, Both>,
    unknownFees: (count: number) => ({
      en: `The fee of ${count} payments is not known yet. Net is without it.`,
      es: `Aún no se conoce la comisión de ${count} pagos. El neto no la incluye.`,
    }),
    empty: { en: 'Nothing was paid or refunded in these days.', es: 'En estos días no se pagó ni se reembolsó nada.' },
    help: {
      en:
        'Payments count on the day when the patient paid. Refunds, and amounts that banks took back, count on their own day. ' +
        'Net is what was received, without refunds, amounts taken back, and fees.',
      es:
        'Los pagos cuentan en el día en que pagó el paciente. Los reembolsos, y lo que revirtieron los bancos, cuentan en su propio ' +
        'día. El neto es lo recibido, sin reembolsos, montos revertidos ni comisiones.',
    },
  },
  csv: {
    paidUtc: { en: 'Paid (UTC)', es: 'Pagado (UTC)' },
    settledUtc: { en: 'Settled (UTC)', es: 'Liquidado (UTC)' },
    mode: { en: 'Mode', es: 'Modo' },
    modes: { live: { en: 'live', es: 'real' }, test: { en: 'test', es: 'prueba' } },
    amount: { en: 'Amount (USD)', es: 'Monto (USD)' },
    received: { en: 'Received (USD)', es: 'Recibido (USD)' },
    fee: { en: 'Fee (USD)', es: 'Comisión (USD)' },
    net: { en: 'Net (USD)', es: 'Neto (USD)' },
    refunded: { en: 'Refunded (USD)', es: 'Reembolsado (USD)' },
    takenBack: { en: 'Taken back (USD)', es: 'Revertido (USD)' },
    brand: { en: 'Brand', es: 'Marca' },
    last4: { en: 'Last four digits', es: 'Últimas cuatro cifras' },
  },
};

/** Reasons why a refund form is refused. */
export type RefundFault = keyof typeof payments.refund.faults;
