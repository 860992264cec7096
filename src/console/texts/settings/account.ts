export const account = {
  lead: {
    en: 'The account at the payment processor, which charges patients and pays you.',
    es: 'La cuenta en el procesador de pagos, que cobra a los pacientes y le paga a usted.',
  },
  states: {
    ready: {
      title: { en: 'Ready', es: 'Lista' },
      text: { en: 'Patients can pay by card and bank debit.', es: 'Se puede pagar con tarjeta y con débito bancario.' },
    },
    cards_only: {
      title: { en: 'Cards only', es: 'Solo tarjetas' },
      text: {
        en: 'Patients can pay by card. Bank debits are not enabled for the account yet: check it at the processor.',
        es: 'Los pacientes pueden pagar con tarjeta. La cuenta aún no admite débitos bancarios: revísela en el procesador.',
      },
    },
    unfinished: {
      title: { en: 'Not finished', es: 'Sin terminar' },
      text: {
        en: 'The account exists, but cannot take payments yet. The processor still needs information from you.',
        es: 'La cuenta existe, pero aún no puede cobrar. El procesador todavía necesita datos de usted.',
      },
    },
    none: {
      title: { en: 'No account yet', es: 'Aún sin cuenta' },
      text: {
        en: 'Until there is one, you can create test links only. Have the tax number and bank account of the practice at hand.',
        es: 'Mientras no haya cuenta, solo puede crear enlaces de prueba. Tenga a mano el número fiscal y la cuenta bancaria.',
      },
    },
    sandbox: {
      title: { en: 'Simulated', es: 'Simulada' },
      text: {
        en: 'This service runs with a simulated processor. No money moves, and nothing needs to be set up.',
        es: 'Este servicio funciona con un procesador simulado. No se mueve dinero y no hay nada que configurar.',
      },
    },
  },
  table: {
    processor: { en: 'Processor', es: 'Procesador' },
    account: { en: 'Account', es: 'Cuenta' },
    cards: { en: 'Payments', es: 'Pagos' },
    debits: { en: 'Bank debits', es: 'Débitos bancarios' },
    none: { en: 'none', es: 'ninguna' },
  },
  processors: { sandbox: { en: 'Simulation', es: 'Simulación' }, stripe: 'Stripe' },
  descriptor: {
    title: { en: 'Name on statements', es: 'Nombre en los estados de cuenta' },
    text: {
      en: 'Patients see the name of your account at the processor on their statements. You change that name at the processor. For cards you can add a word here: then the first ten characters of the name stand before it. Bank debits have the name alone.',
      es: 'Los pacientes ven en sus estados de cuenta el nombre de la cuenta que usted tiene en el procesador. Ese nombre se cambia en el procesador. Para tarjetas puede añadir aquí una palabra: entonces aparecen antes los diez primeros caracteres del nombre. Los débitos bancarios llevan solo el nombre.',
    },
    present: { en: 'On card statements:', es: 'En los estados de cuenta de tarjetas:' },
    account: { en: 'YOUR NAME', es: 'SU NOMBRE' },
    suffix: { en: 'Addition for cards', es: 'Palabra adicional para tarjetas' },
    suffixHelp: {
      en: 'At most 10 characters, such as DENTAL. Do not name a treatment: others may read the statement. Leave it empty for none.',
      es: '10 caracteres como máximo, como DENTAL. No nombre un tratamiento: otras personas pueden leer el estado de cuenta. Déjelo vacío para no añadir nada.',
    },
    button: { en: 'Save the addition', es: 'Guardar la palabra' },
  },
  wallets: {
    title: { en: 'Apple Pay and Google Pay', es: 'Apple Pay y Google Pay' },
    text: {
      en: 'The form for cards offers them on devices that have them. Register the domain of the payment pages for your account at Stripe first: without it, they do not appear.',
      es: 'El formulario de tarjetas los ofrece en los dispositivos que los tienen. Registre antes el dominio de las páginas de pago en su cuenta de Stripe: sin ello no aparecen.',
    },
    label: { en: 'Offer Apple Pay and Google Pay', es: 'Ofrecer Apple Pay y Google Pay' },
  },
  begin: { en: 'Open an account', es: 'Abrir una cuenta' },
  goOn: { en: 'Continue the setup', es: 'Continuar el registro' },
  check: { en: 'Check again', es: 'Comprobar de nuevo' },
  next: {
    title: { en: 'Continue at the processor', es: 'Continuar en el procesador' },
    text: {
      en: 'The processor asks for the data of your practice on its own pages. The address works once, for a few minutes.',
      es: 'El procesador pide los datos de su consultorio en sus propias páginas. La dirección funciona una sola vez, durante unos minutos.',
    },
    link: { en: 'Continue', es: 'Continuar' },
  },
  complete: { en: 'Nothing is left to do at the processor.', es: 'No queda nada por hacer en el procesador.' },
  unavailable: {
    en: 'The payment processor does not answer at the moment. Try again in a few minutes.',
    es: 'El procesador de pagos no responde en este momento. Inténtelo de nuevo en unos minutos.',
  },
};
