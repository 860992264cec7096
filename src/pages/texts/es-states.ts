import type { Facts, Texts } from './en.ts';

export const states: Texts['states'] = {
  payable: {
    title: 'Solicitud de pago',
    heading: (f) => `Pagar a ${f.practice}`,
    first: (f) => `${f.practice} le solicita un pago de ${f.amount}.`,
    second: () => 'Aún no se ha cobrado nada. Elija cómo desea pagar.',
  },
  declined: {
    title: 'Pago no completado',
    heading: () => 'Su pago no se realizó',
    first: () => 'El pago no fue aceptado.',
    second: () => 'No se ha cobrado nada. Inténtelo de nuevo o elija otra forma de pago.',
  },
  requires_action: {
    title: 'Confirme su pago',
    heading: () => 'Confirme su pago',
    first: (f) => `Su banco le pide que confirme el pago de ${f.amount}.`,
    second: () => 'Aún no se ha cobrado nada. Para completar el pago, confírmelo a continuación.',
  },
  in_progress: {
    title: 'Pago en curso',
    heading: () => 'Su pago está en curso',
    first: (f) => `Su pago de ${f.amount} ha comenzado, pero aún no ha terminado.`,
    second: () => 'Todavía no sabemos si se ha cobrado algo. No pague otra vez. Esta página se actualiza sola.',
  },
  throttled: {
    title: 'Pago en pausa',
    heading: () => 'Demasiados intentos',
    first: (f) => `Varios pagos seguidos no se completaron, por lo que no puede pagar aquí hasta el ${f.until}.`,
    second: (f) =>
      `No se ha cobrado nada. Abra de nuevo esta página después de esa hora o comuníquese con ${f.practice}.`,
  },
  bank_pending: {
    title: 'Pago bancario en camino',
    heading: () => 'Su pago bancario está en camino',
    first: (f) => `El débito de ${f.amount} se envió a su banco el ${f.date}.`,
    second: () =>
      'El dinero se cobrará de su cuenta en unos cuatro días hábiles. Téngalo disponible y no pague otra vez.',
  },
  paid: {
    title: 'Pago recibido',
    heading: () => 'Gracias, hemos recibido su pago',
    first: (f) => `Usted pagó ${f.amount} a ${f.practice}.`,
    second: () => 'El dinero ya se ha cobrado. No tiene que hacer nada más. Guarde esta página como recibo.',
  },
  already_paid: {
    title: 'Pago ya realizado',
    heading: () => 'Esto ya está pagado',
    first: (f) => `Se pagaron ${f.amount} a ${f.practice} el ${f.date}.`,
    second: () => 'El dinero se cobró una vez y no se cobrará de nuevo. Guarde esta página como recibo.',
  },
  partly_refunding: {
    title: 'Reembolso parcial en camino',
    heading: () => 'Una parte de su pago se está reembolsando',
    first: (f) =>
      `Usted pagó ${f.amount} a ${f.practice} el ${f.date}; ` +
      (f.alreadyRefunded
        ? `de ese monto ya se devolvieron ${f.alreadyRefunded} y se están devolviendo otros ${f.refunding}.`
        : `de ese monto se están devolviendo ${f.refunding}.`),
    second: () =>
      'El dinero se cobró una vez. El reembolso puede tardar hasta diez días en llegar. No tiene que hacer nada.',
  },
  partly_refunded: {
    title: 'Pago reembolsado en parte',
    heading: () => 'Una parte de su pago fue reembolsada',
    first: (f) =>
      `Usted pagó ${f.amount} a ${f.practice} el ${f.date}; de ese monto se devolvieron ${f.refunded} a la tarjeta o ` +
      'cuenta con la que pagó.',
    second: () =>
      'El dinero se cobró una vez. El reembolso puede tardar hasta diez días en llegar. No tiene que hacer nada.',
  },
  bank_failed: {
    title: 'Pago bancario devuelto',
    heading: () => 'Su banco devolvió el pago',
    first: (f) => `Su banco no pagó el débito de ${f.amount}, por lo que este monto sigue pendiente.`,
    second: (f) => `No se ha cobrado nada. Comuníquese con ${f.practice} para pagar de otra forma.`,
  },
  refunding: {
    title: 'Reembolso en camino',
    heading: () => 'Su pago se está reembolsando',
    first: (f) =>
      f.alreadyRefunded
        ? `Ya se devolvieron ${f.alreadyRefunded}, y otros ${f.refunding} están en camino a la tarjeta o cuenta con la que pagó.`
        : `Se están devolviendo ${f.refunding} a la tarjeta o cuenta con la que pagó.`,
    second: () =>
      'El dinero que se cobró se le está devolviendo. Esto puede tardar hasta diez días. No tiene que hacer nada.',
  },
  bank_reversed: {
    title: 'Pago bancario revertido',
    heading: () => 'Su banco revirtió el pago',
    first: (f) => `Su banco revirtió ${f.reversed}, por lo que ese monto está pendiente de nuevo.`,
    second: (f) => `El dinero que se cobró volvió a su cuenta. Comuníquese con ${f.practice} para pagar de otra forma.`,
  },
  refunded: {
    title: 'Pago reembolsado',
    heading: () => 'Su pago fue reembolsado',
    first: (f) => `Se devolvieron ${f.refunded} a la tarjeta o cuenta con la que pagó.`,
    second: () =>
      'El dinero que se cobró se le está devolviendo. Esto puede tardar hasta diez días. No tiene que hacer nada.',
  },
  expired: {
    title: 'Enlace de pago vencido',
    heading: () => 'Este enlace de pago ha vencido',
    first: (f) => `Se podía usar hasta el ${f.date}.`,
    second: (f) => `No se ha cobrado nada. Si todavía desea pagar, pida un enlace nuevo a ${f.practice}.`,
  },
  cancelled: {
    title: 'Enlace de pago cancelado',
    heading: () => 'Este enlace de pago fue cancelado',
    first: (f) => `${f.practice} canceló esta solicitud.`,
    second: (f) => `No se ha cobrado nada. Comuníquese con ${f.practice} si cree que es un error.`,
  },
  unavailable: {
    title: 'Pago no disponible por ahora',
    heading: () => 'El pago no está disponible por ahora',
    first: (f) => `${f.practice} no puede recibir pagos en línea en este momento.`,
    second: (f) => `No se ha cobrado nada. Comuníquese con ${f.practice} o inténtelo más tarde.`,
  },
};

