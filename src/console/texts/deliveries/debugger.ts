import type {
  BodyChange,
  HeaderFault,
  SecretFault,
} from '../../../../packages/paylinks-dev/source/webhooks/diagnosis.ts';
import type { Both } from '../../../pages/texts/languages.ts';
import type { SentComparison } from '../../../webhooks/events/debug-signature.ts';

export const signatures = {
  lead: {
    en: 'Paste a webhook as your server received it. You see whether its signature is right, or which part is wrong.',
    es: 'Pegue un webhook tal como lo recibió su servidor. Verá si la firma es correcta y, si no, qué parte falla.',
  },
  noEndpoint: { en: 'None: I paste a secret', es: 'Ninguno: pego un secreto' },
  secret: { en: 'Secret of your receiver (optional)', es: 'Secreto de su receptor (opcional)' },
  secretHelp: {
    en: 'It takes precedence over the endpoint. It is neither stored nor logged.',
    es: 'Tiene prioridad sobre el punto de conexión. No se guarda ni se registra.',
  },
  header: { en: 'Header Service-Signature', es: 'Encabezado Service-Signature' },
  headerHelp: { en: 'Such as t=1795187106,v1=5257…', es: 'Por ejemplo t=1795187106,v1=5257…' },
  body: { en: 'Body', es: 'Cuerpo' },
  bodyHelp: {
    en: 'The raw bytes, before any parsing. Browsers send line breaks as LF here.',
    es: 'Los bytes originales, antes de interpretarlos. Los navegadores envían aquí los saltos de línea como LF.',
  },
  at: { en: 'Time of arrival (optional)', es: 'Hora de llegada (opcional)' },
  atHelp: {
    en: 'Unix seconds, or UTC such as 2026-11-20T16:21:46Z. Empty means now.',
    es: 'Segundos Unix, o UTC como 2026-11-20T16:21:46Z. Vacío significa ahora.',
  },
  button: { en: 'Check', es: 'Comprobar' },
  result: { en: 'Result', es: 'Resultado' },
  genuine: { en: 'The signature is right. Accept the webhook.', es: 'La firma es correcta. Acepte el webhook.' },
  unsignable: {
    en: 'The secret of the endpoint cannot be read at the moment. Paste the secret, or ask the operator.',
    es: 'Por ahora no se puede leer el secreto. Pegue el secreto o avise al operador.',
  },
  inputs: {
    secret: { en: 'Choose an endpoint, or paste a secret.', es: 'Elija un punto de conexión o pegue un secreto.' },
    header: { en: 'Paste the header Service-Signature.', es: 'Pegue el encabezado Service-Signature.' },
    body: { en: 'Paste the body.', es: 'Pegue el cuerpo.' },
    at: { en: 'Enter a time such as 2026-11-20T16:21:46Z.', es: 'Escriba una hora como 2026-11-20T16:21:46Z.' },
  },
  headerFaults: {
    no_time: { en: 'The header is wrong: it has no t=….', es: 'El encabezado es incorrecto: no tiene t=….' },
    several_times: { en: 'The header is wrong: several t=….', es: 'El encabezado es incorrecto: varios t=….' },
    time_in_milliseconds: {
      en: 'The header is wrong: the time t is in milliseconds, and must be in whole Unix seconds. Divide it by 1000.',
      es: 'El encabezado es incorrecto: la hora t está en milisegundos y debe ser un número entero de segundos Unix. Divídala entre 1000.',
    },
    time_not_seconds: {
      en: 'The header is wrong: the time t must be whole Unix seconds.',
      es: 'El encabezado es incorrecto: la hora t debe ser un número entero de segundos Unix.',
    },
    no_signature: { en: 'The header is wrong: it has no v1=….', es: 'El encabezado es incorrecto: no tiene v1=….' },
    no_hexadecimal_signature: {
      en: 'The header is wrong: no v1 has 64 hexadecimal digits in lower case.',
      es: 'El encabezado es incorrecto: ningún v1 tiene 64 dígitos hexadecimales en minúsculas.',
    },
  } satisfies Record<HeaderFault, Both>,
  clock: (seconds: number, isLate: boolean) => ({
    en:
      `Secret and body are right. But the signature is ${seconds.toLocaleString('en')} seconds ${isLate ? 'older than the arrival' : 'in the future'}; 300 are allowed. ` +
      'If it arrived earlier, enter the time of its arrival. Otherwise check the clock of your server.',
    es:
      `El secreto y el cuerpo son correctos. Pero la firma es ${seconds.toLocaleString('es-US')} segundos ${isLate ? 'anterior a la llegada' : 'posterior a la llegada'}; se permiten 300. ` +
      'Si llegó antes, escriba la hora de llegada. Si no, revise el reloj de su servidor.',
  }),
  changed: {
    en: 'The body was changed on its way to your check. Verify the raw bytes, before any parsing.',
    es: 'El cuerpo cambió antes de su comprobación. Compruebe los bytes originales, antes de interpretarlos.',
  },
  changes: {
    line_break_added: { en: 'A line break was added at its end.', es: 'Se añadió un salto de línea al final.' },
    line_break_missing: { en: 'A line break at its end is missing.', es: 'Falta un salto de línea al final.' },
    white_space_added: { en: 'White space was added around it.', es: 'Se añadieron espacios alrededor.' },
    byte_order_mark_added: { en: 'A byte order mark was added.', es: 'Se añadió una marca de orden de bytes.' },
    line_breaks_changed: { en: 'Its line breaks were changed to CRLF.', es: 'Sus saltos de línea cambiaron a CRLF.' },
    encoding_changed: { en: 'Its encoding was changed from UTF-8.', es: 'Su codificación dejó de ser UTF-8.' },
    decoded_wrongly: { en: 'It was read as Latin-1 and encoded again.', es: 'Se leyó y recodificó como Latin-1.' },
    json_written_again: {
      en: 'Its JSON was parsed and written again, which changes white space or escapes.',
      es: 'Su JSON se interpretó y se escribió de nuevo, lo que cambia espacios o escapes.',
    },
    json_in_string: { en: 'It was written as a JSON string.', es: 'Se escribió como una cadena JSON.' },
  } satisfies Record<BodyChange, Both>,
  secretFaults: {
    surrounded: {
      en: 'The secret is wrong: it has white space or quotes around it.',
      es: 'El secreto es incorrecto: tiene espacios o comillas alrededor.',
    },
    prefix_missing: {
      en: 'The secret is wrong: whsec_ at its beginning is missing. Use the whole secret as text.',
      es: 'El secreto es incorrecto: falta whsec_ al principio. Use el secreto completo como texto.',
    },
    other: { en: 'The secret is wrong: another one signed it.', es: 'El secreto es incorrecto: lo firmó otro.' },
  } satisfies Record<SecretFault, Both>,
  signer: (url: string, mode: string, isFormer: boolean) => ({
    en: `It was signed with the ${isFormer ? 'former secret' : 'secret'} of this endpoint (${mode}): ${url}`,
    es: `Se firmó con el ${isFormer ? 'secreto anterior' : 'secreto'} de este punto de conexión (${mode}): ${url}`,
  }),
  secretOrBody: {
    en: 'No signature fits this secret and this body. Either the secret is that of another endpoint, or the body was changed.',
    es: 'Ninguna firma corresponde a este secreto y este cuerpo. El secreto es de otro punto de conexión, o el cuerpo cambió.',
  },
  comparison: ({ firstDifference, sentBytes, arrivedBytes, isSameJson }: SentComparison) => ({
    en:
      `We sent ${sentBytes.toLocaleString('en')} bytes, and you checked ${arrivedBytes.toLocaleString('en')}. They differ from byte ${firstDifference.toLocaleString('en')} on. ` +
      (isSameJson ? 'Both are the same JSON, so it was parsed and written again.' : 'Values differ, too.'),
    es:
      `Enviamos ${sentBytes.toLocaleString('es-US')} bytes y usted comprobó ${arrivedBytes.toLocaleString('es-US')}. Difieren a partir del byte ${firstDifference.toLocaleString('es-US')}. ` +
      (isSameJson
        ? 'Ambos son el mismo JSON, así que se interpretó y se escribió de nuevo.'
        : 'También difieren los valores.'),
  }),
};
