import type { ApiKey } from '../../../access/api-key.entity.ts';
import * as service from '../../../access/service.ts';
import { apiScopes } from '../../../contract/document.ts';
import type { ApiScope } from '../../../contract/operations-type.ts';
import { ApiError } from '../../../platform/base/errors.ts';
import { fresh } from '../../../platform/base/scope.ts';
import { parseName } from '../../../platform/base/text.ts';
import { addDays, parseDay, startOfDay } from '../../../platform/base/time/zoned-time.ts';
import { inTransaction } from '../../../platform/database/query/transaction.ts';
import { audit } from '../../../practices/audit/audit.ts';
import { getPractice } from '../../../practices/find.ts';
import type { Practice } from '../../../practices/practice.entity.ts';
import * as ui from '../../../web/blocks.ts';
import { readLabels } from '../../identity/people/members.ts';
import { mayDo } from '../../model/roles.ts';
import { claimForm, newFormId } from '../../model/sent-forms.ts';
import { KEY_STATES, SENT_BEFORE, wordOf } from '../../render/labels.ts';
import { catchRefusals, withRecord } from '../../routing/handlers.ts';
import { type MemberVisit, ownerOf, type Refusal, type Reply, refuse } from '../../routing/visit.ts';
import { typedTexts } from '../filters.ts';
import { type PracticeView, readPracticeView } from '../formats.ts';
import { developerDoneText, isActiveLocation, keyName, locationField, NO_LOCATION, secretPage } from './visit.ts';

const SCOPES = {
  'payment_links:read': 'Read payment links',
  'payment_links:write': 'Create, change and cancel payment links',
  'webhooks:manage': 'Manage webhook endpoints',
} satisfies Record<ApiScope, string>;

const REVOCATION = {
  title: 'Revoke the key',
  text: 'Programs that use it are refused at their next request. This cannot be undone.',
  label: 'Yes, revoke this key',
  button: 'Revoke',
};

const LIVE_KEY = 'In this practice, only owners and administrators create live keys.';

const NO_NAME = 'Enter a name of at most 60 characters, without invisible marks of direction.';

export async function showNewKey(visit: MemberVisit, error?: string) {
  const input = keyInput(visit);
  const view = await readPracticeView(visit);
  const isAllowed = mayCreate(visit, await getPractice(fresh(visit.scope), visit.member.practiceId));
  const scopes = apiScopes.map((name) => {
    const label = [`${SCOPES[name]} `, ui.mark('code', name)];
    return ui.check(`scope.${name}`, label, input.scopes.includes(name));
  });
  const expiry = { type: 'date', hint: `The key works until the end of this day. ${view.formats.caption}` };
  const words = { button: 'Create the key', hidden: { form: newFormId() } };
  return ui.page('Create an API key', { error }, [
    !isAllowed && error === undefined && ui.text(LIVE_KEY, { class: 'alert' }),
    isAllowed &&
      ui.form(visit.modePath('/developers/keys'), words, [
        nameField(input.name),
        ui.fieldset('Permissions', [
          ui.text(
            'Give a key only what its program needs. A live key that reads payment links reads the names and contact details of all patients.',
            { class: 'hint' },
          ),
          ...scopes,
        ]),
        ui.field('location', 'Location', input.location, locationField(view)),
        ui.field('expiry', 'Last day (optional)', input.expiry, expiry),
      ]),
  ]);
}

function nameField(name: string): ui.Block {
  return ui.field('name', 'Name of the key', name, {
    required: true,
    maxlength: service.MAX_KEY_NAME_LENGTH,
    hint: 'Its program, such as “Billing import”.',
    autocomplete: 'off',
  });
}

/** Creates a key, and shows it: no address has the key, and the page is not stored. */
export const createKey = catchRefusals(async (visit: MemberVisit) => {
  const key = parseKey(visit, await readPracticeView(visit));
  if ('kind' in key) return key;
  const newKey = await inTransaction(visit.scope, async (scope) => {
    // Locked, so that nobody makes such a key while an administrator forbids it.
    const practice = await getPractice(scope, key.practiceId, 'lock');
    if (!mayCreate(visit, practice)) return refuse(LIVE_KEY);
    if (!(await claimForm(scope, visit))) return null;
    const newKey = await service.issueKey(scope, { ...key, createdBy: visit.actor.id });
    audit(scope, visit.actor, service.keyAct('created', newKey.apiKey));
    return newKey;
  });
  if (newKey === null) return showNewKey({ ...visit, fields: new Map() }, SENT_BEFORE);
  return 'kind' in newKey ? newKey : keyShown(visit, newKey.key);
}, showNewKey);

/** Returns true if the person may make a key of the page's mode. Each live key gets details of patients, whatever its permissions are. */
function mayCreate(visit: MemberVisit, { readingKeysForAdministrators }: Practice): boolean {
  return ownerOf(visit).test || !readingKeysForAdministrators || mayDo(visit.member, 'settings.manage');
}

const withKey = withRecord((visit) => service.getKey(visit.scope, ownerOf(visit), visit.params.keyId ?? ''), keyPage);

export const showOneKey = withKey();

