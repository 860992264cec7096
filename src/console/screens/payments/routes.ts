import type { Route } from '../../routing/route.ts';
import { exportPayments } from './export.ts';
import { showPayments } from './list.ts';
import { showEvidence, showPayment } from './payment.ts';
import { showReconciliation } from './reconciliation.ts';
import { confirmRefund, reviewRefund, showRefund } from './refund.ts';

const MODE = '/console/:practiceId/:mode';
const LIST = `${MODE}/payments`;
const ONE = `${LIST}/:paidLinkId`;
const REFUND = `${ONE}/refund`;

const VIEW = 'payments.view';

/** Pages on payments. */
export const PAYMENT_ROUTES: readonly Route[] = [
  { name: 'payments.list', method: 'GET', path: LIST, access: VIEW, handle: showPayments },
  {
    name: 'payments.export',
    method: 'POST',
    path: `${LIST}/export`,
    access: 'payments.export',
    handle: exportPayments,
  },
  { name: 'payments.one', method: 'GET', path: ONE, access: VIEW, views: 'paidLinkId', handle: showPayment },
  {
    name: 'payments.evidence',
    method: 'GET',
    path: `${ONE}/disputes/:disputeId`,
    access: VIEW,
    views: 'paidLinkId',
    handle: showEvidence,
  },
  {
    name: 'payments.refund_form',
    method: 'GET',
    path: REFUND,
    access: 'payments.refund',
    views: 'paidLinkId',
    handle: showRefund,
  },
  {
    name: 'payments.refund_review',
    method: 'POST',
    path: REFUND,
    access: 'payments.refund',
    views: 'paidLinkId',
    handle: reviewRefund,
  },
  {
    name: 'payments.refund',
    method: 'POST',
    path: `${REFUND}/confirm`,
    access: 'payments.refund',
    views: 'paidLinkId',
    handle: confirmRefund,
  },
  {
    name: 'payments.reconciliation',
    method: 'GET',
    path: `${MODE}/reconciliation`,
    access: VIEW,
    handle: showReconciliation,
  },
];
