export interface Facts {
  practice: string;
  /** Practice and location, as a patient would look them up. */
  whom: string;
  amount: string;
  /** Day of the payment, or end of the link. */
  date: string;
  refunded: string;
  refunding: string;
  /** Amount that was given back while another refund is on its way; null otherwise. */
  alreadyRefunded: string | null;
  reversed: string;
  /** End of the time in which the link takes no payment after several declines. */
  until: string;
}

const PART_ON_ITS_WAY = {
  en: 'The money was taken once. The refund can take up to ten days to arrive. You do not need to do anything.',
  es: 'El dinero se cobró una vez. El reembolso puede tardar hasta diez días en llegar. No tiene que hacer nada.',
};

const ON_ITS_WAY = {
  en: 'The money that was taken is on its way back. This can take up to ten days. You do not need to do anything.',
  es: 'El dinero que se cobró se le está devolviendo. Esto puede tardar hasta diez días. No tiene que hacer nada.',
};

/**
 * Texts of each state. `first` says in one sentence what happened. `second` says whether money was taken, then
 * what to do next. Titles appear in histories and previews, so they name neither patient nor reason.
 */
export const states = {
  payable: {
    title: { en: 'Payment request', es: 'Solicitud de pago' },
    heading: (f: Facts) => ({ en: `Pay ${f.practice}`, es: `Pagar a ${f.practice}` }),
    first: (f: Facts) => ({
      en: `${f.practice} asks you to pay ${f.amount}.`,
      es: `${f.practice} le solicita un pago de ${f.amount}.`,
    }),
    second: () => ({
      en: 'No money has been taken yet. Choose how you want to pay.',
      es: 'Aún no se ha cobrado nada. Elija cómo desea pagar.',
    }),
  },
  requires_action: {
    title: { en: 'Confirm your payment', es: 'Confirme su pago' },
    heading: () => ({ en: 'Confirm your payment', es: 'Confirme su pago' }),
    first: (f: Facts) => ({
      en: `Your bank asks you to confirm the payment of ${f.amount}.`,
      es: `Su banco le pide que confirme el pago de ${f.amount}.`,
    }),
    second: () => ({
      en: 'No money has been taken yet. Confirm the payment below to complete it.',
      es: 'Aún no se ha cobrado nada. Para completar el pago, confírmelo a continuación.',
    }),
  },
  in_progress: {
    title: { en: 'Payment in progress', es: 'Pago en curso' },
    heading: () => ({ en: 'Your payment is in progress', es: 'Su pago está en curso' }),
    first: (f: Facts) => ({
      en: `Your payment of ${f.amount} has started, but it is not finished.`,
      es: `Su pago de ${f.amount} ha comenzado, pero aún no ha terminado.`,
    }),
    second: () => ({
      en: 'We do not know yet whether money was taken. Do not pay again. This page updates by itself.',
      es: 'Todavía no sabemos si se ha cobrado algo. No pague otra vez. Esta página se actualiza sola.',
    }),
  },
  throttled: {
    title: { en: 'Payment paused', es: 'Pago en pausa' },
    heading: () => ({ en: 'Too many attempts', es: 'Demasiados intentos' }),
    first: (f: Facts) => ({
      en: `Several payments in a row were not completed, so you cannot pay here until ${f.until}.`,
      es: `Varios pagos seguidos no se completaron, por lo que no puede pagar aquí hasta el ${f.until}.`,
    }),
    second: (f: Facts) => ({
      en: `No money has been taken. Open this page again after that time, or contact ${f.practice}.`,
      es: `No se ha cobrado nada. Abra de nuevo esta página después de esa hora o comuníquese con ${f.practice}.`,
    }),
  },
  bank_pending: {
    title: { en: 'Bank payment on its way', es: 'Pago bancario en camino' },
    heading: () => ({ en: 'Your bank payment is on its way', es: 'Su pago bancario está en camino' }),
    first: (f: Facts) => ({
      en: `The debit of ${f.amount} was sent to your bank on ${f.date}.`,
      es: `El débito de ${f.amount} se envió a su banco el ${f.date}.`,
    }),
    second: () => ({
      en: 'The money will be taken from your account within about four business days. Keep it available, and do not pay again.',
      es: 'El dinero se cobrará de su cuenta en unos cuatro días hábiles. Téngalo disponible y no pague otra vez.',
    }),
  },
  paid: {
    title: { en: 'Payment received', es: 'Pago recibido' },
    heading: () => ({ en: 'Thank you, your payment was received', es: 'Gracias, hemos recibido su pago' }),
    first: (f: Facts) => ({
      en: `You paid ${f.amount} to ${f.practice}.`,
      es: `Usted pagó ${f.amount} a ${f.practice}.`,
    }),
    second: () => ({
      en: 'The money has been taken. You do not need to do anything else. Keep this page as your receipt.',
      es: 'El dinero ya se ha cobrado. No tiene que hacer nada más. Guarde esta página como recibo.',
    }),
  },
  already_paid: {
    title: { en: 'Payment already made', es: 'Pago ya realizado' },
    heading: () => ({ en: 'This has already been paid', es: 'Esto ya está pagado' }),
    first: (f: Facts) => ({
      en: `${f.amount} was paid to ${f.practice} on ${f.date}.`,
      es: `Se pagaron ${f.amount} a ${f.practice} el ${f.date}.`,
    }),
    second: () => ({
      en: 'The money was taken once and will not be taken again. Keep this page as your receipt.',
      es: 'El dinero se cobró una vez y no se cobrará de nuevo. Guarde esta página como recibo.',
    }),
  },
  partly_refunding: {
    title: { en: 'Part of the payment is being refunded', es: 'Reembolso parcial en camino' },
    heading: () => ({ en: 'Part of your payment is being refunded', es: 'Una parte de su pago se está reembolsando' }),
    first: (f: Facts) => ({
      en:
        `You paid ${f.amount} to ${f.practice} on ${f.date}, and ` +
        (f.alreadyRefunded
          ? `${f.alreadyRefunded} of it was given back and a further ${f.refunding} is on its way back.`
          : `${f.refunding} of it is on its way back.`),
      es:
        `Usted pagó ${f.amount} a ${f.practice} el ${f.date}; ` +
        (f.alreadyRefunded
          ? `de ese monto ya se devolvieron ${f.alreadyRefunded} y se están devolviendo otros ${f.refunding}.`
          : `de ese monto se están devolviendo ${f.refunding}.`),
    }),
    second: () => PART_ON_ITS_WAY,
  },
  partly_refunded: {
    title: { en: 'Part of the payment was refunded', es: 'Pago reembolsado en parte' },
    heading: () => ({ en: 'Part of your payment was refunded', es: 'Una parte de su pago fue reembolsada' }),
    first: (f: Facts) => ({
      en:
        `You paid ${f.amount} to ${f.practice} on ${f.date}, and ${f.refunded} of it was given back to the card or ` +
        'account you paid with.',
      es:
        `Usted pagó ${f.amount} a ${f.practice} el ${f.date}; de ese monto se devolvieron ${f.refunded} a la tarjeta o ` +
        'cuenta con la que pagó.',
    }),
    second: () => PART_ON_ITS_WAY,
  },
  bank_failed: {
    title: { en: 'Bank payment returned', es: 'Pago bancario devuelto' },
    heading: () => ({ en: 'Your bank returned the payment', es: 'Su banco devolvió el pago' }),
    first: (f: Facts) => ({
      en: `Your bank did not pay the debit of ${f.amount}, so this amount is still owed.`,
      es: `Su banco no pagó el débito de ${f.amount}, por lo que este monto sigue pendiente.`,
    }),
    second: (f: Facts) => ({
      en: `No money has been taken. Contact ${f.practice} to pay another way.`,
      es: `No se ha cobrado nada. Comuníquese con ${f.practice} para pagar de otra forma.`,
    }),
  },
  refunding: {
    title: { en: 'Refund on its way', es: 'Reembolso en camino' },
    heading: () => ({ en: 'Your payment is being refunded', es: 'Su pago se está reembolsando' }),
    first: (f: Facts) => ({
      en:
        (f.alreadyRefunded ? `${f.alreadyRefunded} was given back already, and a further ` : '') +
        `${f.refunding} is being given back to the card or account you paid with.`,
      es: f.alreadyRefunded
        ? `Ya se devolvieron ${f.alreadyRefunded}, y otros ${f.refunding} están en camino a la tarjeta o cuenta con la que pagó.`
        : `Se están devolviendo ${f.refunding} a la tarjeta o cuenta con la que pagó.`,
    }),
    second: () => ON_ITS_WAY,
  },
  bank_reversed: {
    title: { en: 'Bank payment taken back', es: 'Pago bancario revertido' },
    heading: () => ({ en: 'Your bank took the payment back', es: 'Su banco revirtió el pago' }),
    first: (f: Facts) => ({
      en: `Your bank has taken back ${f.reversed}, so that amount is owed again.`,
      es: `Su banco revirtió ${f.reversed}, por lo que ese monto está pendiente de nuevo.`,
    }),
    second: (f: Facts) => ({
      en: `The money that was taken went back to your account. Contact ${f.practice} to pay another way.`,
      es: `El dinero que se cobró volvió a su cuenta. Comuníquese con ${f.practice} para pagar de otra forma.`,
    }),
  },
  refunded: {
    title: { en: 'Payment refunded', es: 'Pago reembolsado' },
    heading: () => ({ en: 'Your payment was refunded', es: 'Su pago fue reembolsado' }),
    first: (f: Facts) => ({
      en: `${f.refunded} was given back to the card or account you paid with.`,
      es: `Se devolvieron ${f.refunded} a la tarjeta o cuenta con la que pagó.`,
    }),
    second: () => ON_ITS_WAY,
  },
  expired: {
    title: { en: 'Payment link expired', es: 'Enlace de pago vencido' },
    heading: () => ({ en: 'This payment link has expired', es: 'Este enlace de pago ha vencido' }),
    first: (f: Facts) => ({ en: `It could be used until ${f.date}.`, es: `Se podía usar hasta el ${f.date}.` }),
    second: (f: Facts) => ({
      en: `No money has been taken. If you still want to pay, ask ${f.practice} for a new link.`,
      es: `No se ha cobrado nada. Si todavía desea pagar, pida un enlace nuevo a ${f.practice}.`,
    }),
  },
  cancelled: {
    title: { en: 'Payment link canceled', es: 'Enlace de pago cancelado' },
    heading: () => ({ en: 'This payment link was canceled', es: 'Este enlace de pago fue cancelado' }),
    first: (f: Facts) => ({ en: `${f.practice} canceled this request.`, es: `${f.practice} canceló esta solicitud.` }),
    second: (f: Facts) => ({
      en: `No money has been taken. Contact ${f.practice} if you think this is a mistake.`,
      es: `No se ha cobrado nada. Comuníquese con ${f.practice} si cree que es un error.`,
    }),
  },
  unavailable: {
    title: { en: 'Payment not possible right now', es: 'Pago no disponible por ahora' },
    heading: () => ({ en: 'Payment is not possible right now', es: 'El pago no está disponible por ahora' }),
    first: (f: Facts) => ({
      en: `${f.practice} cannot take payments online at the moment.`,
      es: `${f.practice} no puede recibir pagos en línea en este momento.`,
    }),
    second: (f: Facts) => ({
      en: `No money has been taken. Contact ${f.practice}, or try again later.`,
      es: `No se ha cobrado nada. Comuníquese con ${f.practice} o inténtelo más tarde.`,
    }),
  },
};

/** Texts of a payable link whose latest payment was declined. Between them stands the reason. */
export const declined = {
  title: { en: 'Payment not completed', es: 'Pago no completado' },
  heading: { en: 'Your payment did not go through', es: 'Su pago no se realizó' },
  second: {
    en: 'No money has been taken. Try again, or choose another way to pay.',
    es: 'No se ha cobrado nada. Inténtelo de nuevo o elija otra forma de pago.',
  },
};

/** Texts of a test link with a payment. No money moves there, so no text says that money was paid or taken. */
export const testState = {
  title: { en: 'Test payment', es: 'Pago de prueba' },
  heading: (state: string) => ({ en: `Test: ${state}`, es: `Prueba: ${state}` }),
  first: (f: Facts) => ({
    en: `A payment of ${f.amount} to ${f.practice} was simulated on ${f.date}.`,
    es: `El ${f.date} se simuló un pago de ${f.amount} a ${f.practice}.`,
  }),
  second: {
    en: 'This is a test, so no money was taken or given back, and none will be. You do not need to do anything.',
    es: 'Esto es una prueba, así que no se ha cobrado ni devuelto nada, ni se hará. No tiene que hacer nada.',
  },
};
