import { ApiError } from '../../../base/errors.ts';
import type { AccessScope } from '../../../base/scope.ts';
import type { Location } from '../../../practices/location.entity.ts';
import type { Option } from '../../render/blocks.ts';
import { type MemberVisit, modeOf, modePath } from '../../routing/route.ts';
import { accessScopeOf, actorOf, doneText } from '../../routing/visit.ts';
import type { DeveloperRefusal } from '../../texts/developers/developers.ts';
import type { Texts } from '../../texts/texts.ts';
import { TEXTS } from '../../texts/texts.ts';

export function textsOf({ language }: MemberVisit): Texts['developers'] {
  return TEXTS[language].developers;
}

export function developersPath(visit: MemberVisit, rest = ''): string {
  return modePath(visit.member, modeOf(visit), `/developers${rest}`);
}

/** Returns the scope of services on webhooks, which record the acts of the person. */
export function endpointScope(visit: MemberVisit): AccessScope {
  return { ...accessScopeOf(visit), actor: actorOf(visit) };
}

export function locationName(locations: readonly Location[], id: string | null): string | null {
  return id === null ? null : (locations.find((location) => location.id === id)?.name ?? id);
}

export function activeChoices(locations: readonly Location[]): Option[] {
  return locations.filter(({ active }) => active).map(({ id, name, city }) => [id, `${name}, ${city}`]);
}

const REFUSALS = ['endpoint_disabled', 'webhooks_unavailable', 'limit_reached'] as const satisfies DeveloperRefusal[];

/**
 * Runs a service. Returns its result, or the sentence that refuses the form.
 *
 * @throws unknown objects and faults, which pages of their own answer
 */
export async function tried<T>(visit: MemberVisit, work: () => Promise<T>): Promise<T | string> {
  try {
    return await work();
  } catch (error) {
    const sentence = error instanceof ApiError ? sentenceOf(textsOf(visit), error) : null;
    if (sentence === null) throw error;
    return sentence;
  }
}

/** Returns the sentence of an error; null if it is no refusal of a form. */
function sentenceOf(t: Texts['developers'], { code, details }: ApiError): string | null {
  if (code === 'replay_cooldown') return t.cooldown(Math.ceil((details.retryAfterSeconds ?? 60) / 60));
  if (code === 'validation_error' && details.param === 'since') return t.refusals.since_outside;
  if (code === 'validation_error' && details.param === 'formerMark') return t.refusals.rotated_before;
  const known = REFUSALS.find((name) => name === code);
  return known === undefined ? null : t.refusals[known];
}

/** Returns the text of an act of this part that was done. That of a replay has the number of events. */
export function developerDoneText(visit: MemberVisit): string | undefined {
  const t = textsOf(visit);
  const count = Number(/^\d{1,4}$/.exec(visit.query.get('count') ?? '')?.[0] ?? 0);
  return doneText(visit, { ...t.done, replayed: t.doneReplay(count) });
}
