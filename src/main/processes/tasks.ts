import type { Task, TaskList } from 'graphile-worker';
import { purgeIdleWindows } from '../../access/rate-windows.ts';
import { purgeApiRequests } from '../../access/request-log.ts';
import { purgeSealedReplies } from '../../access/sealed-replies.ts';
import * as peopleMails from '../../console/identity/people/mails.ts';
import { PASSKEY_MAIL_TASK, sendPasskeyMail } from '../../console/identity/sign-in/passkeys.ts';
import { SIGN_IN_MAIL_TASK, sendSignInMail } from '../../console/identity/sign-in/requests.ts';
import { purgeSignIns } from '../../console/identity/sign-in/retention.ts';
import { sendPatientMail, sendReceipt } from '../../patient-pages/patient-mails.ts';
import { purgeReceiptRequests, RECEIPT_MAIL_TASK, type ReceiptMail } from '../../payment-links/checkout/receipt.ts';
import { createPageService } from '../../payment-links/checkout/service.ts';
import * as adminMails from '../../payment-links/office/admin-mail.ts';
import { PATIENT_MAIL_TASK } from '../../payment-links/office/mail-queue.ts';
import * as notifications from '../../payment-links/payments/notifications.ts';
import { reconcileAttempts, reconcileTransactions } from '../../payment-links/payments/reconcile.ts';
import { PAYMENT_MAIL_TASK } from '../../payment-links/state/state.ts';
import { separately } from '../../payment-links/store/change.ts';
import { expireDueLinks } from '../../payment-links/upkeep/expire-links.ts';
import * as linkRetention from '../../payment-links/upkeep/retention.ts';
import { logRepeated } from '../../platform/base/log/log-repeated.ts';
import { fresh, type Scope } from '../../platform/base/scope.ts';
import { isLockTimeout } from '../../platform/database/query/errors.ts';
import { purgeEndedJobs, type RecurringJob } from '../../platform/jobs/recurring-jobs.ts';
import type { Jobs } from '../../platform/jobs/runner.ts';
import { DUE_CHANNEL } from '../../platform/jobs/wake-up.ts';
import { MAIL_QUEUES } from '../../practices/mail/mail-queue.ts';
import type { Mailer } from '../../practices/mail/mailer.ts';
import { OWNER_MAILS_TASK, type OwnerMails } from '../../practices/mail/owner-mails.ts';
import { createNotify, type Notify } from '../../practices/notifications.ts';
import type { Processor } from '../../processors/processor.ts';
import { isSandbox } from '../../processors/sandbox.ts';
import { SANDBOX_NOTIFY_TASK, type SandboxMessage } from '../../processors/sandbox-ledger.ts';
import type { Deliverer } from '../../webhooks/delivery/deliverer.ts';
import { DELIVER_TASK, type DeliverJob, enqueueDueDeliveries } from '../../webhooks/delivery/sweep.ts';
import { ENDPOINT_MAIL_TASK, sendEndpointMail } from '../../webhooks/endpoints/admin-mail.ts';
import * as webhookRetention from '../../webhooks/events/retention.ts';

interface JobDependencies {
  /** Makes a scope for each run, because jobs run at once. */
  newScope: () => Scope;
  deliverer: Deliverer;
  inbox: notifications.Inbox;
  processor: Processor;
  mailer: Mailer;
}

/** Creates all jobs of a worker: the handlers of queued jobs by their names, and the recurring jobs. */
export function createJobs(dependencies: JobDependencies): Jobs {
  const { newScope, deliverer } = dependencies;
  return {
    tasks: createTasks(dependencies),
    recurring: listRecurringJobs(dependencies),
    notifications: {
      channel: DUE_CHANNEL,
      handle: (endpointId, isOwner) => deliverer.notify(endpointId, isOwner),
      // The recurring job may be locked by a worker that died.
      begin: async () => void (await enqueueDueDeliveries(newScope())),
    },
    wakeUps: [notifications.NOTIFICATION_TASK],
    namedQueueCount: MAIL_QUEUES,
  };
}

