import type { signatures as english } from './en-debugger.ts';

/** The Spanish texts. */
export const signatures: typeof english = {
  title: 'Comprobar una firma',
  lead: 'Pegue un webhook tal como lo recibió su servidor. Verá si la firma es correcta y, si no, qué parte falla.',
  endpoint: 'Punto de conexión',
  noEndpoint: 'Ninguno: pego un secreto',
  secret: 'Secreto de su receptor (opcional)',
  secretHelp: 'Tiene prioridad sobre el punto de conexión. No se guarda ni se registra.',
  header: 'Encabezado Service-Signature',
  headerHelp: 'Por ejemplo t=1795187106,v1=5257…',
  body: 'Cuerpo',
  bodyHelp: 'Los bytes originales, antes de interpretarlos. Los navegadores envían aquí los saltos de línea como LF.',
  at: 'Hora de llegada (opcional)',
  atHelp: 'Segundos Unix, o UTC como 2026-11-20T16:21:46Z. Vacío significa ahora.',
  button: 'Comprobar',
  result: 'Resultado',
  genuine: 'La firma es correcta. Su receptor debe aceptar este webhook.',
  unsignable: 'Por ahora no se puede leer el secreto. Pegue el secreto o avise al operador.',
  inputs: {
    secret: 'Elija un punto de conexión o pegue un secreto.',
    header: 'Pegue el encabezado Service-Signature.',
    body: 'Pegue el cuerpo.',
    at: 'Escriba segundos Unix o una hora como 2026-11-20T16:21:46Z.',
  },
  headerFaults: {
    no_time: 'El encabezado es incorrecto: no tiene la parte t=….',
    several_times: 'El encabezado es incorrecto: tiene más de una parte t=….',
    time_not_seconds: 'El encabezado es incorrecto: la hora t debe ser un número entero de segundos Unix.',
    no_signature: 'El encabezado es incorrecto: no tiene la parte v1=….',
    no_hexadecimal_signature: 'El encabezado es incorrecto: ningún v1 tiene 64 dígitos hexadecimales en minúsculas.',
  },
  clock: (seconds, isLate) =>
    `El secreto y el cuerpo son correctos. Pero la firma es ${seconds.toLocaleString('es-US')} segundos ${isLate ? 'anterior a la llegada' : 'posterior a la llegada'}; se permiten 300. ` +
    'Si llegó antes, escriba la hora de llegada. Si no, revise el reloj de su servidor.',
  changed: 'El cuerpo cambió antes de su comprobación. Compruebe los bytes originales, antes de interpretarlos.',
  changes: {
    line_break_added: 'Se añadió un salto de línea al final.',
    line_break_missing: 'Falta un salto de línea al final.',
    white_space_added: 'Se añadieron espacios alrededor.',
    byte_order_mark_added: 'Se añadió una marca de orden de bytes.',
    line_breaks_changed: 'Sus saltos de línea cambiaron a CRLF.',
    encoding_changed: 'Su codificación dejó de ser UTF-8.',
    decoded_wrongly: 'Se leyó como Latin-1 y se codificó de nuevo.',
    json_written_again: 'Su JSON se interpretó y se escribió de nuevo, lo que cambia espacios o escapes.',
    json_in_string: 'Se escribió como una cadena JSON.',
  },
  secretFaults: {
    surrounded: 'El secreto es incorrecto: tiene espacios o comillas alrededor.',
    prefix_missing: 'El secreto es incorrecto: falta whsec_ al principio. Use el secreto completo como texto.',
    other: 'El secreto es incorrecto: el webhook se firmó con otro.',
  },
  signer: (url, mode, isFormer) =>
    `Se firmó con el ${isFormer ? 'secreto anterior' : 'secreto'} de este punto de conexión (${mode}): ${url}`,
  secretOrBody:
    'Ninguna firma corresponde a este secreto y este cuerpo. El secreto es de otro punto de conexión, o el cuerpo cambió.',
  comparison: ({ firstDifference, sentBytes, arrivedBytes, isSameJson }) =>
    `Enviamos ${sentBytes.toLocaleString('es-US')} bytes y usted comprobó ${arrivedBytes.toLocaleString('es-US')}. Difieren a partir del byte ${firstDifference.toLocaleString('es-US')}. ` +
    (isSameJson
      ? 'Ambos son el mismo JSON, así que se interpretó y se escribió de nuevo.'
      : 'También difieren los valores.'),
};
