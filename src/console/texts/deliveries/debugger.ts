import type {
  BodyChange,
  HeaderFault,
  SecretFault,
} from '../../../../packages/paylinks-dev/source/webhooks/diagnosis.ts';
import type { SentComparison } from '../../../webhooks/events/debug-signature.ts';

export const signatures = {
  lead: 'Paste a webhook as your server received it. You see whether its signature is right, or which part is wrong.',
  noEndpoint: 'None: I paste a secret',
  secret: 'Secret of your receiver (optional)',
  secretHelp: 'It takes precedence over the endpoint. It is neither stored nor logged.',
  header: 'Header Service-Signature',
  headerHelp: 'Such as t=1795187106,v1=5257…',
  body: 'Body',
  bodyHelp: 'The raw bytes, before any parsing. Browsers send line breaks as LF here.',
  at: 'Time of arrival (optional)',
  atHelp: 'Unix seconds, or UTC such as 2026-11-20T16:21:46Z. Empty means now.',
  button: 'Check',
  result: 'Result',
  genuine: 'The signature is right. Accept the webhook.',
  unsignable: 'The secret of the endpoint cannot be read at the moment. Paste the secret, or ask the operator.',
  inputs: {
    secret: 'Choose an endpoint, or paste a secret.',
    header: 'Paste the header Service-Signature.',
    body: 'Paste the body.',
    at: 'Enter a time such as 2026-11-20T16:21:46Z.',
  },
  headerFaults: {
    no_time: 'The header is wrong: it has no t=….',
    several_times: 'The header is wrong: several t=….',
    time_in_milliseconds:
      'The header is wrong: the time t is in milliseconds, and must be in whole Unix seconds. Divide it by 1000.',
    time_not_seconds: 'The header is wrong: the time t must be whole Unix seconds.',
    no_signature: 'The header is wrong: it has no v1=….',
    no_hexadecimal_signature: 'The header is wrong: no v1 has 64 hexadecimal digits in lower case.',
  } satisfies Record<HeaderFault, string>,
  clock: (seconds: number, isLate: boolean) =>
    `Secret and body are right. But the signature is ${seconds.toLocaleString('en')} seconds ${isLate ? 'older than the arrival' : 'in the future'}; 300 are allowed. ` +
    'If it arrived earlier, enter the time of its arrival. Otherwise check the clock of your server.',
  changed: 'The body was changed on its way to your check. Verify the raw bytes, before any parsing.',
  changes: {
    line_break_added: 'A line break was added at its end.',
    line_break_missing: 'A line break at its end is missing.',
    white_space_added: 'White space was added around it.',
    byte_order_mark_added: 'A byte order mark was added.',
    line_breaks_changed: 'Its line breaks were changed to CRLF.',
    encoding_changed: 'Its encoding was changed from UTF-8.',
    decoded_wrongly: 'It was read as Latin-1 and encoded again.',
    json_written_again: 'Its JSON was parsed and written again, which changes white space or escapes.',
    json_in_string: 'It was written as a JSON string.',
  } satisfies Record<BodyChange, string>,
  secretFaults: {
    surrounded: 'The secret is wrong: it has white space or quotes around it.',
    prefix_missing: 'The secret is wrong: whsec_ at its beginning is missing. Use the whole secret as text.',
    other: 'The secret is wrong: another one signed it.',
  } satisfies Record<SecretFault, string>,
  signer: (url: string, mode: string, isFormer: boolean) =>
    `It was signed with the ${isFormer ? 'former secret' : 'secret'} of this endpoint (${mode}): ${url}`,
  secretOrBody:
    'No signature fits this secret and this body. Either the secret is that of another endpoint, or the body was changed.',
  comparison: ({ firstDifference, sentBytes, arrivedBytes, isSameJson }: SentComparison) =>
    `We sent ${sentBytes.toLocaleString('en')} bytes, and you checked ${arrivedBytes.toLocaleString('en')}. They differ from byte ${firstDifference.toLocaleString('en')} on. ` +
    (isSameJson ? 'string are the same JSON, so it was parsed and written again.' : 'Values differ, too.'),
};
