import { fresh } from '../../../base/scope.ts';
import { Location } from '../../../practices/location.entity.ts';
import { createLocation, deactivateLocation, updateLocation } from '../../../practices/service.ts';
import { claimForm, isFormId } from '../../model/sent-forms.ts';
import * as ui from '../../render/blocks.ts';
import { type MemberVisit, practicePath, type Reply } from '../../routing/route.ts';
import { invalidForm, isConfirmed, notFound } from '../../routing/visit.ts';
import { TEXTS } from '../../texts/texts.ts';
import { changeLocation, refusalText, tabs } from './acts.ts';
import { type LocationInput, locationFields, locationInput, placeOf } from './location-form.ts';
import { showSettings } from './practice.ts';

/** Adds a location. A form that is sent twice adds one. */
export async function addLocation(visit: MemberVisit): Promise<Reply> {
  const formId = visit.fields.get('form');
  if (!isFormId(formId)) return invalidForm();
  const input = locationInput(visit);
  let isRepeated = false;
  try {
    await changeLocation(visit, 'location.created', null, async (scope, practiceId) => {
      isRepeated = !(await claimForm(scope, practiceId, formId));
      return isRepeated ? null : createLocation(scope, { practiceId, ...placeOf(input) });
    });
  } catch (error) {
    return showSettings(visit, { error: refusalText(visit, error), location: input });
  }
  return done(visit, isRepeated ? 'location_repeated' : 'location_added');
}

export async function showLocation(
  visit: MemberVisit,
  refused?: { error: string; input?: LocationInput },
): Promise<Reply> {
  const location = await findTarget(visit);
  if (location === null) return notFound();
  const { id, name, practiceId } = location;
  const others = await visit.scope.em.count(Location, { practiceId, active: true, id: { $ne: id } });
  const input = refused?.input ?? { ...location, phone: location.phone ?? '' };
  const { change, deactivate } = TEXTS[visit.language].settings.locations;
  const path = practicePath(visit.member, `/settings/locations/${id}`);
  return ui.page(
    change.title(name),
    [
      tabs('general'),
      ui.form({
        action: path,
        blocks: [ui.text(change.text), ...locationFields(input, visit.language)],
        button: change.button,
      }),
      ui.act(`${path}/deactivate`, deactivate, {
        blocks: [ui.text(deactivate.text), ...(others === 0 ? [ui.text(ui.mark('strong', deactivate.last))] : [])],
      }),
    ],
    { error: refused?.error },
  );
}

export async function changeOne(visit: MemberVisit): Promise<Reply> {
  const location = await findTarget(visit);
  if (location === null) return notFound();
  const input = locationInput(visit);
  try {
    await changeLocation(visit, 'location.changed', location, (scope, practiceId) =>
      updateLocation(scope, practiceId, location.id, placeOf(input)),
    );
  } catch (error) {
    return showLocation(visit, { error: refusalText(visit, error), input });
  }
  return done(visit, 'location_changed');
}

export async function deactivate(visit: MemberVisit): Promise<Reply> {
  const location = await findTarget(visit);
  if (location === null) return notFound();
  if (!isConfirmed(visit)) {
    return showLocation(visit, { error: TEXTS[visit.language].settings.locations.deactivate.notConfirmed });
  }
  await changeLocation(visit, 'location.deactivated', location, (scope, practiceId) =>
    deactivateLocation(scope, location.id, practiceId),
  );
  return done(visit, 'location_deactivated');
}

/** Returns the location of the path, if it belongs to the practice and is in use. */
function findTarget({ scope, member, params }: MemberVisit): Promise<Location | null> {
  const { practiceId } = member;
  return fresh(scope).em.findOne(Location, { id: params.locationId ?? '', practiceId, active: true });
}

function done({ member }: MemberVisit, what: string): Reply {
  return { kind: 'redirect', to: practicePath(member, `/settings?done=${what}`) };
}
