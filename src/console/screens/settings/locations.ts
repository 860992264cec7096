import { fresh } from '../../../base/scope.ts';
import { Location } from '../../../practices/location.entity.ts';
import { createLocation, deactivateLocation, updateLocation } from '../../../practices/service.ts';
import { claimForm, isFormId } from '../../model/sent-forms.ts';
import * as ui from '../../render/blocks.ts';
import type { MemberVisit, Reply } from '../../routing/route.ts';
import { invalidForm, isConfirmed, notFound } from '../../routing/visit.ts';
import { changeLocation, tabs } from './acts.ts';
import { type LocationInput, locationFields, locationInput, placeOf } from './location-form.ts';
import { showSettings } from './practice.ts';

/** Adds a location. A form that is sent twice adds one. */
export async function addLocation(visit: MemberVisit): Promise<Reply> {
  const formId = visit.fields.get('form');
  if (!isFormId(formId)) return invalidForm();
  const input = locationInput(visit);
  return changeLocation(
    visit,
    'location.created',
    null,
    async (scope, practiceId) => {
      const isNew = await claimForm(scope, practiceId, formId);
      return isNew ? createLocation(scope, { practiceId, ...placeOf(input) }) : null;
    },
    (error) => showSettings(visit, { error, location: input }),
  );
}

/** Runs a handler with the location of the path, if it belongs to the practice and is in use. */
export function withLocation(
  handle: (visit: MemberVisit, location: Location) => Promise<Reply>,
): (visit: MemberVisit) => Promise<Reply> {
  return async (visit) => {
    const { scope, params } = visit;
    const { practiceId } = visit.member;
    const location = await fresh(scope).em.findOne(Location, { id: params.locationId ?? '', practiceId, active: true });
    return location === null ? notFound() : handle(visit, location);
  };
}

export async function showLocation(
  visit: MemberVisit,
  location: Location,
  error?: string,
  input: LocationInput = { ...location, phone: location.phone ?? '' },
): Promise<Reply> {
  const { id, name, practiceId } = location;
  const others = await visit.scope.em.count(Location, { practiceId, active: true, id: { $ne: id } });
  const { change, deactivate } = visit.t.settings.locations;
  const path = visit.path(`/settings/locations/${id}`);
  return ui.page(change.title(name), { error }, [
    tabs(visit, 'general'),
    ui.form(path, { button: visit.t.save }, [ui.text(change.text), ...locationFields(visit, input)]),
    ui.act(`${path}/deactivate`, deactivate, {
      blocks: [ui.text(deactivate.text), others === 0 && ui.text(ui.mark('strong', deactivate.last))],
    }),
  ]);
}

export async function changeOne(visit: MemberVisit, location: Location): Promise<Reply> {
  const input = locationInput(visit);
  return changeLocation(
    visit,
    'location.changed',
    location,
    (scope, practiceId) => updateLocation(scope, practiceId, location.id, placeOf(input)),
    (error) => showLocation(visit, location, error, input),
  );
}

export async function deactivate(visit: MemberVisit, location: Location): Promise<Reply> {
  const { notConfirmed } = visit.t.settings.locations.deactivate;
  if (!isConfirmed(visit)) return showLocation(visit, location, notConfirmed);
  return changeLocation(visit, 'location.deactivated', location, (scope, practiceId) =>
    deactivateLocation(scope, location.id, practiceId),
  );
}
