import { ApiError } from '../../../base/errors.ts';
import { listVisibleEndpoints } from '../../../webhooks/endpoints/service.ts';
import { mayDo } from '../../model/roles.ts';
import type { Option } from '../../render/blocks.ts';
import type { MemberVisit } from '../../routing/route.ts';
import { accessScopeOf } from '../../routing/visit.ts';
import type { RedeliveryRefusal } from '../../texts/deliveries/deliveries.ts';

/** Returns true if the person may see data of patients, which payloads contain. */
export function seesPatients({ member }: MemberVisit): boolean {
  return mayDo(member, 'links.view');
}

/** Returns the endpoints to choose from. There are at most ten of a practice and mode. */
export async function endpointChoices(visit: MemberVisit): Promise<Option[]> {
  const { data } = await listVisibleEndpoints(accessScopeOf(visit), { page: 1, pageSize: 100 });
  return data.map(({ id, url }) => [id, url]);
}

/** Returns the refusal that a page shows as a sentence. @throws the error if it is none */
export function redeliveryRefusalOf(error: unknown): RedeliveryRefusal {
  if (!(error instanceof ApiError)) throw error;
  switch (error.code) {
    case 'endpoint_disabled':
    case 'webhooks_unavailable':
    case 'replay_cooldown':
      return error.code;
    case 'validation_error':
      return 'invalid_range';
    default:
      throw error;
  }
}
