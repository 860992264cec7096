import type { Texts } from './en.ts';

/** The texts of each state, in Spanish. */
export const states: Texts['states'] = {
  payable: {
    title: 'Solicitud de pago',
    heading: (f) => `Pagar a ${f.practice}`,
    first: (f) => `${f.practice} le solicita un pago de ${f.amount}.`,
    second: () => 'Aún no se ha cobrado nada; elija cómo desea pagar.',
  },
  declined: {
    title: 'Pago no completado',
    heading: () => 'Su pago no se realizó',
    first: () => 'El pago no fue aceptado.',
    second: () => 'No se ha cobrado nada; inténtelo de nuevo o elija otra forma de pago.',
  },
  requires_action: {
    title: 'Confirme su pago',
    heading: () => 'Confirme su pago',
    first: (f) => `Su banco le pide que confirme el pago de ${f.amount}.`,
    second: () => 'Aún no se ha cobrado nada; confirme el pago abajo para completarlo.',
  },
  in_progress: {
    title: 'Pago en curso',
    heading: () => 'Su pago está en curso',
    first: (f) => `El pago de ${f.amount} se ha iniciado y aún no ha terminado.`,
    second: () =>
      'Todavía no es seguro si se ha cobrado algo; no pague otra vez: esta página vuelve a consultar por sí sola.',
  },
  throttled: {
    title: 'Pago en pausa',
    heading: () => 'Demasiados intentos',
    first: (f) =>
      `Varios pagos seguidos no se completaron, por lo que esta página no acepta pagos hasta el ${f.until}.`,
    second: (f) =>
      `No se ha cobrado nada; abra de nuevo esta página después de esa hora o comuníquese con ${f.practice}.`,
  },
  bank_pending: {
    title: 'Pago bancario en camino',
    heading: () => 'Su pago bancario está en camino',
    first: (f) => `El débito de ${f.amount} se envió a su banco el ${f.date}.`,
    second: () =>
      'El dinero se cobrará de su cuenta en unos cuatro días hábiles; téngalo disponible y no pague otra vez.',
  },
  paid: {
    title: 'Pago recibido',
    heading: () => 'Gracias, hemos recibido su pago',
    first: (f) => `Usted pagó ${f.amount} a ${f.practice}.`,
    second: () => 'El dinero se ha cobrado y no tiene que hacer nada más; guarde esta página como recibo.',
  },
  already_paid: {
    title: 'Pago ya realizado',
    heading: () => 'Esto ya se ha pagado',
    first: (f) => `Se pagaron ${f.amount} a ${f.practice} el ${f.date}.`,
    second: () => 'El dinero se cobró una vez y no se cobrará de nuevo; guarde esta página como recibo.',
  },
  partly_refunding: {
    title: 'Reembolso parcial en camino',
    heading: () => 'Una parte de su pago se está reembolsando',
    first: (f) =>
      `Usted pagó ${f.amount} a ${f.practice} el ${f.date}; ` +
      (f.alreadyRefunded
        ? `de ese importe ya se devolvieron ${f.alreadyRefunded} y otros ${f.refunding} están en camino de vuelta.`
        : `de ese importe, ${f.refunding} están en camino de vuelta.`),
    second: () =>
      'El dinero se cobró una vez; lo que se devuelve puede tardar hasta diez días en llegar y no tiene que hacer nada.',
  },
  partly_refunded: {
    title: 'Pago reembolsado en parte',
    heading: () => 'Una parte de su pago fue reembolsada',
    first: (f) =>
      `Usted pagó ${f.amount} a ${f.practice} el ${f.date}; de ese importe se devolvieron ${f.refunded} a la tarjeta o ` +
      'cuenta con la que pagó.',
    second: () =>
      'El dinero se cobró una vez; lo que se devolvió puede tardar hasta diez días en llegar y no tiene que hacer nada.',
  },
  bank_failed: {
    title: 'Pago bancario devuelto',
    heading: () => 'Su banco devolvió el pago',
    first: (f) => `El débito de ${f.amount} no se pudo cobrar, por lo que el importe sigue pendiente.`,
    second: (f) => `No se ha cobrado nada; comuníquese con ${f.practice} para pagar de otra forma.`,
  },
  refunding: {
    title: 'Reembolso en camino',
    heading: () => 'Su pago se está reembolsando',
    first: (f) =>
      f.alreadyRefunded
        ? `Ya se devolvieron ${f.alreadyRefunded}, y otros ${f.refunding} están en camino a la tarjeta o cuenta con la que pagó.`
        : `Se están devolviendo ${f.refunding} a la tarjeta o cuenta con la que pagó.`,
    second: () =>
      'El dinero que se cobró está en camino de vuelta, lo que puede tardar hasta diez días; no tiene que hacer nada.',
  },
  bank_reversed: {
    title: 'Pago bancario retirado',
    heading: () => 'Su banco retiró el pago',
    first: (f) => `Su banco retiró ${f.reversed}, por lo que ese importe está pendiente de nuevo.`,
    second: (f) => `El dinero que se cobró volvió a su cuenta; comuníquese con ${f.practice} para pagar de otra forma.`,
  },
  refunded: {
    title: 'Pago reembolsado',
    heading: () => 'Su pago fue reembolsado',
    first: (f) => `Se devolvieron ${f.refunded} a la tarjeta o cuenta con la que pagó.`,
    second: () =>
      'El dinero que se cobró está en camino de vuelta, lo que puede tardar hasta diez días; no tiene que hacer nada.',
  },
  expired: {
    title: 'Enlace de pago vencido',
    heading: () => 'Este enlace de pago ha vencido',
    first: (f) => `Se podía usar hasta el ${f.date}.`,
    second: (f) => `No se ha cobrado nada; pida un enlace nuevo a ${f.practice} si todavía desea pagar.`,
  },
  cancelled: {
    title: 'Enlace de pago cancelado',
    heading: () => 'Este enlace de pago fue cancelado',
    first: (f) => `${f.practice} ha retirado esta solicitud.`,
    second: (f) => `No se ha cobrado nada; comuníquese con ${f.practice} si cree que es un error.`,
  },
  unavailable: {
    title: 'Pago no disponible por ahora',
    heading: () => 'El pago no está disponible por ahora',
    first: (f) => `${f.practice} no puede recibir pagos en línea en este momento.`,
    second: (f) => `No se ha cobrado nada; comuníquese con ${f.practice} o inténtelo más tarde.`,
  },
};

