import { normalizeEmail } from '../../platform/base/email.ts';
import { isId } from '../../platform/base/ids.ts';
import type { Scope } from '../../platform/base/scope.ts';
import { addDays, parseDay, startOfDay } from '../../platform/base/time/zoned-time.ts';
import type { AuditEntry } from '../../practices/audit/audit-entry.entity.ts';
import {
  type AuditFilter,
  exportAudit,
  type FieldChange,
  listAudit,
  listChanges,
  NO_VALUE,
} from '../../practices/audit/list.ts';
import * as ui from '../../web/blocks.ts';
import { csvDownload } from '../../web/csv.ts';
import { listMembers, readLabels } from '../identity/people/members.ts';
import { Person } from '../model/person.entity.ts';
import { ACTS, wordOf } from '../render/labels.ts';
import type { MemberVisit, Reply } from '../routing/visit.ts';
import { readKeyNames } from './developers/visit.ts';
import { isFiltered, pagesOf, pathWith, typedTexts } from './filters.ts';
import { type Formats, readPracticeFormats } from './formats.ts';

const TARGETS = {
  api_key: 'API key',
  delivery: 'Delivery',
  endpoint: 'Webhook endpoint',
  webhook_endpoint: 'Webhook endpoint',
  location: 'Location',
  membership: 'Person',
  payment_link: 'Payment link',
  person: 'Person',
  practice: 'Practice',
};

/** Filter of the operator's acts. No mail address is a single word. */
const OPERATOR = 'operator';

/** Entries that are no acts. Alone they are hardly read, and among the acts they would hide these. */
const VIEWS: readonly ui.Option[] = [
  ['views', 'Views and searches'],
  ['all', 'Acts, views and searches'],
];

/** Stands for a person whom nobody knows, so that the list is empty. */
const NOBODY = 'nobody';

export async function showAuditLog(visit: MemberVisit): Promise<Reply> {
  const { scope, member, query } = visit;
  const input = typedTexts(query, FILTER);
  const before = query.get('before') ?? null;
  const formats = await readPracticeFormats(visit);
  const filter = await parseFilter(scope, input, formats);
  const { entries, older } = await listAudit(scope, member.practiceId, { ...filter, before });
  const people = await readPeople(visit, entries);
  const keyIds = entries.map(({ actorKind, actorId }) => (actorKind === 'api_key' ? actorId : null));
  const keys = await readKeyNames(visit, keyIds);
  const path = visit.path('/audit-log');
  const option = (value: string, content: string) => ({ tag: 'option', attributes: { value }, content });
  const members = await listMembers(scope, member.practiceId);
  const actors = [option(OPERATOR, 'Operator of the service'), ...members.map(({ email }) => option(email, ''))];
  const rows = entries.map((entry) => entryView(entry, people, keys));
  const list = [
    ui.table(
      'Audit log',
      rows,
      [
        ['Time', ({ createdAt }) => formats.time(createdAt), 'moment'],
        ['Who', ({ actor, address }) => [ui.own(actor), below(address)], 'named'],
        ['Act', ({ action, target }) => [action, below(target)], 'named'],
        ['Change', ({ changes, isNew }) => changes.map((one) => changeText(one, isNew)), 'changes'],
      ],
      { caption: formats.caption },
    ),
    pagesOf(path, input, before === null, older),
  ];
  return ui.page('Audit log', {}, [
    ui.mark(
      'div',
      [
        ui.download(pathWith(`${path}/export`, { ...input }), 'Download these entries (CSV)'),
        ui.filterForm(path, isFiltered(input), [
          ui.field('actor', 'Who', input.actor, { ...ui.CODE, list: 'actors', maxlength: 254 }),
          { tag: 'datalist', attributes: { id: 'actors' }, content: actors },
          ui.field('action', 'Act', input.action, { options: [...VIEWS, ...Object.entries(ACTS)], all: 'All acts' }),
          ui.field('day', 'Day', input.day, { type: 'date' }),
        ]),
      ],
      'listing',
    ),
    ...(entries.length === 0 ? [ui.text('Nothing matches the filter.')] : list),
    ui.text('Views and searches are found by the filter. Entries are never changed or deleted.', { class: 'hint' }),
  ]);
}

function below(text: string): ui.Content {
  return text !== NO_VALUE && [ui.BREAK, ui.mark('span', ui.own(text), 'quiet')];
}

/** Returns a change. Nothing was there before a new object, so the log shows what is there now. */
function changeText({ field, before, after }: FieldChange, isNew: boolean): ui.Block {
  return ui.mark('p', [`${field}: `, ...(isNew ? [] : [ui.own(before), ' → ']), ui.own(after)], 'change');
}

export async function exportAuditLog(visit: MemberVisit): Promise<Reply> {
  const { scope, member, query } = visit;
  const days = await readPracticeFormats(visit);
  const filter = { ...(await parseFilter(scope, typedTexts(query, FILTER), days)), before: null };
  return csvDownload(
    `audit-log-${scope.clock.now().toISOString().slice(0, 10)}.csv`,
    [
      ['Time (UTC)', ({ createdAt }) => createdAt.toISOString()],
      ['Who', ({ actor }) => actor],
      ['Act', ({ action }) => action],
      ['Object', ({ target }) => target],
      ['Address', ({ address }) => address],
      ['Change', ({ changes }) => changes.map(exportedChange).join('; ')],
    ],
    exportRows(visit, member.practiceId, filter),
  );
}

async function* exportRows(visit: MemberVisit, practiceId: string, filter: AuditFilter) {
  for await (const entries of exportAudit(visit.scope, practiceId, filter)) {
    const people = await readPeople(visit, entries);
    yield* entries.map((entry) => entryView(entry, people));
  }
}

function exportedChange({ field, before, after }: FieldChange): string {
  return `${field}: ${before} → ${after}`;
}

const FILTER = ['actor', 'action', 'day'] as const;

async function parseFilter(
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

function readPeople(visit: MemberVisit, entries: readonly AuditEntry[]): Promise<ReadonlyMap<string, string>> {
  const ids = entries.flatMap(({ actorKind, actorId, targetKind, targetId, before, after }) => [
    actorKind === 'person' ? actorId : null,
    targetKind === 'person' ? targetId : (emailIn(after) ?? emailIn(before)),
  ]);
  return readLabels(visit.scope, visit.member.practiceId, ids);
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
function entryView(
  entry: AuditEntry,
  people: ReadonlyMap<string, string>,
  keys: ReadonlyMap<string, string> = new Map(),
) {
  const { actorKind, actorId, action, targetKind, targetId, address, before, after, createdAt } = entry;
  const actor = {
    operator: 'Operator of the service',
    api_key: `API key ${keys.get(actorId ?? '') ?? actorId}`,
    person: people.get(actorId ?? '') ?? actorId ?? NO_VALUE,
  }[actorKind];
  const email = emailIn(after) ?? emailIn(before);
  return {
    createdAt,
    actor,
    action: wordOf(ACTS, action),
    target: people.get(email ?? targetId) ?? email ?? `${wordOf(TARGETS, targetKind)} ${targetId}`,
    address: address ?? NO_VALUE,
    isNew: before === null,
    changes: listChanges(before, after),
  };
}

function emailIn(state: object | null): string | null {
  return state !== null && 'email' in state && typeof state.email === 'string' ? state.email : null;
}
