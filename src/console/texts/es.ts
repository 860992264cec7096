import { ownAccount } from './account/es.ts';
import * as audit from './audit/es.ts';
import { deliveries } from './deliveries/es.ts';
import { developers } from './developers/es.ts';
import type { Texts } from './en.ts';
import { mails } from './es-mails.ts';
import { links } from './links/es.ts';
import { payments } from './payments/es.ts';
import { people } from './people/es.ts';
import { settings } from './settings/es.ts';

/** The Spanish texts. */
export const es: Texts = {
  language: { code: 'es', name: 'Español', switchTo: 'Ver esta página en español' },
  brand: 'Consola de Paylinks',
  skip: 'Ir al contenido',
  menu: 'Consola',
  nav: {
    home: 'Resumen',
    deliveries: 'Entregas',
    payments: 'Pagos',
    settings: 'Ajustes',
    links: 'Enlaces de pago',
    developers: developers.title,
    people: 'Personas',
    auditLog: 'Registro de actividad',
    practices: 'Todos los consultorios',
  },
  mode: {
    live: { name: 'Datos reales.', text: 'Los pagos son reales.', switchTo: 'Cambiar a los datos reales' },
    test: { name: 'Datos de prueba.', text: 'No se mueve dinero.', switchTo: 'Cambiar a los datos de prueba' },
  },
  account: {
    signedInAs: 'Sesión iniciada como',
    signOut: 'Cerrar sesión',
    signOutEverywhere: 'Cerrar todas las sesiones',
  },
  roles: {
    owner: { name: 'Titular', help: 'Todo, y nombra a otros titulares.' },
    administrator: { name: 'Administración', help: 'Todo, pero no puede cambiar a los titulares.' },
    billing: { name: 'Facturación', help: 'Crea, cancela, reembolsa y exporta pagos.' },
    front_desk: { name: 'Recepción', help: 'Crea y cancela enlaces, y ve su estado.' },
    developer: {
      name: 'Desarrollo',
      help: 'Claves y webhooks. Las páginas no muestran pacientes, pero las claves y los puntos de conexión reales leen los nombres de todos.',
    },
    viewer: { name: 'Solo lectura', help: 'Ve enlaces y pagos, y no cambia nada.' },
  },
  signIn: {
    title: 'Iniciar sesión',
    text: 'Escriba su correo electrónico. Le enviamos un enlace para iniciar sesión; no hay contraseña.',
    email: 'Correo electrónico',
    button: 'Enviarme un enlace',
    ended: 'La sesión está cerrada. Inicie sesión de nuevo para continuar.',
  },
  sent: {
    title: 'Revise su correo',
    text: 'Si este correo puede iniciar sesión, el enlace está en camino. Funciona una sola vez, durante 15 minutos.',
    again: '¿No llegó nada? Revise la ortografía y la carpeta de correo no deseado, y pida otro enlace',
  },
  confirm: {
    title: 'Iniciar sesión en la consola',
    text: (email) => `Va a iniciar sesión como ${email}.`,
    button: 'Iniciar sesión',
  },
  invitation: {
    title: 'Invitación',
    text: (practice, role) => `El consultorio «${practice}» le invita a su consola, como: ${role}.`,
    signsIn: (email) =>
      `Si acepta, pertenece al consultorio como ${email}, y sus administradores ven lo que usted hace para él.`,
    button: 'Aceptar la invitación',
  },
  expired: {
    title: 'Este enlace ya no funciona',
    text:
      'Un enlace para iniciar sesión funciona una sola vez, durante 15 minutos. Escriba su correo para recibir otro. Una ' +
      'invitación funciona una sola vez, durante 7 días. Pida al consultorio que la envíe de nuevo.',
  },
  ownAccount,
  confirmAgain: {
    title: 'Confirme que es usted',
    text: 'Este paso exige haber iniciado sesión en los últimos 15 minutos. Lo que escribió se conserva.',
    button: 'Enviarme un enlace',
    sent: 'El enlace está en camino. Ábralo en este navegador.',
    kept: 'Deje esta página abierta. Cuando haya iniciado sesión de nuevo, continúe aquí.',
    goOn: 'Ya inicié sesión: continuar',
    again: 'En este navegador todavía no hay un nuevo inicio de sesión. Abra el enlace del correo en este navegador.',
    send: 'Gracias. Su formulario todavía no se envió.',
    sendButton: 'Enviar el formulario ahora',
  },
  practices: { title: 'Elija un consultorio', text: 'Usted pertenece a varios consultorios.' },
  home: {
    title: 'Resumen',
    text: (practice, role) => `Usted trabaja para ${practice} con la función: ${role}.`,
    developers: 'Claves y webhooks',
  },
  developers,
  people,
  payments,
  settings,
  auditLog: {
    title: 'Registro de actividad',
    lead: 'Cada acción de las personas, de las claves de API y del operador. Las entradas nunca se cambian ni se borran.',
    filter: {
      actor: 'Quién',
      action: 'Acción',
      day: 'Día (UTC)',
    },
    table: {
      time: 'Hora (UTC)',
      actor: 'Quién',
      action: 'Acción',
      target: 'Objeto',
      address: 'Dirección de red',
      change: 'Cambio',
    },
    operator: 'Operador del servicio',
    apiKey: 'Clave de API',
    targets: audit.targets,
    fields: audit.fields,
    values: audit.values,
    yes: 'sí',
    no: 'no',
    allEvents: 'todos',
    actions: audit.acts,
    empty: 'Ninguna entrada corresponde al filtro.',
    exported: 'Descargar estas entradas (CSV)',
    older: 'Entradas anteriores',
    newest: 'Entradas más recientes',
  },
  deliveries,
  problems: {
    not_found: { title: 'Página no encontrada', text: 'Esta página no existe o pertenece a otro consultorio.' },
    forbidden: {
      title: 'No permitido',
      text: 'Su función no incluye esta página. Pregunte a un titular de su consultorio.',
    },
    method_not_allowed: { title: 'No es posible así', text: 'Abra esta página desde el menú de la consola.' },
    invalid_form: {
      title: 'El formulario está incompleto',
      text: 'Vuelva atrás, cargue la página y escriba sus datos de nuevo.',
    },
    file_too_large: {
      title: 'El archivo es demasiado grande',
      text: 'Un archivo tiene como máximo 1 MB. Vuelva atrás y elija uno más pequeño.',
    },
    foreign_form: {
      title: 'El formulario ha vencido',
      text: 'Viene de otra sesión o de otro sitio. No se ha cambiado nada. Cargue la página de nuevo e inténtelo otra vez.',
    },
    too_many: { title: 'Demasiadas solicitudes', text: 'Espere un minuto e inténtelo de nuevo.' },
    failure: {
      title: 'Algo ha fallado',
      text: 'El error es nuestro. Compruebe si el cambio está hecho y, si no, inténtelo de nuevo.',
    },
    unavailable: { title: 'Inténtelo de nuevo pronto', text: 'El servicio no está disponible en este momento.' },
  },
  idle: { text: 'Su sesión se cerrará en dos minutos.', button: 'Seguir en la sesión' },
  filter: { title: 'Filtro', all: 'Todos', button: 'Aplicar', reset: 'Ver todo' },
  errorTitle: 'Por favor, revise',
  backHome: 'Ir al resumen',
  mails,
  links,
};
