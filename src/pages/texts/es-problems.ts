import type { Texts } from './en.ts';

/** The texts of pages that know of no link, in Spanish. */
export const plain: Pick<Texts, 'onboarded' | 'problems'> = {
  onboarded: {
    title: 'De vuelta del registro',
    first: 'Ha salido del registro del proveedor de pagos y puede cerrar esta página.',
    second:
      'Si todo está completo, los pagos se activan en unos minutos; si no, o si su enlace había vencido, pida uno nuevo a ' +
      'quien se lo envió.',
  },
  problems: {
    not_found: {
      title: 'Página no encontrada',
      first: 'No hay ninguna página de pago en esta dirección.',
      second: 'No se ha cobrado nada; compruebe que copió el enlace completo o pida uno nuevo al consultorio.',
    },
    too_many: {
      title: 'Demasiadas solicitudes',
      first: 'Esta página se ha solicitado demasiadas veces en poco tiempo.',
      second: 'Esta solicitud no ha cobrado nada; espere un minuto e inténtelo de nuevo.',
    },
    invalid_form: {
      title: 'No se pudo leer el formulario',
      first: 'Lo que se envió no es un formulario de esta página.',
      second: 'Esta solicitud no ha cobrado nada; abra de nuevo su enlace de pago y vuelva a empezar.',
    },
    forbidden: {
      title: 'No permitido desde allí',
      first: 'El formulario se envió desde una página que no es esta.',
      second: 'Esta solicitud no ha cobrado nada; abra su propio enlace de pago y vuelva a empezar.',
    },
    method_not_allowed: {
      title: 'No es posible',
      first: 'Esta página no se puede usar de esa manera.',
      second: 'Esta solicitud no ha cobrado nada; abra de nuevo su enlace de pago.',
    },
    failure: {
      title: 'Algo salió mal',
      first: 'El fallo es nuestro, no de usted ni de su banco.',
      second: 'Antes de intentarlo otra vez, abra su enlace de pago: allí se indica si se ha cobrado algo.',
    },
    away: {
      title: 'Fuera de servicio por un momento',
      first: 'La página de pago no está disponible temporalmente.',
      second: 'Espere un minuto y abra de nuevo su enlace de pago: allí se indica si se ha cobrado algo.',
    },
  },
};
