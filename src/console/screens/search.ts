import { ALL_LINKS, groupByPatient, listStaffLinks, type StaffLinkRow } from '../../payment-links/office/list.ts';
import { classifySearch, findByText, namesOneRecord } from '../../payment-links/office/search.ts';
import { formatPhone } from '../../platform/base/phone.ts';
import * as ui from '../../web/blocks.ts';
import { mayDo } from '../model/roles.ts';
import { LINK_FIELD_LABELS, LINK_STATUSES, SEARCH_IS_CUT } from '../render/labels.ts';
import { auditListView } from '../routing/patient-views.ts';
import { type MemberVisit, type Reply, viewerOf } from '../routing/visit.ts';
import { pathWith, typedTexts } from './filters.ts';
import type { Formats } from './formats.ts';
import { readPracticeView } from './formats.ts';
import { renderState } from './links/list.ts';

const MAX_SUGGESTIONS = 6;

const HELP =
  'Type the beginning of a last name, or first and last name. Or type a whole phone number, email address, chart number, reference or receipt number, or the last four digits of a card or account. Write an amount as $125 or 125.00.';

/**
 * Shows the patients whose links the text finds, the newest link first. The id of a link, and the number of a receipt, lead straight to
 * the only record. Other texts do not: another patient may have the same name or amount, and each opened record is logged. A search for a
 * new link leads to its form if it finds one patient.
 */
export async function showSearch(visit: MemberVisit): Promise<Reply> {
  const { scope, member, query, mode } = visit;
  const { q, to } = typedTexts(query, ['q', 'to']);
  const found = await findByText(scope, viewerOf(visit), q);
  if (found === null) return ui.page('Search', {}, ui.text(HELP));
  const { rows: links, next } = await listStaffLinks(scope, viewerOf(visit), { ...ALL_LINKS, ids: found.ids });
  const patients = groupByPatient(links);
  const [link, another] = links;
  const isForNew = to === 'new' && mayDo(member, 'links.create');
  const newPath = ({ id: patient }: StaffLinkRow) => pathWith(visit.modePath('/links/new'), { patient });
  const isSuggestion = query.has('suggest');
  if (!isSuggestion && link !== undefined) {
    if (isForNew && patients.length === 1 && next === null) return { kind: 'redirect', to: newPath(link) };
    const kind = classifySearch(q) === 'payment_number' && mayDo(member, 'payments.view') ? 'payments' : 'links';
    if (namesOneRecord(q) && another === undefined)
      return { kind: 'redirect', to: visit.modePath(`/${kind}/${link.id}`) };
  }
  const view = await readPracticeView(visit);
  const shown = isSuggestion ? patients.slice(0, MAX_SUGGESTIONS) : patients;
  const rows = shown.flat().length;
  await auditListView(visit, 'search', { input: { q }, term: classifySearch(q), locationId: null, rows });
  if (isSuggestion) return { kind: 'json', body: { patients: shown.map((links) => suggest(links, isForNew)) } };
  const where = member.locationIds === null ? '' : `, at ${view.locations.map(({ name }) => name).join(' and ')} only`;
  const all = (kind: string, words: string) => ui.link(pathWith(visit.modePath(`/${kind}`), { q }), words);
  return ui.page('Search', {}, [
    ui.lead(ui.own(`Matches for “${q}” in ${mode} data${where}.`)),
    found.isCut && ui.text(SEARCH_IS_CUT, { class: 'alert', role: 'status' }),
    rows === 0
      ? ui.card('Nothing matches', [ui.text(HELP)])
      : patients.map((links) => patientCard(visit, links, newPath, view.formats)),
    rows > 0 &&
      ui.text([
        all('links', 'Show all these links'),
        mayDo(member, 'payments.view') && [' · ', all('payments', 'Show their payments')],
      ]),
  ]);
}

function patientCard(
  visit: MemberVisit,
  links: readonly StaffLinkRow[],
  newPath: (link: StaffLinkRow) => string,
  formats: Formats,
): ui.Content {
  const [first] = links;
  if (first === undefined) return null;
  const patient = formatName(first);
  const lines = links.map((one) => [
    ui.link(
      visit.modePath(`/links/${one.id}`),
      ui.own([ui.mark('strong', formats.money(one.amountCents)), ` ${one.description}`]),
    ),
    // Locations may give two patients the same chart number.
    formatName(one) !== patient && [' ', ui.own(formatName(one))],
    ` ${formats.day(one.createdAt)} `,
    renderState(one, formats),
  ]);
  const create = mayDo(visit.member, 'links.create') && ui.link(newPath(first), 'New link', { class: 'button quiet' });
  return ui.card(ui.own(patient), [
    ui.text([ui.own(formatContact(first)), ' ', create]),
    ui.list('ul', lines, 'plain'),
  ]);
}

function formatName({ patientFirstName, patientLastName }: StaffLinkRow): string {
  return `${patientFirstName} ${patientLastName}`;
}

/** Returns what distinguishes two patients of the same name. */
function formatContact({ patientPhone: phone, patientExternalId: externalId }: StaffLinkRow): string {
  const chart = externalId === null ? [] : [`${LINK_FIELD_LABELS.externalId} ${externalId}`];
  return [...(phone === null ? [] : [formatPhone(phone)]), ...chart].join(' · ');
}

function suggest(links: StaffLinkRow[], isForNew: boolean) {
  const [first] = links;
  if (first === undefined) throw new Error('a patient of a search has a link');
  const name = formatName(first);
  const isAlone = isForNew || links.length === 1;
  const detail = [formatContact(first), isAlone ? LINK_STATUSES[first.status] : `${links.length} links`];
  return {
    name,
    detail: detail.filter(Boolean).join(' · '),
    q: isAlone ? first.id : (first.patientExternalId ?? first.patientPhone ?? name),
  };
}