const NOT_TAKEN = 'Esto es una prueba, así que no se ha cobrado nada. No tiene que hacer nada.';
const NOT_GIVEN_BACK = 'Esto es una prueba, así que no se ha cobrado ni devuelto nada. No tiene que hacer nada.';

function test(heading: string, first: (f: Facts) => string, second: string = NOT_GIVEN_BACK) {
  return { title: 'Pago de prueba', heading: () => heading, first, second: () => second };
}

export const testStates: Texts['testStates'] = {
  paid: test(
    'Pago de prueba completado',
    (f) => `El ${f.date} se simuló un pago de ${f.amount} a ${f.practice}.`,
    NOT_TAKEN,
  ),
  bank_pending: test(
    'Débito de prueba en camino',
    (f) => `El ${f.date} se simuló un débito bancario de ${f.amount} a ${f.practice}.`,
    'Esto es una prueba, así que no se ha cobrado ni se cobrará nada. No tiene que hacer nada.',
  ),
  bank_failed: test(
    'Débito de prueba devuelto',
    (f) => `El ${f.date} se simuló un débito bancario de ${f.amount} que el banco devuelve.`,
    NOT_TAKEN,
  ),
  partly_refunding: test('Reembolso parcial de prueba en camino', (f) =>
    `Se simuló un reembolso de ${f.refunding} de un total de ${f.amount}, que está en camino.`),
  partly_refunded: test('Reembolso parcial de prueba completado', (f) =>
    `Se simuló un reembolso de ${f.refunded} de un total de ${f.amount}.`),
  refunding: test('Reembolso de prueba en camino', (f) =>
    `Se simuló un reembolso de ${f.refunding}, que está en camino.`),
  refunded: test('Reembolso de prueba completado', (f) => `Se simuló un reembolso de ${f.refunded}.`),
  bank_reversed: test('Débito de prueba revertido', (f) =>
    `Se simuló un débito bancario de ${f.reversed} que el banco revierte.`),
};