export const showKeyAgain = withKey(async (visit, apiKey) => {
  const refusal = refuse('This key cannot be shown again. Create a new one, and revoke this one.');
  try {
    const { key } = await inTransaction(visit.scope, async (scope) => {
      audit(scope, visit.actor, service.keyAct('viewed', apiKey));
      return service.showKey(scope, apiKey.id);
    });
    return keyShown(visit, key);
  } catch (error) {
    // It is a live key, or its SECRETS_KEY is not configured any more.
    if (error instanceof ApiError && error.code === 'validation_error') return refusal;
    throw error;
  }
});

export const rename = withKey(async (visit, apiKey) => {
  const name = parseName(visit.fields.get('name') ?? '', service.MAX_KEY_NAME_LENGTH);
  if (name === null) return refuse(NO_NAME);
  await inTransaction(visit.scope, async (scope) => {
    const before = { name: apiKey.name };
    const act = service.keyAct('renamed', await service.renameKey(scope, apiKey.id, name));
    if (before.name !== name) audit(scope, visit.actor, { ...act, before, after: { name } });
  });
  return { kind: 'redirect', to: visit.modePath(`/developers/keys/${apiKey.id}?done=saved`) };
});

export const revoke = withKey(async (visit, { id }) => {
  await inTransaction(visit.scope, async (scope) => {
    const key = await service.getKey(scope, ownerOf(visit), id);
    if (key.revokedAt !== null) return;
    audit(scope, visit.actor, service.keyAct('revoked', await service.revokeKey(scope, id)));
  });
  return { kind: 'redirect', to: visit.modePath('/developers?done=revoked') };
});

/** Returns a key as pages show it. The creators are those of `readLabels`. */
export function keyView(
  visit: MemberVisit,
  apiKey: ApiKey,
  { formats, locationName }: PracticeView,
  creators: ReadonlyMap<string, string>,
) {
  const { id, scopes, locationId, lastUsedAt, createdBy } = apiKey;
  return {
    href: visit.modePath(`/developers/keys/${id}`),
    name: keyName(apiKey),
    state: service.keyState(visit.scope, apiKey),
    scopes: scopes.map((name) => wordOf(SCOPES, name)).join(', '),
    location: locationName(locationId),
    creator: createdBy === null ? 'Operator of the service' : (creators.get(createdBy) ?? createdBy),
    lastUsed: lastUsedAt === null ? 'Never' : formats.moment(lastUsedAt),
  };
}

async function keyPage(visit: MemberVisit, apiKey: ApiKey, error?: string): Promise<Reply> {
  const view = await readPracticeView(visit);
  const { moment } = view.formats;
  const creators = await readLabels(visit.scope, visit.member.practiceId, [apiKey.createdBy]);
  const key = keyView(visit, apiKey, view, creators);
  return ui.page(key.name, { error, done: developerDoneText(visit) }, [
    ui.facts('card facts', [
      ['Status', KEY_STATES[key.state]],
      ['Permissions', key.scopes],
      ['Location', ui.own(key.location)],
      ['Limit', `${apiKey.requestsPerMinute} requests per minute`],
      ['Created', moment(apiKey.createdAt)],
      ['Created by', ui.own(key.creator)],
      ['Expires', apiKey.expiresAt === null ? 'Never' : moment(apiKey.expiresAt)],
      ['Last used', key.lastUsed],
    ]),
    ui.text(ui.link(visit.modePath(`/developers/requests?key=${apiKey.id}`), 'Requests of this key')),
    key.state !== 'revoked' &&
      ui.form(`${key.href}/rename`, { title: 'Name', button: 'Save' }, [
        nameField(visit.fields.get('name') ?? apiKey.name ?? ''),
      ]),
    service.canShowKey(apiKey) &&
      ui.form(`${key.href}/show`, {
        title: 'Show the key',
        text: 'Test keys can be shown again. The audit log records it.',
        button: 'Show',
        look: 'quiet',
      }),
    key.state !== 'revoked' && ui.form(`${key.href}/revoke`, REVOCATION),
  ]);
}

function keyShown(visit: MemberVisit, key: string): Reply {
  const once = visit.mode === 'live' ? 'Copy the key now. It is shown this one time only. ' : '';
  const text = `${once}Keep it where only your program reads it.`;
  return secretPage(visit, 'Your new API key', 'API key', key, text, '/developers');
}

function keyInput({ fields }: MemberVisit) {
  return {
    ...typedTexts(fields, ['name', 'location', 'expiry']),
    scopes: apiScopes.filter((name) => fields.get(`scope.${name}`) === 'on'),
  };
}

/** Parses the form. A key without scopes would have all, so none is refused. */
function parseKey(visit: MemberVisit, view: PracticeView): service.NewApiKey | Refusal {
  const { name: typed, scopes, location, expiry } = keyInput(visit);
  const name = parseName(typed, service.MAX_KEY_NAME_LENGTH);
  if (name === null) return refuse(NO_NAME);
  if (scopes.length === 0) return refuse('Choose at least one permission. A key without any could do nothing.');
  if (!isActiveLocation(location, view)) return refuse(NO_LOCATION);
  const day = parseDay(expiry);
  const expiresAt = day === null ? null : startOfDay(addDays(day, 1), view.formats.timeZone);
  const isFuture = expiresAt !== null && expiresAt > visit.scope.clock.now();
  if (expiry !== '' && !isFuture) return refuse('Enter a day in the future, or leave it empty.');
  return { ...ownerOf(visit), name, scopes, locationId: location || null, expiresAt };
}