/** The same for payments of test links. */
export const testStates: Texts['testStates'] = {
  paid: {
    title: 'Pago de prueba',
    heading: () => 'Este enlace de prueba cuenta como pagado',
    first: (f) => `El ${f.date} se simuló un pago de ${f.amount} a ${f.practice}.`,
    second: () => 'Esto es una prueba, así que no se ha cobrado nada; no tiene que hacer nada.',
  },
  bank_pending: {
    title: 'Pago de prueba',
    heading: () => 'Este débito de prueba cuenta como en camino',
    first: (f) => `El ${f.date} se simuló un débito bancario de ${f.amount} a ${f.practice}.`,
    second: () => 'Esto es una prueba, así que no se ha cobrado ni se cobrará nada; no tiene que hacer nada.',
  },
  bank_failed: {
    title: 'Pago de prueba',
    heading: () => 'Su banco devolvió el pago',
    first: (f) => `El ${f.date} se simuló un débito bancario de ${f.amount} que el banco devuelve.`,
    second: () => 'Esto es una prueba, así que no se ha cobrado nada; no tiene que hacer nada.',
  },
  partly_refunding: {
    title: 'Pago de prueba',
    heading: () => 'Una parte de este pago de prueba cuenta como en reembolso',
    first: (f) => `Se simuló un reembolso de ${f.refunding} de un total de ${f.amount}, que está en camino.`,
    second: () => 'Esto es una prueba, así que no se ha cobrado ni devuelto nada; no tiene que hacer nada.',
  },
  partly_refunded: {
    title: 'Pago de prueba',
    heading: () => 'Una parte de este pago de prueba cuenta como reembolsada',
    first: (f) => `Se simuló un reembolso de ${f.refunded} de un total de ${f.amount}.`,
    second: () => 'Esto es una prueba, así que no se ha cobrado ni devuelto nada; no tiene que hacer nada.',
  },
  refunding: {
    title: 'Pago de prueba',
    heading: () => 'Este pago de prueba cuenta como en reembolso',
    first: (f) => `Se simuló un reembolso de ${f.refunding}, que está en camino.`,
    second: () => 'Esto es una prueba, así que no se ha cobrado ni devuelto nada; no tiene que hacer nada.',
  },
  refunded: {
    title: 'Pago de prueba',
    heading: () => 'Este pago de prueba cuenta como reembolsado',
    first: (f) => `Se simuló un reembolso de ${f.refunded}.`,
    second: () => 'Esto es una prueba, así que no se ha cobrado ni devuelto nada; no tiene que hacer nada.',
  },
  bank_reversed: {
    title: 'Pago de prueba',
    heading: () => 'Este débito de prueba cuenta como retirado',
    first: (f) => `Se simuló que el banco retira ${f.reversed}.`,
    second: () => 'Esto es una prueba, así que no se ha cobrado ni devuelto nada; no tiene que hacer nada.',
  },
};
