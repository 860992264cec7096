import { rotateSecret, showSecret } from '../../../webhooks/endpoints/service.ts';
import type { MemberVisit, Reply } from '../../routing/route.ts';
import { isConfirmed } from '../../routing/visit.ts';
import { endpointOf, endpointPage } from './endpoints.ts';
import { developersPath, endpointScope, textsOf, tried } from './visit.ts';

/** Shows the secret of an endpoint, with the form that replaces it. */
export async function show(visit: MemberVisit): Promise<Reply> {
  const endpoint = await endpointOf(visit);
  const shown = await tried(visit, () => showSecret(endpointScope(visit), endpoint.id));
  if (!shown.ok) return endpointPage(visit, endpoint, shown.error);
  return secretPage(visit, shown.value.secret, textsOf(visit).endpoints.secret.shown);
}

/**
 * Replaces the secret, and shows the new one. The form names the secret that it replaces, so that a form sent twice does
 * not end the overlap.
 */
export async function rotate(visit: MemberVisit): Promise<Reply> {
  const endpoint = await endpointOf(visit);
  const t = textsOf(visit);
  if (!isConfirmed(visit)) return endpointPage(visit, endpoint, t.refusals.not_confirmed);
  const mark = visit.fields.get('former') ?? '';
  const rotated = await tried(visit, () => rotateSecret(endpointScope(visit), endpoint.id, mark));
  if (!rotated.ok) return endpointPage(visit, endpoint, rotated.error);
  return secretPage(visit, rotated.value.secret, t.endpoints.secret.rotated);
}

function secretPage(visit: MemberVisit, secret: string, text: string): Reply {
  const t = textsOf(visit);
  const view = {
    secret: { id: 'secret', label: t.endpoints.secret.value, value: secret },
    text,
    back: { href: developersPath(visit, `/webhooks/${visit.params.endpointId}`), text: t.endpoints.back },
  };
  return { kind: 'page', template: 'developers/secret', title: t.endpoints.secret.shownTitle, view };
}
