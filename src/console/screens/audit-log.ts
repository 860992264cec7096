import type { AuditEntry } from '../../audit/audit-entry.entity.ts';
import { type AuditFilter, exportAudit, listAudit } from '../../audit/list.ts';
import { normalizeEmail } from '../../base/email.ts';
import { isId } from '../../base/ids.ts';
import type { Scope } from '../../base/scope.ts';
import { addDays, parseDay, startOfDay } from '../../base/time/zoned-time.ts';
import { LINK_FIELDS, STAFF_FIELDS } from '../../payment-links/link/fields.ts';
import { Person } from '../model/person.entity.ts';
import { listUsers, readLabels } from '../people/users.ts';
import * as ui from '../render/blocks.ts';
import { csvDownload } from '../render/csv.ts';
import type { MemberVisit, Reply } from '../routing/visit.ts';
import { type Texts, wordOf } from '../texts/texts.ts';
import { readKeyNames } from './developers/visit.ts';
import { isFiltered, pathWith, typedTexts } from './filters.ts';
import { type Formats, formatsOf, languageName, readPracticeFormats } from './formats.ts';
import { readPlaces } from './places.ts';

/** Filter of the operator's acts. No mail address is a single word. */
const OPERATOR = 'operator';

/** Stands for a person whom nobody knows, so that the list is empty. */
const NOBODY = 'nobody';

export async function showAuditLog(visit: MemberVisit): Promise<Reply> {
  const { scope, member, query } = visit;
  const input = typedTexts(query, FILTER);
  const before = query.get('before') ?? null;
  const formats = await readPracticeFormats(visit);
  const filter = await filterOf(scope, input, formats);
  const { entries, older } = await listAudit(scope, member.practiceId, { ...filter, before });
  const names = await namesOf(visit, entries, formats);
  const keys = await readKeyNames(
    visit,
    entries.map(({ actorKind, actorId }) => (actorKind === 'api_key' ? actorId : null)),
  );
  const { auditLog: t, filter: words, labels } = visit.t;
  const path = visit.path('/audit-log');
  const option = (value: string, content: string) => ({ tag: 'option', attributes: { value }, content });
  const users = await listUsers(scope, member.practiceId);
  const actors = [option(OPERATOR, t.operator), ...users.map(({ email }) => option(email, ''))];
  const rows = entries.map((entry) => entryView(entry, names, keys));
  const list = [
    ui.table(
      t.title,
      rows,
      [
        [labels.time, ({ createdAt }) => formats.time(createdAt), 'moment'],
        [t.table.actor, ({ actor }) => ui.own(actor), 'named'],
        [t.table.action, ({ action }) => action],
        [t.table.target, ({ target }) => ui.own(target), 'named'],
        [t.table.address, ({ address }) => ui.own(address), 'named'],
        [t.table.change, ({ changes, isNew }) => changes.map((one) => changeText(one, isNew)), 'changes'],
      ],
      { caption: formats.caption },
    ),
    ui.paging(
      [before === null ? null : pathWith(path, input), labels.newest],
      [older === null ? null : pathWith(path, { ...input, before: older }), labels.older, 'next'],
    ),
  ];
  return ui.page(t.title, {}, [
    ui.lead(t.lead),
    ui.filterForm(words, path, isFiltered(input), [
      ui.field('actor', t.table.actor, input.actor, { ...ui.CODE, list: 'actors', maxlength: 254 }),
      { tag: 'datalist', attributes: { id: 'actors' }, content: actors },
      ui.field('action', t.table.action, input.action, { options: Object.entries(t.actions), all: words.all }),
      ui.field('day', labels.day, input.day, { type: 'date' }),
    ]),
    ui.download(`${path}/export`, { ...input }, t.exported),
    ...(entries.length === 0 ? [ui.text(visit.t.noMatch)] : list),
  ]);
}

