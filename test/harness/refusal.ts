import type { Exchange } from './client.ts';

/** A reply in one line: `400 validation_error amount`, or its status alone when it is no refusal. */
export function outcome({ status, body }: Exchange): string {
  const error = body?.error;
  if (error === undefined) return `${status}`;
  return error.param === null ? `${status} ${error.code}` : `${status} ${error.code} ${error.param}`;
}

/** A refusal's text without the one thing that differs between two requests. */
export function withoutRequestId({ text, body }: Exchange): string {
  return text.replace(body.error.requestId, '<request id>');
}