function createTasks({ newScope, deliverer, inbox, processor, mailer }: JobDependencies): TaskList {
  const mailTask = <Mail>(send: (scope: Scope, mailer: Mailer, mail: Mail) => Promise<void>) =>
    task<Mail>((mail) => send(newScope(), mailer, mail));
  const notify = createNotify(mailer, peopleMails.readLocationLimits);
  const notificationTask = <Mail>(send: (scope: Scope, notify: Notify, mail: Mail) => Promise<void>) =>
    task<Mail>((mail) => send(newScope(), notify, mail));
  return {
    // Resolves at once, so that a slow processor does not occupy a place of the queue. A recurring job finds the work of lost ones.
    [notifications.NOTIFICATION_TASK]: task(() => inbox.wakeUp()),
    [SANDBOX_NOTIFY_TASK]: task<SandboxMessage>(async (message) => {
      if (!isSandbox(processor)) return;
      const { raw, headers } = await processor.signed(message);
      await notifications.receiveNotification(newScope(), processor, raw, headers);
    }),
    // Waits for the claim, so that a crash leaves either the job or a lease. The attempts follow without the job.
    [DELIVER_TASK]: task<DeliverJob>(({ endpointIds }) => deliverer.deliver(endpointIds)),
    [ENDPOINT_MAIL_TASK]: notificationTask(sendEndpointMail),
    [PAYMENT_MAIL_TASK]: notificationTask(adminMails.sendPaymentMail),
    [adminMails.EXPIRED_LINKS_TASK]: notificationTask(adminMails.sendExpiredLinksMail),
    [PATIENT_MAIL_TASK]: mailTask(sendPatientMail),
    [RECEIPT_MAIL_TASK]: task<ReceiptMail>((mail) => {
      const scope = newScope();
      return sendReceipt(scope, createPageService(scope, processor, separately), mailer, mail);
    }),
    [SIGN_IN_MAIL_TASK]: mailTask(sendSignInMail),
    [peopleMails.INVITATION_MAIL_TASK]: mailTask(peopleMails.sendInvitation),
    [PASSKEY_MAIL_TASK]: mailTask(sendPasskeyMail),
    [OWNER_MAILS_TASK]: task<OwnerMails>((mails) => peopleMails.queueMailToEachOwner(newScope(), mails)),
    [peopleMails.OWNER_MAIL_TASK]: mailTask(peopleMails.sendOwnerMail),
  };
}

function listRecurringJobs({ newScope, processor }: JobDependencies): RecurringJob[] {
  /** Returns the work with the processor that it asks. */
  const withProcessor =
    (work: typeof reconcileAttempts): RecurringJob['run'] =>
    (shouldContinue) =>
      work(() => ({ ...newScope(), processor, ...separately }), shouldContinue);
  return [
    // The event must be published within 15 seconds of `expiresAt`.
    { name: 'expire_links', everySeconds: 2, run: (shouldContinue) => expireDueLinks(newScope, shouldContinue) },
    // With the poll of the queue, the pause is at most `FOUND_AFTER_MS`.
    { name: 'enqueue_due_deliveries', everySeconds: 1, run: () => enqueueDueDeliveries(newScope()) },
    // Each payment has its own time, in `reconcile_at`.
    { name: 'reconcile_attempts', everySeconds: 5, run: withProcessor(reconcileAttempts) },
    { name: 'reconcile_transactions', everySeconds: 5, run: withProcessor(reconcileTransactions) },
    { name: 'handle_due_notifications', everySeconds: 5, run: withProcessor(notifications.handleDueNotifications) },
    // Their practice expects the data to disappear soon.
    {
      name: 'purge_deleted_endpoints',
      everySeconds: 10,
      run: runInBatches(newScope, [webhookRetention.purgeDeletedEndpoints]),
    },
    { name: 'queue_expired_links_mails', everySeconds: 60, run: () => adminMails.queueExpiredLinksMails(newScope()) },
    { name: 'purge_expired_data', everySeconds: 60, run: retentionSweep(newScope) },
  ];
}

/** Returns the work that deletes all data whose retention is over. It runs often, so that each run is small. */
export function retentionSweep(newScope: () => Scope): RecurringJob['run'] {
  return runInBatches(newScope, [
    webhookRetention.purgeOldDeliveries,
    webhookRetention.forgetFormerSecrets,
    purgeEndedJobs,
    linkRetention.purgeReplies,
    purgeSealedReplies,
    linkRetention.purgeDailyCounts,
    linkRetention.purgeNotifications,
    linkRetention.clearAuthorisations,
    purgeIdleWindows,
    webhookRetention.purgeTestEvents,
    webhookRetention.trimTestEvents,
    purgeSignIns,
    purgeReceiptRequests,
    purgeApiRequests,
  ]);
}

/** Returns work that runs the batches of each kind until nothing is left. A kind that fails leaves the others, and is tried again. */
function runInBatches(newScope: () => Scope, kinds: ((scope: Scope) => Promise<boolean>)[]): RecurringJob['run'] {
  return async (shouldContinue) => {
    for (const runBatch of kinds) {
      const scope = newScope();
      try {
        while (shouldContinue() && (await runBatch(fresh(scope))));
      } catch (err) {
        const kind = runBatch.name;
        if (isLockTimeout(err)) scope.log.info({ kind }, 'a row of the batch is locked; the next run tries again');
        else logRepeated(scope.log, 'error', { err, kind }, 'a batch failed; the next run tries again');
      }
    }
  };
}

/** Returns the handler of a job. Only our own statements enqueue the jobs, so the type of the payload is known. */
function task<Payload>(work: (payload: Payload) => unknown): Task {
  return async (payload) => void (await work(payload as Payload));
}