/** Returns the words of a change. Nothing was there before a new object, so the log shows what is there now. */
function changeText({ name, before, after }: Record<'name' | 'before' | 'after', string>, isNew: boolean): ui.Block {
  return ui.mark('p', [`${name}: `, ...(isNew ? [] : [ui.own(before), ' → ']), ui.own(after)], 'change');
}

export async function exportAuditLog(visit: MemberVisit): Promise<Reply> {
  const { scope, member, fields } = visit;
  const { actor, action, target, address, change } = visit.t.auditLog.table;
  const days = await readPracticeFormats(visit);
  const filter = { ...(await filterOf(scope, typedTexts(fields, FILTER), days)), before: null };
  return csvDownload(
    `audit-log-${scope.clock.now().toISOString().slice(0, 10)}.csv`,
    [visit.t.auditLog.timeUtc, actor, action, target, address, change],
    exportRows(visit, member.practiceId, filter),
  );
}

async function* exportRows(visit: MemberVisit, practiceId: string, filter: AuditFilter): AsyncGenerator<string[]> {
  const formats = formatsOf('UTC');
  for await (const entries of exportAudit(visit.scope, practiceId, filter)) {
    const names = await namesOf(visit, entries, formats);
    for (const entry of entries) {
      const { createdAt, actor, action, target, address, changes } = entryView(entry, names);
      const change = changes.map(({ name, before, after }) => `${name}: ${before} → ${after}`).join('; ');
      yield [createdAt.toISOString(), actor, action, target, address, change];
    }
  }
}

const FILTER = ['actor', 'action', 'day'] as const;

async function filterOf(
  scope: Scope,
  { actor, action, day: text }: Record<(typeof FILTER)[number], string>,
  { timeZone }: Formats,
): Promise<Omit<AuditFilter, 'before'>> {
  const day = parseDay(text);
  return {
    actor: await findActorId(scope, actor),
    action: action === '' ? null : action,
    day: day === null ? null : [startOfDay(day, timeZone), startOfDay(addDays(day, 1), timeZone)],
  };
}

/** Returns the names to which entries refer by id, and the words for them. */
async function namesOf(visit: MemberVisit, entries: readonly AuditEntry[], formats: Formats) {
  const known = entries.flatMap(({ actorKind, actorId, targetKind, targetId, before, after }) => [
    actorKind === 'person' ? actorId : null,
    targetKind === 'person' ? targetId : (emailIn(after) ?? emailIn(before)),
  ]);
  const people = await readLabels(visit.scope, visit.member.practiceId, known);
  const { nameOf } = await readPlaces(visit);
  const fields: Readonly<Record<string, string>> = { ...fieldWords(visit.t), ...visit.t.auditLog.fields };
  return { people, nameOf, fields, words: valueWords(visit.t), t: visit.t, formats };
}

/** Returns the id of the actor for the filter: `operator`, a key's id, or a person by mail address, even if removed by now. */
async function findActorId({ em }: Scope, text: string): Promise<string | null> {
  if (text === '') return null;
  if (text.toLowerCase() === OPERATOR) return OPERATOR;
  if (isId('apiKey', text)) return text;
  const email = normalizeEmail(text);
  const person = email === null ? null : await em.findOne(Person, { email });
  return person?.id ?? NOBODY;
}

/** @param keys names of keys; the export has their ids */
function entryView(entry: AuditEntry, names: Names, keys: ReadonlyMap<string, string> = new Map()) {
  const { people } = names;
  const { auditLog: t } = names.t;
  const { actorKind, actorId, action, targetKind, targetId, address, before, after, createdAt } = entry;
  const actor = {
    operator: t.operator,
    api_key: `${t.targets.api_key} ${keys.get(actorId ?? '') ?? actorId}`,
    person: people.get(actorId ?? '') ?? actorId ?? '–',
  }[actorKind];
  const email = emailIn(after) ?? emailIn(before);
  return {
    createdAt,
    actor,
    action: wordOf(t.actions, action),
    target: people.get(email ?? targetId) ?? email ?? `${wordOf(t.targets, targetKind)} ${targetId}`,
    address: address ?? '–',
    isNew: before === null,
    changes: changesOf(before, after, names),
  };
}

