import { listShortHistory } from '../../../payment-links/billing/timeline.ts';
import { findStaffLink, isPayable, readRecords, type StaffLink } from '../../../payment-links/office/link.ts';
import * as ui from '../../../web/blocks.ts';
import { qrPicture } from '../../../web/qr-code.ts';
import { mayDo } from '../../model/roles.ts';
import { withRecord } from '../../routing/handlers.ts';
import { doneText, type MemberVisit, type Reply, viewerOf } from '../../routing/visit.ts';
import { formatsOf } from '../formats.ts';
import { timelineBlock } from '../timeline.ts';
import { factsOfLink } from './fields.ts';
import { statusMark } from './list.ts';
import { situationBlocks } from './situation.ts';
import { slipPage } from './slip.ts';

const DONE = {
  created: 'The link is ready for the patient.',
  created_sent: 'The link is ready, and the email is on its way.',
  created_unsent:
    'The link is ready. It was not emailed: your practice has sent all emails that it may send in 24 hours.',
  created_unaddressed:
    'The link is ready. It was not emailed: it has no email address. Add one with “Change”, or give the patient the address below.',
  cancelled: 'The link is canceled.',
  sent: 'The email is on its way.',
};

const SOURCES = { api: 'Software of the practice', staff: 'Staff', website: 'Website' };

const withLink = withRecord(findLinkOfPath, linkPage);

export const showLink = withLink();

export const showSlip = withLink(slipPage);

/** Returns the link of the path. A link that the person does not see is unknown. */
export function findLinkOfPath(visit: MemberVisit): Promise<StaffLink | null> {
  return findStaffLink(visit.scope, viewerOf(visit), visit.params.linkId ?? '');
}

async function linkPage(visit: MemberVisit, found: StaffLink): Promise<Reply> {
  const { link, location, transaction, url } = found;
  const formats = formatsOf(location.timeZone);
  const { moment, money } = formats;
  const isActive = isPayable(found);
  const amount = ui.mark('strong', money(link.amountCents), 'sum');
  const history = { link, transaction, ...(await readRecords(visit.scope, link)) };
  const title = `Link for ${link.patientFirstName} ${link.patientLastName}`;
  // A reload after the payment must not say again that the link is ready.
  return ui.page(title, { done: link.status === 'paid' ? undefined : doneText(visit, DONE) }, [
    ui.text([statusMark(found), ' ', amount], { class: 'summary' }),
    await situationBlocks(visit, found, history),
    (isActive || link.status === 'paid') && addressCard(url, isActive),
    ui.card(null, [
      ui.facts('facts', [
        ...factsOfLink(found),
        ['Location', ui.own(location.name)],
        ['Created', moment(link.createdAt)],
        ['Created by', SOURCES[link.source]],
        ['Paid', link.paidAt && moment(link.paidAt)],
        ['Works until', isActive && moment(link.expiresAt)],
      ]),
    ]),
    await timelineBlock(visit, listShortHistory(history, mayDo(visit.member, 'payments.view')), formats, false),
    ui.text(ui.link(visit.modePath('/links'), 'Back')),
  ]);
}

function addressCard(url: string, hasCode: boolean): ui.Block {
  return ui.card(null, [
    ui.field('address', 'Address for the patient', url, { class: 'address', readonly: true }),
    ui.copyButton('address', 'Copy the address'),
    hasCode && [
      qrPicture(url, 'QR code with the address of the payment page'),
      ui.text('The patient can scan it with a phone.', { class: 'hint' }),
    ],
  ]);
}
