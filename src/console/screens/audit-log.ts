import type { AuditEntry } from '../../audit/audit-entry.entity.ts';
import { type AuditFilter, exportAudit, listAudit } from '../../audit/list.ts';
import { normalEmail } from '../../base/email.ts';
import { isId } from '../../base/ids.ts';
import type { Scope } from '../../base/scope.ts';
import { Person } from '../model/person.entity.ts';
import { listUsers } from '../people/users.ts';
import { csvOf } from '../render/csv.ts';
import { type MemberVisit, practicePath, type Reply, type Route } from '../routing/route.ts';
import { visibleLocations } from '../routing/visit.ts';
import { TEXTS, wordOf } from '../texts/texts.ts';
import { changesOf, type Names } from './audit-values.ts';
import { momentText } from './formats.ts';

/** The audit log of a practice. */
export const AUDIT_ROUTES: readonly Route[] = [
  {
    name: 'audit_log',
    method: 'GET',
    path: '/console/:practiceId/audit-log',
    access: 'audit_log.view',
    handle: showAuditLog,
  },
  {
    name: 'audit_log.export',
    method: 'POST',
    path: '/console/:practiceId/audit-log/export',
    access: 'audit_log.view',
    handle: exportAuditLog,
  },
];

/** Filter of the operator's acts. No mail address is a single word. */
const OPERATOR = 'operator';

/** Stands for a person whom nobody knows, so that the list is empty. */
const NOBODY = 'nobody';

async function showAuditLog(visit: MemberVisit): Promise<Reply> {
  const { scope, member, language, query } = visit;
  const input = inputOf(query);
  const before = query.get('before') ?? null;
  const { entries, older } = await listAudit(scope, member.practiceId, { ...(await filterOf(scope, input)), before });
  const names = await namesOf(visit, entries);
  const path = practicePath(member, '/audit-log');
  const view = {
    entries: entries.map((entry) => entryView(entry, names)),
    input,
    emails: (await listUsers(scope, member.practiceId)).map(({ email }) => email),
    path,
    older: older === null ? null : `${path}?${new URLSearchParams({ ...input, before: older })}`,
    exported: { path: `${path}/export`, input, text: TEXTS[language].auditLog.exported },
    isFiltered: Object.values(input).some((text) => text !== ''),
    isFirst: before === null,
  };
  return { kind: 'page', template: 'audit-log', title: TEXTS[language].auditLog.title, view };
}

/** Sends all entries of the filter as CSV. */
async function exportAuditLog(visit: MemberVisit): Promise<Reply> {
  const { scope, member, language, fields } = visit;
  const { time, actor, action, target, address, change } = TEXTS[language].auditLog.table;
  const filter = { ...(await filterOf(scope, inputOf(fields))), before: null };
  return {
    kind: 'download',
    filename: `audit-log-${scope.clock.now().toISOString().slice(0, 10)}.csv`,
    type: 'text/csv; charset=utf-8',
    content: csvOf([time, actor, action, target, address, change], exportRows(visit, member.practiceId, filter)),
  };
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

/** The filter, as the person typed it. */
interface FilterInput {
  actor: string;
  action: string;
  day: string;
}

function inputOf(values: ReadonlyMap<string, string>): FilterInput {
  return { actor: values.get('actor') ?? '', action: values.get('action') ?? '', day: values.get('day') ?? '' };
}

async function filterOf(scope: Scope, { actor, action, day }: FilterInput): Promise<Omit<AuditFilter, 'before'>> {
  return { actor: await actorId(scope, actor), action: action === '' ? null : action, day: dayOf(day) };
}

async function namesOf(visit: MemberVisit, entries: readonly AuditEntry[]): Promise<Names> {
  const emails = await emailsOf(visit.scope, entries);
  return { emails, locations: await visibleLocations(visit), language: visit.language };
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

async function emailsOf({ em }: Scope, entries: readonly AuditEntry[]): Promise<ReadonlyMap<string, string>> {
  const ids = entries.flatMap(({ actorKind, actorId, targetKind, targetId }) => [
    ...(actorKind === 'person' && actorId !== null ? [actorId] : []),
    ...(targetKind === 'person' ? [targetId] : []),
  ]);
  const people = await em.find(Person, { id: { $in: [...new Set(ids)] } });
  return new Map(people.map(({ id, email }) => [id, email]));
}

function entryView(entry: AuditEntry, names: Names) {
  const { emails, language } = names;
  const t = TEXTS[language].auditLog;
  const { id, actorKind, actorId, action, targetKind, targetId, address, before, after, createdAt } = entry;
  const actor = {
    operator: t.operator,
    api_key: `${t.apiKey} ${actorId}`,
    person: emails.get(actorId ?? '') ?? actorId ?? '–',
  }[actorKind];
  return {
    id,
    time: momentText(createdAt, language),
    isoTime: createdAt.toISOString(),
    actor,
    action: wordOf(t.actions, action),
    target: emails.get(targetId) ?? emailIn(after) ?? emailIn(before) ?? `${wordOf(t.targets, targetKind)} ${targetId}`,
    address: address ?? '–',
    // Nothing was there before, so the log shows what is there now.
    isNew: before === null,
    changes: changesOf(before, after, names),
  };
}

function emailIn(state: object | null): string | null {
  return state !== null && 'email' in state && typeof state.email === 'string' ? state.email : null;
}
