import type { Both } from '../../pages/texts/languages.ts';

export const search = {
  title: { en: 'Search', es: 'Buscar' },
  placeholder: { en: 'Name, amount…', es: 'Nombre, monto…' },
  label: { en: 'Search by name, amount or number', es: 'Buscar por nombre, monto o número' },
  results: (text: string) => ({ en: `Matches for “${text}”.`, es: `Resultados para «${text}».` }),
  help: {
    en: 'Type the beginning of a last name, or first and last name. Or type a whole phone number, email address, chart number, reference or receipt number. Write an amount as $125 or 125.00.',
    es: 'Escriba el comienzo del apellido, o nombre y apellidos. O bien un teléfono, correo, expediente, referencia o número de recibo completo. Escriba un monto como $125 o 125.00.',
  },
  digits: {
    en: 'The last four digits of a card or account find its payments.',
    es: 'Los cuatro últimos dígitos de una tarjeta o cuenta encuentran sus pagos.',
  },
  none: { en: 'Nothing matches', es: 'Sin resultados' },
  noPayments: { en: 'No payment matches.', es: 'Ningún pago corresponde.' },
  allLinks: { en: 'Show all these links', es: 'Ver todos estos enlaces' },
  allPayments: { en: 'Show all these payments', es: 'Ver todos estos pagos' },
  isCut: {
    en: 'There are more matches than a search reads, so some may be missing. Type more of the name.',
    es: 'Hay más resultados de los que lee una búsqueda; pueden faltar algunos. Escriba más del apellido.',
  },
} satisfies Record<string, Both | ((text: string) => Both)>;
