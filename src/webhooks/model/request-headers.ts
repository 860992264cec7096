/**
 * Returns the headers of a webhook request, as openapi.yaml describes them. Host, Content-Length and Connection are added
 * when it is sent.
 *
 * @param signature value of `Service-Signature`, as `signatureHeader` returns it
 */
export function requestHeaders({ id, type }: { id: string; type: string }, signature: string): Record<string, string> {
  return {
    'content-type': 'application/json',
    'user-agent': 'Service-Webhooks/1.0',
    'service-event-id': id,
    'service-event-type': type,
    'service-signature': signature,
  };
}
