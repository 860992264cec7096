import type { Location as LocationResource } from '../contract/operations-type.ts';
import type { Location } from './location.entity.ts';
import type { Practice } from './practice.entity.ts';

/** Returns a location as the API shows it. */
export function locationView(location: Location): LocationResource {
  const { id, name, city, state, timeZone } = location;
  return { id, object: 'location', name, city, state, timeZone };
}

/** Returns a location as the operator's commands show it. */
export function adminLocationView(location: Location) {
  const { practiceId, phone, active, createdAt } = location;
  return { ...locationView(location), practiceId, phone, active, createdAt: createdAt.toISOString() };
}

/** Returns a practice as the operator's commands show it. */
export function practiceView(practice: Practice) {
  const { id, name, adminEmail, phone, paymentsEnabled, apiAccessEnabled, createdAt } = practice;
  return { id, name, adminEmail, phone, paymentsEnabled, apiAccessEnabled, createdAt: createdAt.toISOString() };
}
