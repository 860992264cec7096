import { get, post, type Route } from '../../routing/route.ts';
import { showDailyTotals } from './daily-totals.ts';
import { exportPayments } from './export.ts';
import { showPayments } from './list.ts';
import { showEvidence, showPayment } from './payment.ts';
import { confirmRefund, reviewRefund, showRefund } from './refund.ts';

const MODE = '/console/:practiceId/:mode';
const LIST = `${MODE}/payments`;
const ONE = `${LIST}/:paidLinkId`;
const REFUND = `${ONE}/refund`;

const VIEW = 'payments.view';

export const PAYMENT_ROUTES: readonly Route[] = [
  get('payments.list', LIST, VIEW, showPayments),
  post('payments.export', `${LIST}/export`, 'payments.export', exportPayments),
  get('payments.one', ONE, VIEW, showPayment, { views: 'paidLinkId' }),
  get('payments.evidence', `${ONE}/disputes/:disputeId`, VIEW, showEvidence, { views: 'paidLinkId' }),
  get('payments.refund_form', REFUND, 'payments.refund', showRefund, { views: 'paidLinkId' }),
  post('payments.refund_review', REFUND, 'payments.refund', reviewRefund, { views: 'paidLinkId' }),
  post('payments.refund', `${REFUND}/confirm`, 'payments.refund', confirmRefund, { views: 'paidLinkId' }),
  get('payments.reconciliation', `${MODE}/reconciliation`, VIEW, showDailyTotals),
];