function emailIn(state: object | null): string | null {
  return state !== null && 'email' in state && typeof state.email === 'string' ? state.email : null;
}

type Names = Awaited<ReturnType<typeof namesOf>>;

/** A time, as JSON has it. */
const MOMENT = /^\d{4}-\d\d-\d\dT[\d:.]+Z$/;

/** Stands for a value that there is not. */
const NONE = '–';

/** Lists the fields that differ. Without a state before or after, all fields of the other one. */
function changesOf(before: object | null, after: object | null, names: Names) {
  const [old, present] = [new Map(Object.entries(before ?? {})), new Map(Object.entries(after ?? {}))];
  return [...new Set([...old.keys(), ...present.keys()])]
    .map((field) => ({
      name: wordOf(names.fields, field),
      before: before === null ? NONE : inWords(field, old.get(field), names),
      after: after === null ? NONE : inWords(field, present.get(field), names),
    }))
    .filter((change) => change.before !== change.after);
}

/** Returns a value in words. A value without words, such as a name, stands as it is. */
function inWords(field: string, value: unknown, names: Names): string {
  const { people, auditLog, labels } = names.t;
  if (field === 'locationIds' && value === null) return people.allLocations;
  if (value === null || value === undefined || value === '') return NONE;
  if (Array.isArray(value)) {
    if (value.length > 0) return value.map((one) => inWords(field, one, names)).join(', ');
    return field === 'enabledEvents' ? auditLog.allEvents : NONE;
  }
  if (typeof value === 'boolean') return small(value ? labels.yes : labels.no);
  if (typeof value === 'number') return field === 'amountCents' ? names.formats.money(value) : `${value}`;
  if (typeof value !== 'string') return JSON.stringify(value);
  // A name may look like a time and be none.
  if (MOMENT.test(value) && !Number.isNaN(Date.parse(value))) return names.formats.moment(new Date(value));
  if (['location', 'locationId', 'locationIds'].includes(field)) return names.nameOf(value);
  if (field === 'language') return languageName(value);
  // A hash says only that the picture is another one.
  return field === 'logoHash' ? value.slice(0, 8) : wordOf(names.words.get(field) ?? {}, value);
}

/** Returns the words for the values of fields, by field and value. */
function valueWords(t: Texts): ReadonlyMap<string, Readonly<Record<string, string>>> {
  const { values, targets } = t.auditLog;
  const { enabled, disabled } = t.developers.endpoints;
  return new Map(
    Object.entries({
      ...values,
      role: Object.fromEntries(Object.entries(t.roles).map(([role, { name }]) => [role, name])),
      scopes: t.developers.keys.scopeTexts,
      enabledEvents: t.deliveries.types,
      reason: t.links.cancel.reasons,
      processor: t.settings.account.processors,
      state: { ...t.payments.states, ...t.payments.filter.figures },
      status: smallWords({ ...t.links.statuses, ...t.deliveries.statuses, ...t.people.states, enabled, disabled }),
      changedFields: { ...fieldWords(t), ...values.changedFields },
      filters: { ...fieldWords(t), ...values.filters },
      term: { ...fieldWords(t), ...values.term },
      object: smallWords(targets),
      method: { ...t.payments.methods, ...values.method },
    }),
  );
}

/** Returns the labels of fields of forms, by the names that the entries have. */
function fieldWords(t: Texts): Record<string, string> {
  const { practice, locations } = t.settings;
  const ofLinks = STAFF_FIELDS.map((name) => [LINK_FIELDS[name].property, t.links.fields[name]]);
  return smallWords({ ...practice, ...locations.fields, ...Object.fromEntries(ofLinks), ...t.labels });
}

/** Returns words that begin with a small letter, as they do within an entry. */
function smallWords(words: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(words).map(([name, word]) => [name, small(word)]));
}

function small(word: string): string {
  return `${word.charAt(0).toLowerCase()}${word.slice(1)}`;
}
