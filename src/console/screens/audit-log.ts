import type { AuditEntry } from '../../audit/audit-entry.entity.ts';
import { type AuditFilter, exportAudit, listAudit } from '../../audit/list.ts';
import { normalEmail } from '../../base/email.ts';
import { isId } from '../../base/ids.ts';
import type { Scope } from '../../base/scope.ts';
import { Person } from '../model/person.entity.ts';
import { labelsOf, listUsers } from '../people/users.ts';
import * as ui from '../render/blocks.ts';
import { csvDownload } from '../render/csv.ts';
import { get, type MemberVisit, post, type Reply, type Route } from '../routing/route.ts';
import { visibleLocations } from '../routing/visit.ts';
import { wordOf } from '../texts/texts.ts';
import { type ChangeInWords, changesOf, type Names } from './audit-values.ts';
import { isFiltered, pathWith, textsNamed } from './filters.ts';
import { momentText } from './formats.ts';

export const AUDIT_ROUTES: readonly Route[] = [
  get('audit_log', '/console/:practiceId/audit-log', 'audit_log.view', showAuditLog),
  post('audit_log.export', '/console/:practiceId/audit-log/export', 'audit_log.view', exportAuditLog),
];

/** Filter of the operator's acts. No mail address is a single word. */
const OPERATOR = 'operator';

/** Stands for a person whom nobody knows, so that the list is empty. */
const NOBODY = 'nobody';

async function showAuditLog(visit: MemberVisit): Promise<Reply> {
  const { scope, member, query } = visit;
  const input = textsNamed(query, FILTER);
  const before = query.get('before') ?? null;
  const { entries, older } = await listAudit(scope, member.practiceId, { ...(await filterOf(scope, input)), before });
  const names = await namesOf(visit, entries);
  const { auditLog: t, filter } = visit.t;
  const path = visit.path('/audit-log');
  const option = (value: string, content: string) => ({ tag: 'option', attributes: { value }, content });
  const users = await listUsers(scope, member.practiceId);
  const actors = [option(OPERATOR, t.operator), ...users.map(({ email }) => option(email, ''))];
  const rows = entries.map((entry) => entryView(entry, names));
  const list = [
    ui.table(t.title, rows, [
      [t.table.time, ({ time, isoTime }) => ui.moment(isoTime, time), 'moment'],
      [t.table.actor, ({ actor }) => ui.own(actor), 'named'],
      [t.table.action, ({ action }) => action],
      [t.table.target, ({ target }) => ui.own(target), 'named'],
      [t.table.address, ({ address }) => address],
      [t.table.change, ({ changes, isNew }) => changes.map((one) => changeText(one, isNew)), 'changes'],
    ]),
    ui.paging(
      [before === null ? null : path, t.newest],
      [older === null ? null : pathWith(path, { ...input, before: older }), t.older, 'next'],
    ),
  ];
  return ui.page(t.title, {}, [
    ui.lead(t.lead),
    ui.filterForm(filter, path, isFiltered(input), [
      ui.field('actor', t.table.actor, input.actor, { ...ui.CODE, list: 'actors', maxlength: 254 }),
      { tag: 'datalist', attributes: { id: 'actors' }, content: actors },
      ui.select('action', t.table.action, input.action, Object.entries(t.actions), { all: filter.all }),
      ui.field('day', t.day, input.day, { type: 'date' }),
    ]),
    ui.download(`${path}/export`, { ...input }, t.exported),
    ...(entries.length === 0 ? [ui.text(t.empty)] : list),
  ]);
}

/** Returns the words of a change. Nothing was there before a new object, so the log shows what is there now. */
function changeText({ name, before, after }: ChangeInWords, isNew: boolean): ui.Mark {
  return ui.mark('p', [`${name}: `, ...(isNew ? [] : [ui.own(before), ' → ']), ui.own(after)], 'change');
}

async function exportAuditLog(visit: MemberVisit): Promise<Reply> {
  const { scope, member, fields } = visit;
  const { time, actor, action, target, address, change } = visit.t.auditLog.table;
  const filter = { ...(await filterOf(scope, textsNamed(fields, FILTER))), before: null };
  return csvDownload(
    `audit-log-${scope.clock.now().toISOString().slice(0, 10)}.csv`,
    [time, actor, action, target, address, change],
    exportRows(visit, member.practiceId, filter),
  );
}

async function* exportRows(visit: MemberVisit, practiceId: string, filter: AuditFilter): AsyncGenerator<string[]> {
  for await (const entries of exportAudit(visit.scope, practiceId, filter)) {
    const names = await namesOf(visit, entries);
    for (const entry of entries) {
      const { isoTime, actor, action, target, address, changes } = entryView(entry, names);
      const change = changes.map(({ name, before, after }) => `${name}: ${before} → ${after}`).join('; ');
      yield [isoTime, actor, action, target, address, change];
    }
  }
}

const FILTER = ['actor', 'action', 'day'] as const;

async function filterOf(
  scope: Scope,
  { actor, action, day }: Record<(typeof FILTER)[number], string>,
): Promise<Omit<AuditFilter, 'before'>> {
  return { actor: await actorId(scope, actor), action: action === '' ? null : action, day: dayOf(day) };
}

async function namesOf(visit: MemberVisit, entries: readonly AuditEntry[]): Promise<Names> {
  const known = entries.flatMap(({ actorKind, actorId, targetKind, targetId, before, after }) => [
    actorKind === 'person' ? actorId : null,
    targetKind === 'person' ? targetId : (emailIn(after) ?? emailIn(before)),
  ]);
  const people = await labelsOf(visit.scope, known);
  return { people, locations: await visibleLocations(visit), language: visit.language, t: visit.t };
}

/** Returns the id of the actor for the filter: `operator`, a key's id, or a person by mail address, even if removed by now. */
async function actorId({ em }: Scope, text: string): Promise<string | null> {
  if (text.trim() === '') return null;
  if (text.trim().toLowerCase() === OPERATOR) return OPERATOR;
  if (isId('apiKey', text.trim())) return text.trim();
  const email = normalEmail(text);
  const person = email === null ? null : await em.findOne(Person, { email });
  return person?.id ?? NOBODY;
}

/** Reads `2030-06-15` as the start of that day in UTC. Ignores any other text. */
function dayOf(text: string): Date | null {
  if (!/^\d{4}-\d\d-\d\d$/.test(text)) return null;
  const day = new Date(`${text}T00:00:00.000Z`);
  return Number.isNaN(day.getTime()) || day.getTime() < 0 ? null : day;
}

function entryView(entry: AuditEntry, names: Names) {
  const { people, language } = names;
  const { auditLog: t } = names.t;
  const { actorKind, actorId, action, targetKind, targetId, address, before, after, createdAt } = entry;
  const actor = {
    operator: t.operator,
    api_key: `${t.apiKey} ${actorId}`,
    person: people.get(actorId ?? '') ?? actorId ?? '–',
  }[actorKind];
  const email = emailIn(after) ?? emailIn(before);
  return {
    time: momentText(createdAt, language),
    isoTime: createdAt.toISOString(),
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
