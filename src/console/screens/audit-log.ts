import { normalizeEmail } from '../../platform/base/email.ts';
import { isId } from '../../platform/base/ids.ts';
import type { Scope } from '../../platform/base/scope.ts';
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
import { isFiltered, listBlocks, pathWith, readDays, typedTexts } from './filters.ts';
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
const OPERATOR_NAME = 'Operator of the service';

/** Entries that are no acts. Alone they are hardly read, and among the acts they would hide these. */
const VIEWS: readonly ui.Option[] = [
  ['views', 'Views and searches'],
  ['all', 'Acts, views and searches'],
];

/** Stands for a person whom nobody knows, so that the list is empty. */
const NOBODY = 'nobody';

export async function showAuditLog(visit: MemberVisit): Promise<Reply> {
  const { scope, member } = visit;
  const formats = await readPracticeFormats(visit);
  const { input, filter } = await readFilter(visit, formats);
  const { entries, older } = await listAudit(scope, member.practiceId, filter);
  const keyIds = entries.map(({ actorKind, actorId }) => (actorKind === 'api_key' ? actorId : null));
  const rows = await describeEntries(visit, entries, await readKeyNames(visit, keyIds));
  const path = visit.path('/audit-log');
  const option = (value: string, content: string) => ({ tag: 'option', attributes: { value }, content });
  const members = await listMembers(scope, member.practiceId);
  const actors = [option(OPERATOR, OPERATOR_NAME), ...members.map(({ email }) => option(email, ''))];
  return ui.page('Audit log', {}, [
    ui.group(
      'listing',
      ui.download(pathWith(`${path}/export`, input), 'Download these entries (CSV)'),
      ui.filterForm(path, isFiltered(input), [
        ui.field('actor', 'Who', input.actor, { ...ui.CODE, list: 'actors', maxlength: 254 }),
        { tag: 'datalist', attributes: { id: 'actors' }, content: actors },
        ui.field('action', 'Act', input.action, { options: [...VIEWS, ...Object.entries(ACTS)], all: 'All acts' }),
        ui.field('day', 'Day', input.day, { type: 'date' }),
      ]),
    ),
    listBlocks(visit, formats, {
      ...{ title: 'Audit log', path, input, rows },
      columns: [
        ['Time', ({ createdAt }) => formats.time(createdAt), 'moment'],
        ['Who', ({ actor, address }) => [ui.own(actor), below(address)], 'named'],
        ['Act', ({ action, target }) => [action, below(target)], 'named'],
        ['Change', ({ changes, isNew }) => changes.map((one) => changeText(one, isNew)), 'changes'],
      ],
      empty: null,
      next: older,
    }),
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
  const { filter } = await readFilter(visit, await readPracticeFormats(visit));
  return csvDownload(
    `audit-log-${visit.scope.clock.now().toISOString().slice(0, 10)}.csv`,
    [
      ['Time (UTC)', ({ createdAt }) => createdAt.toISOString()],
      ['Who', ({ actor }) => actor],
      ['Act', ({ action }) => action],
      ['Object', ({ target }) => target],
      ['Address', ({ address }) => address],
      ['Change', ({ changes }) => changes.map((one) => `${one.field}: ${one.before} → ${one.after}`).join('; ')],
    ],
    exportRows(visit, filter),
  );
}

async function* exportRows(visit: MemberVisit, filter: AuditFilter) {
  for await (const entries of exportAudit(visit.scope, visit.member.practiceId, filter)) {
    yield* await describeEntries(visit, entries);
  }
}

async function readFilter({ scope, query }: MemberVisit, { timeZone }: Formats) {
  const input = typedTexts(query, ['actor', 'action', 'day']);
  const [start, end] = readDays(input.day, input.day, timeZone);
  const filter: AuditFilter = {
    actor: await findActorId(scope, input.actor),
    action: input.action || null,
    day: start && end && [start, end],
    before: query.get('start') ?? null,
  };
  return { input, filter };
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

/** Returns entries in words. @param keys names of keys; a file has their ids, because two keys may have one name */
async function describeEntries(
  visit: MemberVisit,
  entries: readonly AuditEntry[],
  keys: ReadonlyMap<string, string> = new Map(),
) {
  const ids = entries.flatMap((entry) => [
    entry.actorKind === 'person' ? entry.actorId : null,
    entry.targetKind === 'person' ? entry.targetId : findEmail(entry),
  ]);
  const people = await readLabels(visit.scope, visit.member.practiceId, ids);
  return entries.map((entry) => {
    const { actorId, action, targetKind, targetId, address, before, after, createdAt } = entry;
    const email = findEmail(entry);
    const actors = {
      operator: OPERATOR_NAME,
      api_key: `API key ${keys.get(actorId ?? '') ?? actorId}`,
      person: people.get(actorId ?? '') ?? actorId ?? NO_VALUE,
    };
    return {
      createdAt,
      actor: actors[entry.actorKind],
      action: wordOf(ACTS, action),
      target: people.get(email ?? targetId) ?? email ?? `${wordOf(TARGETS, targetKind)} ${targetId}`,
      address: address ?? NO_VALUE,
      isNew: before === null,
      changes: listChanges(before, after),
    };
  });
}

/** Returns the mail address of the person whom an entry is about; null for other entries. */
function findEmail({ before, after }: AuditEntry): string | null {
  const states = [after, before].flatMap((state) => (state !== null && 'email' in state ? [state.email] : []));
  return states.find((email) => typeof email === 'string') ?? null;
}
