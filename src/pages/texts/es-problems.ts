import type { Texts } from './en.ts';

/** Texts of pages that belong to no link, in Spanish. */
export const problemTexts: Pick<Texts, 'onboarded' | 'problems'> = {
  onboarded: {
    title: 'Ha salido del registro',
    first: 'Ha salido de las páginas de registro del proveedor de pagos y puede cerrar esta página.',
    second:
      'Si todo está completo, los pagos se activan en unos minutos. Si no, o si su enlace había vencido, pida uno nuevo a ' +
      'la persona que se lo envió.',
  },
  problems: {
    not_found: {
      title: 'Página no encontrada',
      first: 'No hay ninguna página de pago en esta dirección.',
      second: 'No se ha cobrado nada. Compruebe que copió el enlace completo o pida uno nuevo al consultorio.',
    },
    too_many: {
      title: 'Demasiadas solicitudes',
      first: 'Desde su red llegaron demasiadas solicitudes en poco tiempo.',
      second: 'Por esta solicitud no se ha cobrado nada. Espere un minuto e inténtelo de nuevo.',
    },
    invalid_form: {
      title: 'No se pudo leer el formulario',
      first: 'Los datos que se enviaron no son de un formulario de esta página.',
      second: 'Por esta solicitud no se ha cobrado nada. Abra su enlace de pago y vuelva a empezar.',
    },
    forbidden: {
      title: 'Formulario no aceptado',
      first: 'El formulario no se envió desde esta página.',
      second: 'Por esta solicitud no se ha cobrado nada. Abra su enlace de pago y vuelva a empezar.',
    },
    method_not_allowed: {
      title: 'No es posible',
      first: 'Esta página no se puede usar de esta manera.',
      second: 'Por esta solicitud no se ha cobrado nada. Abra de nuevo su enlace de pago.',
    },
    failure: {
      title: 'Algo salió mal',
      first: 'El error es nuestro, no de usted ni de su banco.',
      second: 'Antes de intentarlo otra vez, abra su enlace de pago. Allí se indica si se ha cobrado algo.',
    },
    unavailable: {
      title: 'No disponible por el momento',
      first: 'La página de pago no está disponible por el momento.',
      second: 'Espere un minuto y abra de nuevo su enlace de pago. Allí se indica si se ha cobrado algo.',
    },
  },
};
