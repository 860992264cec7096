/**
 * Made from openapi.yaml by `make generate`. Edit that file, not this one.
 */

export interface paths {
    "/api/v1/locations": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List locations
         * @description The active locations that the key can see, ordered by name. A key that is pinned to a location sees exactly
         *     that one. Needs no scope.
         */
        get: operations["listLocations"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/locations/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The id of a location.
                 * @example loc_6Hc3mPd9KfQ2
                 */
                id: components["parameters"]["LocationInPath"];
            };
            cookie?: never;
        };
        /**
         * Retrieve a location
         * @description One active location. A location that was deactivated, or that lies outside the key's pin, is not found. Needs no
         *     scope.
         */
        get: operations["getLocation"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/payment-links": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List payment links
         * @description Payment links of the key's mode, newest first. The filters can be combined; all given ones must match. To
         *     reconcile payments ask for `status=paid` with `paidAfter`. Needs the scope `payment_links:read`.
         */
        get: operations["listPaymentLinks"];
        put?: never;
        /**
         * Create a payment link
         * @description Creates an active payment link and answers with the `url` to send to the patient. Needs the scope
         *     `payment_links:write` and an `Idempotency-Key`, which makes it safe to repeat the request after a
         *     time-out.
         *
         *     With a live key the patient is matched inside the practice, first by `patient.externalId`, then by phone
         *     number. If neither matches, the contact details are kept on the link and a patient record is created when the
         *     link is paid. Test links never touch patient records.
         */
        post: operations["createPaymentLink"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/payment-links/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The id of a payment link.
                 * @example plink_4Rk8sTq2VnX7
                 */
                id: components["parameters"]["PaymentLinkInPath"];
            };
            cookie?: never;
        };
        /**
         * Retrieve a payment link
         * @description One payment link as it is now. Needs the scope `payment_links:read`.
         */
        get: operations["getPaymentLink"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        /**
         * Update a payment link
         * @description Changes an active payment link. Fields that are left out stay as they are. Links that are paid, expired or
         *     cancelled answer `409 link_not_active`. Needs the scope `payment_links:write`.
         */
        patch: operations["updatePaymentLink"];
        trace?: never;
    };
    "/api/v1/payment-links/{id}/cancel": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The id of a payment link.
                 * @example plink_4Rk8sTq2VnX7
                 */
                id: components["parameters"]["PaymentLinkInPath"];
            };
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Cancel a payment link
         * @description The hosted page stops accepting payment and `payment_link.cancelled` is sent. Cancelling a link that is already
         *     cancelled changes nothing and returns it, so the request may be repeated safely. Paid and expired links answer
         *     `409 link_not_active`. Needs the scope `payment_links:write`.
         */
        post: operations["cancelPaymentLink"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/payment-links/{id}/simulate": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The id of a payment link.
                 * @example plink_4Rk8sTq2VnX7
                 */
                id: components["parameters"]["PaymentLinkInPath"];
            };
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Simulate a payment (test mode)
         * @description Drives an active test link through its life as a patient, a bank or the clock would, and sends the same events,
         *     with `data.context.triggeredBy` set to `simulated`:
         *
         *     | outcome | resulting state | events, in order |
         *     |---|---|---|
         *     | `paid` | link `paid`, card transaction `succeeded` | `payment_link.paid` |
         *     | `processing` | link `paid`, transaction `pending` | `payment_link.processing` |
         *     | `processing_then_paid` | link `paid`, transaction `succeeded` | `payment_link.processing`, `payment_link.paid` |
         *     | `failed` | link `paid`, transaction `failed` with a `failureReason` | `payment_link.processing`, `payment_link.failed` |
         *     | `expired` | link `expired` | `payment_link.expired` |
         *
         *     The simulated transaction appears in the event payloads only: `transaction` of a test link stays null. Links
         *     that are not active answer `409 link_not_active`, and live keys `403 test_mode_only`. The test helpers simulate
         *     what follows: refunds, disputes and bank reversals. Needs the scope `payment_links:write`.
         */
        post: operations["simulatePaymentLink"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/test-helpers/payment-links/{id}/refund": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The id of a payment link.
                 * @example plink_4Rk8sTq2VnX7
                 */
                id: components["parameters"]["PaymentLinkInPath"];
            };
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Simulate a refund (test mode)
         * @description The practice refunds the payment of a test link, in whole or in part. The body may be left out: then all that is
         *     left is refunded.
         *
         *     | outcome | refund | event |
         *     |---|---|---|
         *     | `succeeded` | `succeeded`; the transaction is `refunded` once refunds add up to the payment | `payment_link.refunded` |
         *     | `failed` | `failed`; its amount can be refunded again | none, as in live mode |
         *
         *     `refunds` of the returned link lists the refund. A payment that has not settled, or of which nothing is left, answers
         *     `409 payment_state_conflict`, and so does a link with 100 refunds. Live keys get `403 test_mode_only`. Needs the scope
         *     `payment_links:write`.
         */
        post: operations["simulateRefund"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/test-helpers/payment-links/{id}/dispute": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The id of a payment link.
                 * @example plink_4Rk8sTq2VnX7
                 */
                id: components["parameters"]["PaymentLinkInPath"];
            };
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Simulate a dispute (test mode)
         * @description The patient's bank opens a dispute over the payment of a test link, and `payment_link.disputed` is sent. Evidence
         *     is due in 21 days. The body may be left out: then all that the bank has not taken back is disputed as `fraudulent`.
         *     Link and transaction keep their status, as in live mode.
         *
         *     A payment that has not settled, has an open dispute, or was taken back in full by lost disputes or a bank reversal
         *     answers `409 payment_state_conflict`. Live keys get `403 test_mode_only`. Needs the scope `payment_links:write`.
         */
        post: operations["simulateDispute"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/test-helpers/payment-links/{id}/close-dispute": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The id of a payment link.
                 * @example plink_4Rk8sTq2VnX7
                 */
                id: components["parameters"]["PaymentLinkInPath"];
            };
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Simulate the end of a dispute (test mode)
         * @description The patient's bank decides the open dispute of a test link, and `payment_link.dispute_closed` is sent. Link and
         *     transaction keep their status whatever the outcome, as in live mode.
         *
         *     A link without an open dispute answers `409 payment_state_conflict`, and live keys get `403 test_mode_only`. Needs the
         *     scope `payment_links:write`.
         */
        post: operations["simulateDisputeClosing"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/test-helpers/payment-links/{id}/reverse": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The id of a payment link.
                 * @example plink_4Rk8sTq2VnX7
                 */
                id: components["parameters"]["PaymentLinkInPath"];
            };
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Simulate a bank reversal (test mode)
         * @description The patient's bank takes back what is left of the settled bank debit of a test link. It becomes a refund with
         *     the reason `bank_reversal`, the transaction is `refunded`, and `payment_link.refunded` is sent. To get a settled
         *     debit, simulate the outcome `processing_then_paid`.
         *
         *     A card payment, a debit that has not settled and a payment of which nothing is left answer
         *     `409 payment_state_conflict`. Live keys get `403 test_mode_only`. Needs the scope `payment_links:write`.
         */
        post: operations["simulateBankReversal"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/webhook-endpoints": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List webhook endpoints
         * @description The webhook endpoints of the key's mode, newest first, without their secrets. A pinned key sees the endpoints
         *     that are restricted to its location. Needs the scope `webhooks:manage`.
         */
        get: operations["listWebhookEndpoints"];
        put?: never;
        /**
         * Create a webhook endpoint
         * @description Registers an address for the events of the key's mode, and answers with the `secret` that signs them. The
         *     secret is shown here and on rotation only: store it. A practice has at most ten endpoints in each mode, disabled
         *     ones included; beyond that the answer is `409 limit_reached`. Needs the scope `webhooks:manage`.
         *
         *     An address must be public and reached by HTTPS. Private, loopback and link-local addresses and bare host
         *     names are refused, here and again whenever an event is sent.
         *
         *     Repeating the request makes a second endpoint. Send an `Idempotency-Key` to make it safe: an answer that was lost
         *     is then given again for 24 hours, with the same secret.
         */
        post: operations["createWebhookEndpoint"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/webhook-endpoints/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The id of a webhook endpoint.
                 * @example we_8Jn5vLx1RtB4
                 */
                id: components["parameters"]["WebhookEndpointInPath"];
            };
            cookie?: never;
        };
        /**
         * Retrieve a webhook endpoint
         * @description One webhook endpoint, without its secret. Needs the scope `webhooks:manage`.
         */
        get: operations["getWebhookEndpoint"];
        put?: never;
        post?: never;
        /**
         * Delete a webhook endpoint
         * @description Deletes the endpoint and its whole delivery history, irreversibly. Events that wait for it are not sent any
         *     more. Needs the scope `webhooks:manage`.
         */
        delete: operations["deleteWebhookEndpoint"];
        options?: never;
        head?: never;
        /**
         * Update a webhook endpoint
         * @description Changes a webhook endpoint. Fields that are left out stay as they are. `enabled: false` stops deliveries and
         *     keeps the secret; what waits for the endpoint is skipped. `enabled: true` starts them again, but sends nothing
         *     of what was skipped: use replay or redelivery for that. A new `url` also applies to retries of earlier events.
         *     Needs the scope `webhooks:manage`.
         */
        patch: operations["updateWebhookEndpoint"];
        trace?: never;
    };
    "/api/v1/webhook-endpoints/{id}/replay": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The id of a webhook endpoint.
                 * @example we_8Jn5vLx1RtB4
                 */
                id: components["parameters"]["WebhookEndpointInPath"];
            };
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Replay missed events
         * @description Sends the endpoint what it missed since a point in time, oldest first and at most 1,000 events:
         *
         *     - deliveries that never succeeded (`exhausted` or `skipped`) are queued again, with their original event ids, but
         *       no pings;
         *     - for links that were paid, cancelled or expired while the endpoint did not exist or was disabled fresh events
         *       are queued. A link whose payment is still pending, or failed, gives `payment_link.processing` or
         *       `payment_link.failed` instead of `payment_link.paid`.
         *
         *     The endpoint's `enabledEvents` and `locationId` apply. Once per endpoint per ten minutes, otherwise
         *     `429 replay_cooldown`; a replay that is refused does not count. A disabled endpoint answers
         *     `409 endpoint_disabled`. Needs the scope `webhooks:manage`.
         */
        post: operations["replayWebhookEndpoint"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/webhook-endpoints/{id}/rotate-secret": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The id of a webhook endpoint.
                 * @example we_8Jn5vLx1RtB4
                 */
                id: components["parameters"]["WebhookEndpointInPath"];
            };
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Rotate the signing secret
         * @description Makes a new secret and answers with it. For 24 hours every delivery is signed with both secrets (two `v1`
         *     values, the new secret's first), so that receivers can change over without a gap. A further rotation within
         *     that time drops the older of the two: repeating a rotation whose answer was lost can drop the secret that your
         *     receiver uses. Send an `Idempotency-Key` to make it safe: the answer is then given again for 24 hours, with the
         *     same secret. Needs the scope `webhooks:manage`.
         */
        post: operations["rotateWebhookEndpointSecret"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/webhook-endpoints/{id}/test": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The id of a webhook endpoint.
                 * @example we_8Jn5vLx1RtB4
                 */
                id: components["parameters"]["WebhookEndpointInPath"];
            };
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Send a ping event
         * @description Queues a `ping` event for the endpoint, whatever its `enabledEvents`, and answers with its delivery. Retrieve
         *     the delivery by its `id` to see how the endpoint answered. A disabled endpoint answers `409
         *     endpoint_disabled`. Needs the scope `webhooks:manage`.
         */
        post: operations["testWebhookEndpoint"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/webhook-deliveries": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List webhook deliveries
         * @description Deliveries to the endpoints that the key can see, newest first, without payloads and attempts. The filters can
         *     be combined; all given ones must match. Needs the scope `webhooks:manage`.
         */
        get: operations["listWebhookDeliveries"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/webhook-deliveries/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The id of the event, which addresses its delivery.
                 * @example evt_2Wq7yGz5NhC9
                 */
                id: components["parameters"]["DeliveryInPath"];
            };
            cookie?: never;
        };
        /**
         * Retrieve a webhook delivery
         * @description One delivery with the exact body that was or will be sent, and all attempts so far. Needs the scope
         *     `webhooks:manage`.
         */
        get: operations["getWebhookDelivery"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/webhook-deliveries/{id}/redeliver": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The id of the event, which addresses its delivery.
                 * @example evt_2Wq7yGz5NhC9
                 */
                id: components["parameters"]["DeliveryInPath"];
            };
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Redeliver an event
         * @description Queues a delivered, exhausted or skipped event again, with the same event id and eight fresh attempts. Earlier
         *     attempts stay on record and numbers go on. A pending or retrying delivery is left alone and returned as it
         *     is. A disabled endpoint answers `409 endpoint_disabled`. Needs the scope `webhooks:manage`.
         */
        post: operations["redeliverWebhookDelivery"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/test-helpers/events": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read test events (test mode)
         * @description The test events of the practice, for a command that forwards them to a receiver without a public address. Works
         *     without any webhook endpoint, and changes no delivery.
         *
         *     Start without `after`: the answer has no events, and a `cursor` for all that happens from then on. Pass the cursor
         *     of each answer as `after` of the next request. No event is left out, and none comes twice. Each reader has its own
         *     cursor, so any number of readers get all events. Events are kept for 48 hours, and are recorded until 48 hours
         *     after the last request of the practice. A practice keeps its newest 10,000 events. If older ones were deleted
         *     before you read them, `eventsDropped` says so.
         *
         *     With `waitSeconds`, a request without events is answered at the next event, or when the time is over. Events have
         *     ids of their own. A key that loses its access while it waits gets no event. A pinned key reads the events of its
         *     location. Live keys answer `403 test_mode_only`. Needs the scope `webhooks:manage`.
         */
        get: operations["listTestEvents"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/test-helpers/pings": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Create a ping (test mode)
         * @description Adds a `ping` to the test events, to try a reader of them. No endpoint receives it; *Test a webhook endpoint*
         *     sends one to an endpoint. Live keys answer `403 test_mode_only`. Needs the scope `webhooks:manage`.
         */
        post: operations["createTestPing"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
}
export interface webhooks {
    "payment_link.processing": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * payment_link.processing: bank debit submitted
         * @description A patient submitted a bank debit. The link is `paid`, its transaction `pending` until the debit settles in 3
         *     to 5 business days.
         */
        post: operations["receivePaymentLinkProcessingEvent"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "payment_link.paid": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * payment_link.paid: payment captured
         * @description The money was captured: at once for cards, when the debit has settled for bank accounts.
         */
        post: operations["receivePaymentLinkPaidEvent"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "payment_link.failed": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * payment_link.failed: bank debit returned
         * @description The bank returned the debit. The link stays `paid`, its transaction is `failed`, and the balance is owed again.
         */
        post: operations["receivePaymentLinkFailedEvent"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "payment_link.refunded": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * payment_link.refunded: payment refunded
         * @description Some or all of the payment was refunded, or the bank reversed it. `data.paymentLink.refunds` lists every
         *     refund so far; `data.context.refundAmount` is the amount of this one.
         */
        post: operations["receivePaymentLinkRefundedEvent"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "payment_link.disputed": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * payment_link.disputed: dispute opened
         * @description The patient's bank opened a dispute. Neither the status of the link nor that of its transaction changes.
         */
        post: operations["receivePaymentLinkDisputedEvent"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "payment_link.dispute_closed": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * payment_link.dispute_closed: dispute closed
         * @description A dispute was resolved. `data.context.disputeOutcome` says whether it was won or lost.
         */
        post: operations["receivePaymentLinkDisputeClosedEvent"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "payment_link.expired": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * payment_link.expired: link expired
         * @description A link passed its `expiresAt` unpaid.
         */
        post: operations["receivePaymentLinkExpiredEvent"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "payment_link.cancelled": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * payment_link.cancelled: link cancelled
         * @description A link was cancelled, by an API request or by the office's staff.
         */
        post: operations["receivePaymentLinkCancelledEvent"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    ping: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * ping: a test of the endpoint
         * @description Sent by the operation that tests an endpoint. `data` is empty.
         */
        post: operations["receivePingEvent"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
}
export interface components {
    schemas: {
        /** @description A place where the practice sees patients. */
        Location: {
            id: components["schemas"]["LocationId"];
            /**
             * @description Always `location`.
             * @example location
             * @constant
             */
            object: "location";
            /**
             * @description What staff and patients call it.
             * @example Harbor Dental, Downtown
             */
            name: string;
            /**
             * @description City of its address.
             * @example Portland
             */
            city: string;
            /**
             * @description State of its address.
             * @example OR
             */
            state: string;
            /**
             * @description IANA name of its time zone.
             * @example America/Los_Angeles
             */
            timeZone: string;
        };
        /** @description One page of locations. */
        LocationList: {
            object: components["schemas"]["ListObject"];
            /** @description The locations of this page, ordered by name. */
            data: components["schemas"]["Location"][];
            page: components["schemas"]["PageNumber"];
            pageSize: components["schemas"]["PageLength"];
            totalCount: components["schemas"]["TotalCount"];
            hasMore: components["schemas"]["HasMore"];
        };
        /** @description The location that a payment link belongs to. */
        LocationReference: {
            id: components["schemas"]["LocationId"];
            /**
             * @description What staff and patients call it.
             * @example Harbor Dental, Downtown
             */
            name: string;
        };
        /** @description A hosted page on which one patient pays one amount. */
        PaymentLink: {
            id: components["schemas"]["PaymentLinkId"];
            /**
             * @description Always `payment_link`.
             * @example payment_link
             * @constant
             */
            object: "payment_link";
            /**
             * Format: uri
             * @description Address of the hosted payment page, for the patient. Anyone who has it can open the page. Send it to nobody
             *     else.
             * @example https://pay.example.com/pay/Zk3vT9wqLb7RfXn2GdHs5A
             */
            url: string;
            status: components["schemas"]["PaymentLinkStatus"];
            /**
             * @description True for links created with a test key. No money moves on them.
             * @example false
             */
            test: boolean;
            /**
             * Format: double
             * @description What the patient is asked to pay, in dollars, with at most two decimals.
             * @example 125.5
             */
            amount: number;
            /**
             * @description ISO 4217 code in lower case. At present always `usd`.
             * @example usd
             */
            currency: string;
            /**
             * @description What the payment is for, as shown on the payment page and the receipt.
             * @example Crown, balance after insurance
             */
            description: string;
            /**
             * @description Your own reference, or null. Links can be listed by it.
             * @example invoice-10432
             */
            externalReference: string | null;
            /**
             * @description Your own data, string keys with string values, or null. Not shown to the patient.
             * @example {
             *       "ledgerEntry": "88213",
             *       "clinic": "downtown"
             *     }
             */
            metadata: {
                [key: string]: string;
            } | null;
            patient: components["schemas"]["Patient"];
            location: components["schemas"]["LocationReference"];
            /**
             * @description Where the link was created: through this interface, by the office's staff, or on the practice's website.
             *     Open: other values may come.
             * @example api
             * @enum {string}
             */
            source: "api" | "staff" | "website";
            /**
             * Format: date-time
             * @description When the link expires unless it is paid before.
             * @example 2026-12-20T15:04:05.000Z
             */
            expiresAt: string;
            /**
             * Format: date-time
             * @description When the link became `paid`: for bank debits, when the debit was submitted. Null until then.
             *     `transaction.processedAt` says when the money arrived.
             * @example 2026-11-20T16:21:44.000Z
             */
            paidAt: string | null;
            /**
             * Format: date-time
             * @description When the link was created.
             * @example 2026-11-20T15:04:05.000Z
             */
            createdAt: string;
            /**
             * @description The payment, or null while there is none. Always null for test links when they are read: a simulated payment
             *     appears in event payloads only.
             */
            transaction: components["schemas"]["Transaction"] | null;
            /**
             * @description Every refund so far, oldest first. Empty when there are none. A bank may reverse a debit of which a part was
             *     refunded before; then they add up to more than the payment.
             */
            refunds: components["schemas"]["Refund"][];
        };
        /**
         * @description Where the link is in its life.
         * @example active
         * @enum {string}
         */
        PaymentLinkStatus: "active" | "paid" | "expired" | "cancelled";
        /** @description One page of payment links. */
        PaymentLinkList: {
            object: components["schemas"]["ListObject"];
            /** @description The payment links of this page, newest first. */
            data: components["schemas"]["PaymentLink"][];
            page: components["schemas"]["PageNumber"];
            pageSize: components["schemas"]["PageLength"];
            totalCount: components["schemas"]["TotalCount"];
            hasMore: components["schemas"]["HasMore"];
        };
        /** @description Who is asked to pay. */
        Patient: {
            /**
             * @description First name.
             * @example Ada
             */
            firstName: string;
            /**
             * @description Last name.
             * @example Moreno
             */
            lastName: string;
            /**
             * @description Phone number in E.164 form, or null.
             * @example +12025550143
             */
            phone: string | null;
            /**
             * Format: email
             * @description Email address, or null.
             * @example ada.moreno@example.com
             */
            email: string | null;
            /**
             * @description Your chart or account number of the patient, or null.
             * @example MRN-58213
             */
            externalId: string | null;
        };
        /** @description The payment on a link. */
        Transaction: {
            /**
             * @description `pending` while a bank debit settles, `succeeded` when the money was captured, `failed` when the bank
             *     returned the debit, `refunded` when refunds add up to the whole amount or the bank reversed the payment. A
             *     partial refund leaves it `succeeded`, and so does a dispute. Open: other values may come.
             * @example succeeded
             * @enum {string}
             */
            status: "pending" | "succeeded" | "failed" | "refunded";
            /**
             * Format: double
             * @description What the patient paid, in dollars.
             * @example 125.5
             */
            amount: number;
            /**
             * Format: double
             * @description Processing fee in dollars. Null until it is known.
             * @example 3.94
             */
            fee: number | null;
            /**
             * Format: double
             * @description The amount less the fee, in dollars. Null until the fee is known.
             * @example 121.56
             */
            net: number | null;
            /**
             * @description Kind of payment method, such as `card` or `us_bank_account`. Open: other values may come.
             * @example card
             */
            paymentMethodType: string;
            /**
             * @description Brand of the card. Null for bank accounts.
             * @example visa
             */
            paymentMethodBrand: string | null;
            /**
             * @description Last four digits of the card or bank account, or null if there are none.
             * @example 4242
             */
            paymentMethodLast4: string | null;
            /**
             * Format: uri
             * @description Address of the receipt for the patient. Null while there is none.
             * @example https://pay.example.com/receipts/8sKfQ1xWmZ
             */
            receiptUrl: string | null;
            /**
             * Format: date-time
             * @description When the money settled. Null while the payment is pending, and if it failed.
             * @example 2026-11-20T16:21:44.000Z
             */
            processedAt: string | null;
            /**
             * @description Why the payment failed, a machine-readable word in snake_case. Present when, and only when, `status` is
             *     `failed`; left out otherwise. Open: other values may come.
             * @example insufficient_funds
             */
            failureReason?: string;
        };
        /** @description Money given back to the patient, or taken back by the bank. */
        Refund: {
            /**
             * @description Opaque id of the refund.
             * @example re_3Df6kSm8TpV1
             */
            id: string;
            /**
             * @description Always `refund`.
             * @example refund
             * @constant
             */
            object: "refund";
            /**
             * Format: double
             * @description Refunded amount in dollars.
             * @example 25
             */
            amount: number;
            /**
             * @description `pending`: the money is on its way. `succeeded`: it has arrived. `failed`: it could not be returned. Open: other values may come.
             * @example succeeded
             * @enum {string}
             */
            status: "pending" | "succeeded" | "failed";
            /**
             * @description Why, or null if no reason was given. `bank_reversal` if the bank took the payment back. Free text.
             * @example requested_by_patient
             */
            reason: string | null;
            /**
             * Format: date-time
             * @description When the refund was made.
             * @example 2026-11-24T10:12:09.000Z
             */
            createdAt: string;
        };
        /** @description The payment link to create. */
        CreatePaymentLinkRequest: {
            /**
             * Format: double
             * @description What the patient is asked to pay, in dollars, with at most two decimals.
             * @example 125.5
             */
            amount: number;
            /**
             * @description What the payment is for. It is shown on the payment page and the receipt. A text that contains what looks
             *     like a card number is refused.
             * @example Crown, balance after insurance
             */
            description: string;
            patient: components["schemas"]["CreatePaymentLinkPatient"];
            /**
             * @description ISO 4217 code in lower case. Only `usd` is supported, and it is the default.
             * @example usd
             */
            currency?: string | null;
            /**
             * @description Your own reference, such as an invoice number. Links can be listed by it. It need not be unique.
             * @example invoice-10432
             */
            externalReference?: string | null;
            /**
             * @description Your own data: at most 20 string keys with string values, together at most 2,048 bytes as JSON text in
             *     UTF-8.
             * @example {
             *       "ledgerEntry": "88213",
             *       "clinic": "downtown"
             *     }
             */
            metadata?: {
                [key: string]: string;
            } | null;
            /**
             * @description The location that the link belongs to. Required for a key that is not pinned to a location if the practice
             *     has several active ones. If the key is pinned it must be that location.
             * @example loc_6Hc3mPd9KfQ2
             */
            locationId?: string | null;
            /**
             * Format: date-time
             * @description When the link expires: in the future and at most 365 days after creation. By default 30 days after creation.
             * @example 2026-12-31T23:59:59Z
             */
            expiresAt?: string | null;
        };
        /** @description Who is asked to pay. Chart number and phone number serve to find the patient's record. */
        CreatePaymentLinkPatient: {
            /**
             * @description First name. Blanks around it are removed; a name of blanks alone is refused.
             * @example Ada
             */
            firstName: string;
            /**
             * @description Last name. Blanks around it are removed; a name of blanks alone is refused.
             * @example Moreno
             */
            lastName: string;
            /**
             * @description A valid phone number in international format, beginning with `+`. Blanks, punctuation and invisible characters are
             *     removed; it is returned in E.164 form.
             * @example +1 202 555 0143
             */
            phone?: string | null;
            /**
             * Format: email
             * @description Email address: ASCII, with at most 64 characters before the `@` and 63 between two dots after it.
             * @example ada.moreno@example.com
             */
            email?: string | null;
            /**
             * @description Your chart or account number of the patient.
             * @example MRN-58213
             */
            externalId?: string | null;
        };
        /** @description The fields to change. Those that are left out stay as they are. Null clears a field that can be empty. */
        UpdatePaymentLinkRequest: {
            /**
             * Format: double
             * @description What the patient is asked to pay, in dollars, with at most two decimals.
             * @example 110
             */
            amount?: number;
            /**
             * @description What the payment is for. A text that contains what looks like a card number is refused.
             * @example Crown, balance after insurance, corrected
             */
            description?: string;
            patient?: components["schemas"]["UpdatePaymentLinkPatient"];
            /**
             * @description Your own reference. Null clears it.
             * @example invoice-10432-b
             */
            externalReference?: string | null;
            /**
             * @description Your own data, at most 20 keys and 2,048 bytes as JSON text in UTF-8. It replaces the whole object; null
             *     clears it.
             * @example {
             *       "ledgerEntry": "88214"
             *     }
             */
            metadata?: {
                [key: string]: string;
            } | null;
            /**
             * Format: date-time
             * @description When the link expires, in the future and at most 365 days after its creation.
             * @example 2027-01-31T23:59:59Z
             */
            expiresAt?: string;
        };
        /** @description The patient's contact details to change. Those that are left out stay as they are; null clears one. */
        UpdatePaymentLinkPatient: {
            /**
             * @description A valid phone number in international format, beginning with `+`. Null clears it.
             * @example +12025550143
             */
            phone?: string | null;
            /**
             * Format: email
             * @description Email address. Null clears it.
             * @example ada.moreno@example.com
             */
            email?: string | null;
        };
        /** @description What should happen to the test link. */
        SimulatePaymentLinkRequest: {
            /**
             * @description The outcome to simulate. See the operation for their effects.
             * @example paid
             * @enum {string}
             */
            outcome: "paid" | "processing" | "processing_then_paid" | "failed" | "expired";
        };
        /** @description The refund of a test link's payment. Optional fields may be left out or null. */
        SimulateRefundRequest: {
            /**
             * Format: double
             * @description What is refunded, in dollars, with at most two decimals. By default all that is left.
             * @example 25
             */
            amount?: number | null;
            /** @description How the refund ends. By default it succeeds. */
            outcome?: components["schemas"]["SimulatedRefundOutcome"] | null;
        };
        /**
         * @description How a simulated refund ends.
         * @example succeeded
         * @enum {string}
         */
        SimulatedRefundOutcome: "succeeded" | "failed";
        /** @description The dispute of a test link's payment. Optional fields may be left out or null. */
        SimulateDisputeRequest: {
            /**
             * Format: double
             * @description What is disputed, in dollars, with at most two decimals and at most what the bank has not taken back. By
             *     default all of that.
             * @example 125.5
             */
            amount?: number | null;
            /**
             * @description Why the patient disputes the payment, a word in snake_case of up to 100 characters. By default `fraudulent`.
             * @example product_not_received
             */
            reason?: string | null;
        };
        /** @description The end of a test link's dispute. */
        SimulateDisputeClosingRequest: {
            /**
             * @description `won`: the money stays with the practice. `lost`: it goes back to the patient.
             * @example lost
             * @enum {string}
             */
            outcome: "won" | "lost";
        };
        /** @description An address of yours to which events are sent. */
        WebhookEndpoint: {
            id: components["schemas"]["WebhookEndpointId"];
            /**
             * @description Always `webhook_endpoint`.
             * @example webhook_endpoint
             * @constant
             */
            object: "webhook_endpoint";
            /**
             * Format: uri
             * @description Where events are sent.
             * @example https://billing.example.com/hooks/payments
             */
            url: string;
            /** @description The types of events that are sent. Empty means every type, including future ones. */
            enabledEvents: components["schemas"]["PaymentLinkEventType"][];
            /**
             * @description Your own note, or null.
             * @example Billing system
             */
            description: string | null;
            /**
             * @description The only location whose events are sent, or null for all locations. Fixed at creation.
             * @example loc_6Hc3mPd9KfQ2
             */
            locationId: string | null;
            /**
             * @description Whether events are sent. An endpoint is disabled by you, or by the service after 20 consecutive events for
             *     which all attempts failed.
             * @example enabled
             * @enum {string}
             */
            status: "enabled" | "disabled";
            /**
             * @description The mode in which the endpoint was created. It receives events of this mode only.
             * @example false
             */
            test: boolean;
            /**
             * Format: date-time
             * @description When the endpoint was created.
             * @example 2026-11-02T09:30:00.000Z
             */
            createdAt: string;
        };
        /** @description A webhook endpoint with its signing secret, as returned on creation and on rotation only. */
        WebhookEndpointWithSecret: {
            id: components["schemas"]["WebhookEndpointId"];
            /**
             * @description Always `webhook_endpoint`.
             * @example webhook_endpoint
             * @constant
             */
            object: "webhook_endpoint";
            /**
             * Format: uri
             * @description Where events are sent.
             * @example https://billing.example.com/hooks/payments
             */
            url: string;
            /** @description The types of events that are sent. Empty means every type, including future ones. */
            enabledEvents: components["schemas"]["PaymentLinkEventType"][];
            /**
             * @description Your own note, or null.
             * @example Billing system
             */
            description: string | null;
            /**
             * @description The only location whose events are sent, or null for all locations. Fixed at creation.
             * @example loc_6Hc3mPd9KfQ2
             */
            locationId: string | null;
            /**
             * @description Whether events are sent. An endpoint is disabled by you, or by the service after 20 consecutive events for
             *     which all attempts failed.
             * @example enabled
             * @enum {string}
             */
            status: "enabled" | "disabled";
            /**
             * @description The mode in which the endpoint was created. It receives events of this mode only.
             * @example false
             */
            test: boolean;
            /**
             * Format: date-time
             * @description When the endpoint was created.
             * @example 2026-11-02T09:30:00.000Z
             */
            createdAt: string;
            /**
             * @description The key that signs deliveries. It is not shown again; store it safely.
             * @example whsec_V7r2bNqX5tLk9sYw3ZcH8mJd4Gf6Pa1E
             */
            secret: string;
        };
        /** @description One page of webhook endpoints. */
        WebhookEndpointList: {
            object: components["schemas"]["ListObject"];
            /** @description The webhook endpoints of this page, newest first. */
            data: components["schemas"]["WebhookEndpoint"][];
            page: components["schemas"]["PageNumber"];
            pageSize: components["schemas"]["PageLength"];
            totalCount: components["schemas"]["TotalCount"];
            hasMore: components["schemas"]["HasMore"];
        };
        /** @description The webhook endpoint to create. */
        CreateWebhookEndpointRequest: {
            /**
             * Format: uri
             * @description Where to send events: an `https` address with a public host, without user name, password and fragment.
             * @example https://billing.example.com/hooks/payments
             */
            url: string;
            /**
             * @description The types of events to send, each at most once. Empty or absent means every type, including future ones.
             * @example [
             *       "payment_link.paid",
             *       "payment_link.failed"
             *     ]
             */
            enabledEvents?: components["schemas"]["SelectableEventType"][] | null;
            /**
             * @description Your own note.
             * @example Billing system
             */
            description?: string | null;
            /**
             * @description Send only events of this location's links. Absent means all locations; with a key that is pinned to a
             *     location it means that one. It cannot be changed later.
             * @example loc_6Hc3mPd9KfQ2
             */
            locationId?: string | null;
        };
        /** @description The fields to change. Those that are left out stay as they are. Null clears a field that can be empty. */
        UpdateWebhookEndpointRequest: {
            /**
             * Format: uri
             * @description Where to send events: an `https` address with a public host, without user name, password and fragment.
             * @example https://billing.example.com/hooks/v2/payments
             */
            url?: string;
            /**
             * @description The types of events to send, each at most once. Empty or null means every type, including future ones.
             * @example [
             *       "payment_link.paid"
             *     ]
             */
            enabledEvents?: components["schemas"]["SelectableEventType"][] | null;
            /**
             * @description Your own note. Null clears it.
             * @example Billing system
             * @example second generation
             */
            description?: string | null;
            /**
             * @description False disables the endpoint, true enables it.
             * @example true
             */
            enabled?: boolean;
        };
        /** @description From when on to replay. */
        ReplayWebhookEndpointRequest: {
            /**
             * Format: date-time
             * @description The beginning of the window, in the past and at most 30 days ago.
             * @example 2026-11-18T00:00:00Z
             */
            since: string;
        };
        /** @description What a replay has queued. */
        WebhookReplay: {
            /**
             * @description Always `webhook_replay`.
             * @example webhook_replay
             * @constant
             */
            object: "webhook_replay";
            endpointId: components["schemas"]["WebhookEndpointId"];
            /**
             * Format: date-time
             * @description The beginning of the window, as requested.
             * @example 2026-11-18T00:00:00.000Z
             */
            since: string;
            /**
             * Format: int32
             * @description How many deliveries were queued again.
             * @example 12
             */
            requeuedCount: number;
            /**
             * Format: int32
             * @description How many events were made for changes that the endpoint had no delivery of.
             * @example 3
             */
            freshCount: number;
            /**
             * @description Whether there was more than the 1,000 events that a replay sends at most.
             * @example false
             */
            capped: boolean;
        };
        /** @description The record of one event sent to one endpoint. */
        WebhookDelivery: {
            id: components["schemas"]["EventId"];
            /**
             * @description Always `webhook_delivery`.
             * @example webhook_delivery
             * @constant
             */
            object: "webhook_delivery";
            endpointId: components["schemas"]["WebhookEndpointId"];
            /**
             * @description The payment link that the event is about. Null for `ping`, and for examples that the console sends.
             * @example plink_4Rk8sTq2VnX7
             */
            paymentLinkId: string | null;
            type: components["schemas"]["EventType"];
            /**
             * @description True for test-mode events.
             * @example false
             */
            test: boolean;
            status: components["schemas"]["WebhookDeliveryStatus"];
            /**
             * Format: int32
             * @description How many attempts were made so far, those before a redelivery included.
             * @example 2
             */
            attemptCount: number;
            /**
             * Format: date-time
             * @description When the event happened; of one that a replay made for a change the endpoint had missed, when it was
             *     replayed.
             * @example 2026-11-20T16:21:45.000Z
             */
            createdAt: string;
            /**
             * Format: date-time
             * @description When the last attempt began. Null before the first one.
             * @example 2026-11-20T16:22:17.000Z
             */
            lastAttemptAt: string | null;
            /**
             * Format: date-time
             * @description When the endpoint accepted the event. Null until then.
             * @example 2026-11-20T16:22:17.000Z
             */
            deliveredAt: string | null;
            /**
             * Format: date-time
             * @description When the next attempt is due. Set while `retrying`, null otherwise.
             * @example 2026-11-20T16:24:19.000Z
             */
            nextAttemptAt: string | null;
            /**
             * Format: int32
             * @description HTTP status of the endpoint's last answer. Null if the last attempt brought none.
             * @example 503
             */
            lastResponseStatus: number | null;
            /** @description How the last attempt failed, or null if it succeeded or there was none. */
            lastError: components["schemas"]["WebhookAttemptError"] | null;
        };
        /**
         * @description `pending`: waits for its first attempt. `retrying`: an attempt failed, another is due. `delivered`: accepted with
         *     2xx. `exhausted`: all attempts failed. `skipped`: the endpoint was disabled.
         * @example retrying
         * @enum {string}
         */
        WebhookDeliveryStatus: "pending" | "retrying" | "delivered" | "exhausted" | "skipped";
        /** @description A webhook delivery with its payload and its attempts. */
        WebhookDeliveryDetail: {
            id: components["schemas"]["EventId"];
            /**
             * @description Always `webhook_delivery`.
             * @example webhook_delivery
             * @constant
             */
            object: "webhook_delivery";
            endpointId: components["schemas"]["WebhookEndpointId"];
            /**
             * @description The payment link that the event is about. Null for `ping`, and for examples that the console sends.
             * @example plink_4Rk8sTq2VnX7
             */
            paymentLinkId: string | null;
            type: components["schemas"]["EventType"];
            /**
             * @description True for test-mode events.
             * @example false
             */
            test: boolean;
            status: components["schemas"]["WebhookDeliveryStatus"];
            /**
             * Format: int32
             * @description How many attempts were made so far, those before a redelivery included.
             * @example 2
             */
            attemptCount: number;
            /**
             * Format: date-time
             * @description When the event happened; of one that a replay made for a change the endpoint had missed, when it was
             *     replayed.
             * @example 2026-11-20T16:21:45.000Z
             */
            createdAt: string;
            /**
             * Format: date-time
             * @description When the last attempt began. Null before the first one.
             * @example 2026-11-20T16:22:17.000Z
             */
            lastAttemptAt: string | null;
            /**
             * Format: date-time
             * @description When the endpoint accepted the event. Null until then.
             * @example 2026-11-20T16:22:17.000Z
             */
            deliveredAt: string | null;
            /**
             * Format: date-time
             * @description When the next attempt is due. Set while `retrying`, null otherwise.
             * @example 2026-11-20T16:24:19.000Z
             */
            nextAttemptAt: string | null;
            /**
             * Format: int32
             * @description HTTP status of the endpoint's last answer. Null if the last attempt brought none.
             * @example 503
             */
            lastResponseStatus: number | null;
            /** @description How the last attempt failed, or null if it succeeded or there was none. */
            lastError: components["schemas"]["WebhookAttemptError"] | null;
            /**
             * @description The exact JSON text that was or will be sent as the body. Signatures are made over these bytes.
             * @example {"id":"evt_2Wq7yGz5NhC9","object":"event","type":"ping","test":false,"createdAt":"2026-11-20T16:21:45.000Z","data":{}}
             */
            payload: string;
            /** @description All attempts so far, in order, those before a redelivery included. */
            attempts: components["schemas"]["WebhookAttempt"][];
        };
        /** @description One attempt to send an event. */
        WebhookAttempt: {
            /**
             * Format: int32
             * @description Counts the attempts of the delivery from 1; it goes on over redeliveries.
             * @example 1
             */
            number: number;
            /**
             * Format: date-time
             * @description When the attempt began.
             * @example 2026-11-20T16:21:46.000Z
             */
            startedAt: string;
            /**
             * Format: int32
             * @description How long it took, in milliseconds. Null while it is under way, and if it was interrupted.
             * @example 184
             */
            durationMs: number | null;
            /**
             * Format: int32
             * @description HTTP status of the endpoint's answer, or null if there was none. The answer's body is not kept.
             * @example 503
             */
            responseStatus: number | null;
            /** @description How the attempt failed, or null if it succeeded or is under way. */
            error: components["schemas"]["WebhookAttemptError"] | null;
        };
        /**
         * @description How an attempt failed. `timeout`: no answer within 10 seconds. `dns_error`: the host's name could not be
         *     resolved. `connection_error`: no connection, or it broke. `tls_error`: the certificate or the handshake failed.
         *     `blocked_address`: the host is not a public address. `invalid_response`: the answer was not HTTP. `http_status`:
         *     the answer's status was not 2xx. `interrupted`: the service was stopped during the attempt. Open: other values may
         *     come.
         * @example http_status
         * @enum {string}
         */
        WebhookAttemptError: "timeout" | "dns_error" | "connection_error" | "tls_error" | "blocked_address" | "invalid_response" | "http_status" | "interrupted";
        /** @description One page of webhook deliveries. */
        WebhookDeliveryList: {
            object: components["schemas"]["ListObject"];
            /** @description The deliveries of this page, newest first. */
            data: components["schemas"]["WebhookDelivery"][];
            page: components["schemas"]["PageNumber"];
            pageSize: components["schemas"]["PageLength"];
            totalCount: components["schemas"]["TotalCount"];
            hasMore: components["schemas"]["HasMore"];
        };
        /** @description An event of the test mode, as a webhook endpoint would receive it. */
        TestEvent: {
            id: components["schemas"]["EventId"];
            /**
             * @description Always `test_event`.
             * @example test_event
             * @constant
             */
            object: "test_event";
            type: components["schemas"]["EventType"];
            createdAt: components["schemas"]["EventCreatedAt"];
            /**
             * @description The exact body of the webhook request. Sign and send these bytes, unchanged.
             * @example {"id":"evt_2Wq7yGz5NhC9","object":"event","type":"ping","test":true,"createdAt":"2026-11-20T16:21:45.000Z","data":{}}
             */
            payload: string;
        };
        /** @description The events after a cursor. */
        TestEventList: {
            /**
             * @description Always `test_event_list`.
             * @example test_event_list
             * @constant
             */
            object: "test_event_list";
            /** @description The events, oldest first. */
            data: components["schemas"]["TestEvent"][];
            /**
             * @description Opaque. Pass it as `after` of the next request.
             * @example qh-0..0.
             */
            cursor: string;
            /**
             * @description Whether there are more events now. If not, wait with the next request.
             * @example false
             */
            hasMore: boolean;
            /**
             * @description True if events after the cursor were deleted unread, because the practice had more than 10,000. With a pinned
             *     key they may have been of another location.
             * @example false
             */
            eventsDropped: boolean;
        };
        /**
         * @description What happened. Open: other types may come; answer them with 2xx and ignore those you do not know.
         * @example payment_link.paid
         * @enum {string}
         */
        EventType: "payment_link.processing" | "payment_link.paid" | "payment_link.failed" | "payment_link.refunded" | "payment_link.disputed" | "payment_link.dispute_closed" | "payment_link.expired" | "payment_link.cancelled" | "ping";
        /**
         * @description A type of event that an endpoint has chosen. Open: other types may come. `SelectableEventType` has those that a
         *     request can name.
         * @example payment_link.paid
         * @enum {string}
         */
        PaymentLinkEventType: "payment_link.processing" | "payment_link.paid" | "payment_link.failed" | "payment_link.refunded" | "payment_link.disputed" | "payment_link.dispute_closed" | "payment_link.expired" | "payment_link.cancelled";
        /**
         * @description A type of event that an endpoint can choose. `ping` is not among them: it is always sent to the endpoint that is
         *     tested.
         * @example payment_link.paid
         * @enum {string}
         */
        SelectableEventType: "payment_link.processing" | "payment_link.paid" | "payment_link.failed" | "payment_link.refunded" | "payment_link.disputed" | "payment_link.dispute_closed" | "payment_link.expired" | "payment_link.cancelled";
        /**
         * @description A type of event by which deliveries can be listed.
         * @example payment_link.paid
         * @enum {string}
         */
        FilterableEventType: "payment_link.processing" | "payment_link.paid" | "payment_link.failed" | "payment_link.refunded" | "payment_link.disputed" | "payment_link.dispute_closed" | "payment_link.expired" | "payment_link.cancelled" | "ping";
        /**
         * @description The body of a webhook request, whatever its type: read it as this first. Types that are not known yet have these
         *     properties, too. `KnownWebhookEvent` and its members describe today's types in full.
         */
        WebhookEvent: {
            id: components["schemas"]["EventId"];
            object: components["schemas"]["EventObject"];
            type: components["schemas"]["EventType"];
            test: components["schemas"]["EventTest"];
            createdAt: components["schemas"]["EventCreatedAt"];
            data: components["schemas"]["WebhookEventData"];
        };
        /** @description What the event is about. Its members depend on the type. */
        WebhookEventData: {
            paymentLink?: components["schemas"]["PaymentLink"];
            /** @description The circumstances, or null if there are none. */
            context?: {
                [key: string]: unknown;
            } | null;
        };
        /** @description The body of a webhook request of one of today's types, distinguished by `type`. */
        KnownWebhookEvent: components["schemas"]["PaymentLinkProcessingEvent"] | components["schemas"]["PaymentLinkPaidEvent"] | components["schemas"]["PaymentLinkFailedEvent"] | components["schemas"]["PaymentLinkRefundedEvent"] | components["schemas"]["PaymentLinkDisputedEvent"] | components["schemas"]["PaymentLinkDisputeClosedEvent"] | components["schemas"]["PaymentLinkExpiredEvent"] | components["schemas"]["PaymentLinkCancelledEvent"] | components["schemas"]["PingEvent"];
        /** @description A bank debit was submitted and is settling. */
        PaymentLinkProcessingEvent: {
            id: components["schemas"]["EventId"];
            object: components["schemas"]["EventObject"];
            /**
             * @description Always `payment_link.processing`. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            type: "payment_link.processing";
            test: components["schemas"]["EventTest"];
            createdAt: components["schemas"]["EventCreatedAt"];
            data: components["schemas"]["PaymentLinkProcessingEventData"];
        };
        /** @description The payment link at the moment of the event, and the circumstances. */
        PaymentLinkProcessingEventData: {
            paymentLink: components["schemas"]["PaymentLink"];
            /** @description Null, save for a simulated event. */
            context: components["schemas"]["SimulatedContext"] | null;
        };
        /** @description The money was captured. */
        PaymentLinkPaidEvent: {
            id: components["schemas"]["EventId"];
            object: components["schemas"]["EventObject"];
            /**
             * @description Always `payment_link.paid`. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            type: "payment_link.paid";
            test: components["schemas"]["EventTest"];
            createdAt: components["schemas"]["EventCreatedAt"];
            data: components["schemas"]["PaymentLinkPaidEventData"];
        };
        /** @description The payment link at the moment of the event, and the circumstances. */
        PaymentLinkPaidEventData: {
            paymentLink: components["schemas"]["PaymentLink"];
            /** @description Null, save for a simulated event. */
            context: components["schemas"]["SimulatedContext"] | null;
        };
        /** @description The bank returned a debit. */
        PaymentLinkFailedEvent: {
            id: components["schemas"]["EventId"];
            object: components["schemas"]["EventObject"];
            /**
             * @description Always `payment_link.failed`. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            type: "payment_link.failed";
            test: components["schemas"]["EventTest"];
            createdAt: components["schemas"]["EventCreatedAt"];
            data: components["schemas"]["PaymentLinkFailedEventData"];
        };
        /** @description The payment link at the moment of the event, and the circumstances. */
        PaymentLinkFailedEventData: {
            paymentLink: components["schemas"]["PaymentLink"];
            context: components["schemas"]["FailedContext"];
        };
        /** @description Some or all of the payment was refunded, or the bank reversed it. */
        PaymentLinkRefundedEvent: {
            id: components["schemas"]["EventId"];
            object: components["schemas"]["EventObject"];
            /**
             * @description Always `payment_link.refunded`. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            type: "payment_link.refunded";
            test: components["schemas"]["EventTest"];
            createdAt: components["schemas"]["EventCreatedAt"];
            data: components["schemas"]["PaymentLinkRefundedEventData"];
        };
        /** @description The payment link at the moment of the event, and the circumstances. */
        PaymentLinkRefundedEventData: {
            paymentLink: components["schemas"]["PaymentLink"];
            context: components["schemas"]["RefundedContext"];
        };
        /** @description The patient's bank opened a dispute. */
        PaymentLinkDisputedEvent: {
            id: components["schemas"]["EventId"];
            object: components["schemas"]["EventObject"];
            /**
             * @description Always `payment_link.disputed`. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            type: "payment_link.disputed";
            test: components["schemas"]["EventTest"];
            createdAt: components["schemas"]["EventCreatedAt"];
            data: components["schemas"]["PaymentLinkDisputedEventData"];
        };
        /** @description The payment link at the moment of the event, and the circumstances. */
        PaymentLinkDisputedEventData: {
            paymentLink: components["schemas"]["PaymentLink"];
            context: components["schemas"]["DisputedContext"];
        };
        /** @description A dispute was resolved. */
        PaymentLinkDisputeClosedEvent: {
            id: components["schemas"]["EventId"];
            object: components["schemas"]["EventObject"];
            /**
             * @description Always `payment_link.dispute_closed`. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            type: "payment_link.dispute_closed";
            test: components["schemas"]["EventTest"];
            createdAt: components["schemas"]["EventCreatedAt"];
            data: components["schemas"]["PaymentLinkDisputeClosedEventData"];
        };
        /** @description The payment link at the moment of the event, and the circumstances. */
        PaymentLinkDisputeClosedEventData: {
            paymentLink: components["schemas"]["PaymentLink"];
            context: components["schemas"]["DisputeClosedContext"];
        };
        /** @description A link passed its `expiresAt` unpaid. */
        PaymentLinkExpiredEvent: {
            id: components["schemas"]["EventId"];
            object: components["schemas"]["EventObject"];
            /**
             * @description Always `payment_link.expired`. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            type: "payment_link.expired";
            test: components["schemas"]["EventTest"];
            createdAt: components["schemas"]["EventCreatedAt"];
            data: components["schemas"]["PaymentLinkExpiredEventData"];
        };
        /** @description The payment link at the moment of the event, and the circumstances. */
        PaymentLinkExpiredEventData: {
            paymentLink: components["schemas"]["PaymentLink"];
            context: components["schemas"]["ExpiredContext"];
        };
        /** @description A link was cancelled. */
        PaymentLinkCancelledEvent: {
            id: components["schemas"]["EventId"];
            object: components["schemas"]["EventObject"];
            /**
             * @description Always `payment_link.cancelled`. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            type: "payment_link.cancelled";
            test: components["schemas"]["EventTest"];
            createdAt: components["schemas"]["EventCreatedAt"];
            data: components["schemas"]["PaymentLinkCancelledEventData"];
        };
        /** @description The payment link at the moment of the event, and the circumstances. */
        PaymentLinkCancelledEventData: {
            paymentLink: components["schemas"]["PaymentLink"];
            context: components["schemas"]["CancelledContext"];
        };
        /** @description A test of the endpoint. */
        PingEvent: {
            id: components["schemas"]["EventId"];
            object: components["schemas"]["EventObject"];
            /**
             * @description Always `ping`. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            type: "ping";
            test: components["schemas"]["EventTest"];
            createdAt: components["schemas"]["EventCreatedAt"];
            data: components["schemas"]["PingEventData"];
        };
        /**
         * @description Empty.
         * @example {}
         */
        PingEventData: Record<string, never>;
        /**
         * @description Opaque id of the event, the same on retries, redelivery and replay. Use it to detect duplicates.
         * @example evt_2Wq7yGz5NhC9
         */
        EventId: string;
        /**
         * @description Always `event`.
         * @example event
         * @constant
         */
        EventObject: "event";
        /**
         * @description True for test-mode events.
         * @example false
         */
        EventTest: boolean;
        /**
         * Format: date-time
         * @description When the event happened.
         * @example 2026-11-20T16:21:45.000Z
         */
        EventCreatedAt: string;
        /** @description States that the event was simulated in test mode. */
        SimulatedContext: {
            /**
             * @description Always `simulated`.
             * @example simulated
             * @constant
             */
            triggeredBy: "simulated";
        };
        /** @description Why the payment failed. */
        FailedContext: {
            /**
             * @description Why the bank returned the debit, a machine-readable word in snake_case. Open: other values may come.
             * @example insufficient_funds
             */
            failureReason: string;
            /**
             * @description Present when the event was simulated in test mode, absent otherwise.
             * @example simulated
             * @constant
             */
            triggeredBy?: "simulated";
        };
        /** @description What was refunded. */
        RefundedContext: {
            /**
             * Format: double
             * @description The amount of this refund, in dollars.
             * @example 25
             */
            refundAmount: number;
            /**
             * @description Present when the event was simulated in test mode, absent otherwise.
             * @example simulated
             * @constant
             */
            triggeredBy?: "simulated";
        };
        /** @description What is disputed. */
        DisputedContext: {
            /**
             * @description Why the patient disputes the payment, a machine-readable word in snake_case. Open: other values may come.
             * @example product_not_received
             */
            disputeReason: string;
            /**
             * Format: double
             * @description The disputed amount, in dollars.
             * @example 125.5
             */
            disputeAmount: number;
            /**
             * Format: date-time
             * @description Until when evidence can be handed in, or null if it can not.
             * @example 2026-12-11T23:59:59.000Z
             */
            evidenceDueBy: string | null;
            /**
             * @description Present when the event was simulated in test mode, absent otherwise.
             * @example simulated
             * @constant
             */
            triggeredBy?: "simulated";
        };
        /** @description How the dispute ended. */
        DisputeClosedContext: {
            /**
             * @description `won`: the money stays with the practice. `lost`: it goes back to the patient.
             * @example won
             * @enum {string}
             */
            disputeOutcome: "won" | "lost";
            /**
             * @description Present when the event was simulated in test mode, absent otherwise.
             * @example simulated
             * @constant
             */
            triggeredBy?: "simulated";
        };
        /** @description What made the link expire. */
        ExpiredContext: {
            /**
             * @description `system`: time. `simulated`: the simulate operation in test mode. Open: other values may come.
             * @example system
             * @enum {string}
             */
            triggeredBy: "system" | "simulated";
        };
        /** @description Who cancelled the link. */
        CancelledContext: {
            /**
             * @description `api`: a request to this interface. `staff`: the office. Open: other values may come.
             * @example api
             * @enum {string}
             */
            triggeredBy: "api" | "staff";
        };
        /**
         * @description Opaque id of a location.
         * @example loc_6Hc3mPd9KfQ2
         */
        LocationId: string;
        /**
         * @description Opaque id of a payment link.
         * @example plink_4Rk8sTq2VnX7
         */
        PaymentLinkId: string;
        /**
         * @description Opaque id of a webhook endpoint.
         * @example we_8Jn5vLx1RtB4
         */
        WebhookEndpointId: string;
        /**
         * @description Always `list`.
         * @example list
         * @constant
         */
        ListObject: "list";
        /**
         * Format: int32
         * @description The number of this page, counted from 1.
         * @example 1
         */
        PageNumber: number;
        /**
         * Format: int32
         * @description How many items a page has at most.
         * @example 50
         */
        PageLength: number;
        /**
         * Format: int64
         * @description How many items there are on all pages.
         * @example 1
         */
        TotalCount: number;
        /**
         * @description Whether there are items behind this page.
         * @example false
         */
        HasMore: boolean;
        /** @description The body of every response outside 2xx. */
        ApiError: {
            error: components["schemas"]["ApiErrorDetails"];
        };
        /** @description What went wrong. */
        ApiErrorDetails: {
            code: components["schemas"]["ErrorCode"];
            /**
             * @description An explanation for people. It may be reworded at any time.
             * @example The amount must be at most 999999.99.
             */
            message: string;
            /**
             * @description The field, query parameter or header at fault, with a path for fields inside objects
             *     (`patient.phone`), or null if there is none in particular.
             * @example amount
             */
            param: string | null;
            /**
             * @description Names the request, the same as the `Request-Id` header.
             * @example req_5Tn8cVq3Lw7Z
             */
            requestId: string | null;
        };
        /**
         * @description What went wrong, stable and machine-readable. Open: other codes may come; treat one you do not know by the HTTP
         *     status.
         * @example validation_error
         * @enum {string}
         */
        ErrorCode: "validation_error" | "unknown_parameter" | "idempotency_key_required" | "invalid_api_key" | "api_access_disabled" | "insufficient_scope" | "test_mode_only" | "not_found" | "method_not_allowed" | "request_timeout" | "link_not_active" | "payment_state_conflict" | "payments_not_enabled" | "no_active_location" | "limit_reached" | "endpoint_disabled" | "idempotency_key_in_flight" | "payload_too_large" | "unsupported_media_type" | "idempotency_key_reused" | "rate_limited" | "daily_limit_reached" | "replay_cooldown" | "headers_too_large" | "internal_error" | "webhooks_unavailable" | "service_unavailable";
    };
    responses: {
        /** @description The request is malformed, or a field is missing, repeated, out of range or unknown. `param` names it. */
        InvalidRequest: {
            headers: {
                "Request-Id": components["headers"]["RequestId"];
                "RateLimit-Limit": components["headers"]["RateLimitLimit"];
                "RateLimit-Remaining": components["headers"]["RateLimitRemaining"];
                "RateLimit-Reset": components["headers"]["RateLimitReset"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ApiError"];
            };
        };
        /**
         * @description The request is malformed, a field is missing, repeated, out of range or unknown (`param` names it), or there is no
         *     `Idempotency-Key`.
         */
        InvalidCreateRequest: {
            headers: {
                "Request-Id": components["headers"]["RequestId"];
                "RateLimit-Limit": components["headers"]["RateLimitLimit"];
                "RateLimit-Remaining": components["headers"]["RateLimitRemaining"];
                "RateLimit-Reset": components["headers"]["RateLimitReset"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ApiError"];
            };
        };
        /** @description The body is malformed or has properties, though none are known, or the query has parameters. `param` names them. */
        InvalidEmptyRequest: {
            headers: {
                "Request-Id": components["headers"]["RequestId"];
                "RateLimit-Limit": components["headers"]["RateLimitLimit"];
                "RateLimit-Remaining": components["headers"]["RateLimitRemaining"];
                "RateLimit-Reset": components["headers"]["RateLimitReset"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ApiError"];
            };
        };
        /** @description A query parameter is malformed, out of range, repeated or unknown. `param` names it. */
        InvalidQuery: {
            headers: {
                "Request-Id": components["headers"]["RequestId"];
                "RateLimit-Limit": components["headers"]["RateLimitLimit"];
                "RateLimit-Remaining": components["headers"]["RateLimitRemaining"];
                "RateLimit-Reset": components["headers"]["RateLimitReset"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ApiError"];
            };
        };
        /** @description The query has a parameter, but the operation knows none. `param` names it. */
        UnknownQueryParameter: {
            headers: {
                "Request-Id": components["headers"]["RequestId"];
                "RateLimit-Limit": components["headers"]["RateLimitLimit"];
                "RateLimit-Remaining": components["headers"]["RateLimitRemaining"];
                "RateLimit-Reset": components["headers"]["RateLimitReset"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ApiError"];
            };
        };
        /** @description The API key is missing, malformed, unknown, revoked or expired. */
        Unauthorized: {
            headers: {
                "Request-Id": components["headers"]["RequestId"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ApiError"];
            };
        };
        /** @description The key lacks the scope of the operation, or the practice's access to this interface is switched off. */
        Forbidden: {
            headers: {
                "Request-Id": components["headers"]["RequestId"];
                "RateLimit-Limit": components["headers"]["RateLimitLimitIfKnown"];
                "RateLimit-Remaining": components["headers"]["RateLimitRemainingIfKnown"];
                "RateLimit-Reset": components["headers"]["RateLimitResetIfKnown"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ApiError"];
            };
        };
        /**
         * @description The key is a live key or lacks the scope of the operation, or the practice's access to this interface is
         *     switched off.
         */
        ForbiddenOrTestModeOnly: {
            headers: {
                "Request-Id": components["headers"]["RequestId"];
                "RateLimit-Limit": components["headers"]["RateLimitLimitIfKnown"];
                "RateLimit-Remaining": components["headers"]["RateLimitRemainingIfKnown"];
                "RateLimit-Reset": components["headers"]["RateLimitResetIfKnown"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ApiError"];
            };
        };
        /** @description The practice's access to this interface is switched off. */
        ApiAccessDisabled: {
            headers: {
                "Request-Id": components["headers"]["RequestId"];
                "RateLimit-Limit": components["headers"]["RateLimitLimitIfKnown"];
                "RateLimit-Remaining": components["headers"]["RateLimitRemainingIfKnown"];
                "RateLimit-Reset": components["headers"]["RateLimitResetIfKnown"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ApiError"];
            };
        };
        /** @description There is no such resource in this practice and mode, or it is outside the key's location. */
        NotFound: {
            headers: {
                "Request-Id": components["headers"]["RequestId"];
                "RateLimit-Limit": components["headers"]["RateLimitLimit"];
                "RateLimit-Remaining": components["headers"]["RateLimitRemaining"];
                "RateLimit-Reset": components["headers"]["RateLimitReset"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ApiError"];
            };
        };
        /** @description The location named by `locationId` does not exist in this practice, was deactivated, or is not the key's. */
        LocationNotFound: {
            headers: {
                "Request-Id": components["headers"]["RequestId"];
                "RateLimit-Limit": components["headers"]["RateLimitLimit"];
                "RateLimit-Remaining": components["headers"]["RateLimitRemaining"];
                "RateLimit-Reset": components["headers"]["RateLimitReset"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ApiError"];
            };
        };
        /** @description The payment link's status does not allow this. */
        LinkNotActive: {
            headers: {
                "Request-Id": components["headers"]["RequestId"];
                "RateLimit-Limit": components["headers"]["RateLimitLimit"];
                "RateLimit-Remaining": components["headers"]["RateLimitRemaining"];
                "RateLimit-Reset": components["headers"]["RateLimitReset"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ApiError"];
            };
        };
        /**
         * @description The state of the link's payment, or of its dispute, does not allow this, or a request with this idempotency key is
         *     still being processed (then, and only then, the same request may be tried again shortly).
         */
        PaymentStateConflict: {
            headers: {
                "Request-Id": components["headers"]["RequestId"];
                "RateLimit-Limit": components["headers"]["RateLimitLimit"];
                "RateLimit-Remaining": components["headers"]["RateLimitRemaining"];
                "RateLimit-Reset": components["headers"]["RateLimitReset"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ApiError"];
            };
        };
        /**
         * @description The practice is not ready for payments, or a request with this idempotency key is still being processed (then,
         *     and only then, the same request may be tried again shortly).
         */
        CreateConflict: {
            headers: {
                "Request-Id": components["headers"]["RequestId"];
                "RateLimit-Limit": components["headers"]["RateLimitLimit"];
                "RateLimit-Remaining": components["headers"]["RateLimitRemaining"];
                "RateLimit-Reset": components["headers"]["RateLimitReset"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ApiError"];
            };
        };
        /**
         * @description The practice has ten webhook endpoints in this mode already, or a request with this idempotency key is still being
         *     processed (then, and only then, the same request may be tried again shortly).
         */
        CreateEndpointConflict: {
            headers: {
                "Request-Id": components["headers"]["RequestId"];
                "RateLimit-Limit": components["headers"]["RateLimitLimit"];
                "RateLimit-Remaining": components["headers"]["RateLimitRemaining"];
                "RateLimit-Reset": components["headers"]["RateLimitReset"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ApiError"];
            };
        };
        /** @description A request with this idempotency key is still being processed. The same request may be tried again shortly. */
        IdempotencyKeyInFlight: {
            headers: {
                "Request-Id": components["headers"]["RequestId"];
                "RateLimit-Limit": components["headers"]["RateLimitLimit"];
                "RateLimit-Remaining": components["headers"]["RateLimitRemaining"];
                "RateLimit-Reset": components["headers"]["RateLimitReset"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ApiError"];
            };
        };
        /** @description The webhook endpoint is disabled. Enable it first. */
        EndpointDisabled: {
            headers: {
                "Request-Id": components["headers"]["RequestId"];
                "RateLimit-Limit": components["headers"]["RateLimitLimit"];
                "RateLimit-Remaining": components["headers"]["RateLimitRemaining"];
                "RateLimit-Reset": components["headers"]["RateLimitReset"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ApiError"];
            };
        };
        /** @description The request body is over 64 KB. */
        PayloadTooLarge: {
            headers: {
                "Request-Id": components["headers"]["RequestId"];
                "RateLimit-Limit": components["headers"]["RateLimitLimit"];
                "RateLimit-Remaining": components["headers"]["RateLimitRemaining"];
                "RateLimit-Reset": components["headers"]["RateLimitReset"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ApiError"];
            };
        };
        /**
         * @description The body is neither `application/json`, `text/json` nor `application/*+json`, or its content encoding is
         *     unknown.
         */
        UnsupportedMediaType: {
            headers: {
                "Request-Id": components["headers"]["RequestId"];
                "RateLimit-Limit": components["headers"]["RateLimitLimit"];
                "RateLimit-Remaining": components["headers"]["RateLimitRemaining"];
                "RateLimit-Reset": components["headers"]["RateLimitReset"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ApiError"];
            };
        };
        /** @description The idempotency key was used before with a different body. */
        IdempotencyKeyReused: {
            headers: {
                "Request-Id": components["headers"]["RequestId"];
                "RateLimit-Limit": components["headers"]["RateLimitLimit"];
                "RateLimit-Remaining": components["headers"]["RateLimitRemaining"];
                "RateLimit-Reset": components["headers"]["RateLimitReset"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ApiError"];
            };
        };
        /** @description Too many requests by this key or from this address. */
        TooManyRequests: {
            headers: {
                "Request-Id": components["headers"]["RequestId"];
                "RateLimit-Limit": components["headers"]["RateLimitLimitIfKnown"];
                "RateLimit-Remaining": components["headers"]["RateLimitRemainingIfKnown"];
                "RateLimit-Reset": components["headers"]["RateLimitResetIfKnown"];
                "Retry-After": components["headers"]["RetryAfter"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ApiError"];
            };
        };
        /**
         * @description Too many requests by this key or from this address, or the key created its 5,000 links of this UTC day; that
         *     limit is reset at 00:00 UTC.
         */
        TooManyCreates: {
            headers: {
                "Request-Id": components["headers"]["RequestId"];
                "RateLimit-Limit": components["headers"]["RateLimitLimitIfKnown"];
                "RateLimit-Remaining": components["headers"]["RateLimitRemainingIfKnown"];
                "RateLimit-Reset": components["headers"]["RateLimitResetIfKnown"];
                "Retry-After": components["headers"]["RetryAfter"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ApiError"];
            };
        };
        /** @description Too many requests by this key or from this address, or the endpoint was replayed less than ten minutes ago. */
        TooManyReplays: {
            headers: {
                "Request-Id": components["headers"]["RequestId"];
                "RateLimit-Limit": components["headers"]["RateLimitLimitIfKnown"];
                "RateLimit-Remaining": components["headers"]["RateLimitRemainingIfKnown"];
                "RateLimit-Reset": components["headers"]["RateLimitResetIfKnown"];
                "Retry-After": components["headers"]["RetryAfter"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ApiError"];
            };
        };
        /** @description The headers did not arrive within 10 seconds, or the whole request not within 30. Nothing was changed. */
        RequestTimeout: {
            headers: {
                "Request-Id": components["headers"]["RequestId"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ApiError"];
            };
        };
        /** @description The request line and headers together are over 16 KB. The key was not read. */
        HeadersTooLarge: {
            headers: {
                "Request-Id": components["headers"]["RequestId"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ApiError"];
            };
        };
        /** @description A fault of the service. Nothing was changed. Back off and try again. */
        InternalError: {
            headers: {
                "Request-Id": components["headers"]["RequestId"];
                "RateLimit-Limit": components["headers"]["RateLimitLimitIfKnown"];
                "RateLimit-Remaining": components["headers"]["RateLimitRemainingIfKnown"];
                "RateLimit-Reset": components["headers"]["RateLimitResetIfKnown"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ApiError"];
            };
        };
        /**
         * @description The service is temporarily unavailable. Back off and try again. A change may have been made or not: repeat it
         *     with the same `Idempotency-Key` where the operation takes one, and read the resource first where it does not.
         */
        ServiceUnavailable: {
            headers: {
                "Request-Id": components["headers"]["RequestId"];
                "RateLimit-Limit": components["headers"]["RateLimitLimitIfKnown"];
                "RateLimit-Remaining": components["headers"]["RateLimitRemainingIfKnown"];
                "RateLimit-Reset": components["headers"]["RateLimitResetIfKnown"];
                "Retry-After": components["headers"]["RetryAfter"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ApiError"];
            };
        };
        /**
         * @description Webhook signing, which also protects remembered answers, or the whole service is temporarily unavailable. Back off
         *     and try again.
         */
        WebhooksUnavailable: {
            headers: {
                "Request-Id": components["headers"]["RequestId"];
                "RateLimit-Limit": components["headers"]["RateLimitLimitIfKnown"];
                "RateLimit-Remaining": components["headers"]["RateLimitRemainingIfKnown"];
                "RateLimit-Reset": components["headers"]["RateLimitResetIfKnown"];
                "Retry-After": components["headers"]["RetryAfter"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ApiError"];
            };
        };
        /** @description The event counts as delivered. Any 2xx status within 10 seconds will do; the body is ignored. */
        EventAccepted: {
            headers: {
                [name: string]: unknown;
            };
            content?: never;
        };
        /** @description The attempt failed and the event is sent again later, up to eight attempts in all. */
        EventRefused: {
            headers: {
                [name: string]: unknown;
            };
            content?: never;
        };
    };
    parameters: {
        /**
         * @description The page to return, counted from 1.
         * @example 1
         */
        Page: number;
        /**
         * @description How many items a page has at most.
         * @example 50
         */
        PageSize: number;
        /**
         * @description A string of your choice that names this creation, up to 200 characters. It is remembered for 24 hours, for the
         *     API key that sent it. A request without it is answered with `400 idempotency_key_required`.
         * @example invoice-10432
         */
        IdempotencyKey: string;
        /**
         * @description A string of your choice that names this request, up to 200 characters. It is remembered for 24 hours, for the API
         *     key that sent it. The same request with the same key gets the first answer again, byte for byte, with its secret.
         *     Without a key a repetition is a request of its own.
         * @example attempt-2026-11-20-1
         */
        OptionalIdempotencyKey: string;
        /**
         * @description The id of a location.
         * @example loc_6Hc3mPd9KfQ2
         */
        LocationInPath: string;
        /**
         * @description The id of a payment link.
         * @example plink_4Rk8sTq2VnX7
         */
        PaymentLinkInPath: string;
        /**
         * @description The id of a webhook endpoint.
         * @example we_8Jn5vLx1RtB4
         */
        WebhookEndpointInPath: string;
        /**
         * @description The id of the event, which addresses its delivery.
         * @example evt_2Wq7yGz5NhC9
         */
        DeliveryInPath: string;
        /**
         * @description States that the request comes from this service.
         * @example Service-Webhooks/1.0
         */
        DeliveryUserAgent: string;
        /**
         * @description The id of the event, the same as `id` in the body, and the same on retries, redelivery and replay.
         * @example evt_2Wq7yGz5NhC9
         */
        DeliveryEventId: components["schemas"]["EventId"];
        /**
         * @description The type of the event, the same as `type` in the body.
         * @example payment_link.paid
         */
        DeliveryEventType: components["schemas"]["EventType"];
        /**
         * @description `t=<unix seconds>,v1=<hex>` with one `v1` value, or two within 24 hours of a rotation of the secret (the new
         *     secret's first). Each is the lower-case hexadecimal HMAC-SHA256, keyed with the endpoint's `secret`, of
         *     `<t>.<raw body>`. Made afresh for each attempt. See *Webhook events* for the verification.
         * @example t=1795187106,v1=5257a869e7ecebeda32affa62cdca3fa51cad7e77a0e56ff536d0ce8e108d8bd
         */
        DeliverySignature: string;
    };
    requestBodies: never;
    headers: {
        /**
         * @description Names this request. Equal to `error.requestId` of an error. Quote it when you ask for help.
         * @example req_5Tn8cVq3Lw7Z
         */
        RequestId: string;
        /**
         * @description How many requests per minute the key may make.
         * @example 120
         */
        RateLimitLimit: number;
        /**
         * @description How many more requests the key may make at this moment.
         * @example 117
         */
        RateLimitRemaining: number;
        /**
         * @description Whole seconds until the oldest request counted at this moment leaves the sliding window, so that
         *     `RateLimit-Remaining` grows.
         * @example 42
         */
        RateLimitReset: number;
        /**
         * @description How many requests per minute the key may make. Present if the key was recognized.
         * @example 120
         */
        RateLimitLimitIfKnown: number;
        /**
         * @description How many more requests the key may make at this moment. Present if the key was recognized.
         * @example 0
         */
        RateLimitRemainingIfKnown: number;
        /**
         * @description Whole seconds until the oldest request counted at this moment leaves the sliding window, so that
         *     `RateLimit-Remaining` grows. Present if the key was recognized.
         * @example 42
         */
        RateLimitResetIfKnown: number;
        /**
         * @description Whole seconds to wait before the next request.
         * @example 42
         */
        RetryAfter: number;
        /**
         * @description `true` when the response is that of an earlier, identical request. Absent otherwise.
         * @example true
         */
        IdempotencyReplayed: "true";
    };
    pathItems: never;
}
export type Location = components['schemas']['Location'];
export type LocationList = components['schemas']['LocationList'];
export type LocationReference = components['schemas']['LocationReference'];
export type PaymentLink = components['schemas']['PaymentLink'];
export type PaymentLinkStatus = components['schemas']['PaymentLinkStatus'];
export type PaymentLinkList = components['schemas']['PaymentLinkList'];
export type Patient = components['schemas']['Patient'];
export type Transaction = components['schemas']['Transaction'];
export type Refund = components['schemas']['Refund'];
export type CreatePaymentLinkRequest = components['schemas']['CreatePaymentLinkRequest'];
export type CreatePaymentLinkPatient = components['schemas']['CreatePaymentLinkPatient'];
export type UpdatePaymentLinkRequest = components['schemas']['UpdatePaymentLinkRequest'];
export type UpdatePaymentLinkPatient = components['schemas']['UpdatePaymentLinkPatient'];
export type SimulatePaymentLinkRequest = components['schemas']['SimulatePaymentLinkRequest'];
export type SimulateRefundRequest = components['schemas']['SimulateRefundRequest'];
export type SimulatedRefundOutcome = components['schemas']['SimulatedRefundOutcome'];
export type SimulateDisputeRequest = components['schemas']['SimulateDisputeRequest'];
export type SimulateDisputeClosingRequest = components['schemas']['SimulateDisputeClosingRequest'];
export type WebhookEndpoint = components['schemas']['WebhookEndpoint'];
export type WebhookEndpointWithSecret = components['schemas']['WebhookEndpointWithSecret'];
export type WebhookEndpointList = components['schemas']['WebhookEndpointList'];
export type CreateWebhookEndpointRequest = components['schemas']['CreateWebhookEndpointRequest'];
export type UpdateWebhookEndpointRequest = components['schemas']['UpdateWebhookEndpointRequest'];
export type ReplayWebhookEndpointRequest = components['schemas']['ReplayWebhookEndpointRequest'];
export type WebhookReplay = components['schemas']['WebhookReplay'];
export type WebhookDelivery = components['schemas']['WebhookDelivery'];
export type WebhookDeliveryStatus = components['schemas']['WebhookDeliveryStatus'];
export type WebhookDeliveryDetail = components['schemas']['WebhookDeliveryDetail'];
export type WebhookAttempt = components['schemas']['WebhookAttempt'];
export type WebhookAttemptError = components['schemas']['WebhookAttemptError'];
export type WebhookDeliveryList = components['schemas']['WebhookDeliveryList'];
export type TestEvent = components['schemas']['TestEvent'];
export type TestEventList = components['schemas']['TestEventList'];
export type EventType = components['schemas']['EventType'];
export type PaymentLinkEventType = components['schemas']['PaymentLinkEventType'];
export type SelectableEventType = components['schemas']['SelectableEventType'];
export type FilterableEventType = components['schemas']['FilterableEventType'];
export type WebhookEvent = components['schemas']['WebhookEvent'];
export type WebhookEventData = components['schemas']['WebhookEventData'];
export type KnownWebhookEvent = components['schemas']['KnownWebhookEvent'];
export type PaymentLinkProcessingEvent = components['schemas']['PaymentLinkProcessingEvent'];
export type PaymentLinkProcessingEventData = components['schemas']['PaymentLinkProcessingEventData'];
export type PaymentLinkPaidEvent = components['schemas']['PaymentLinkPaidEvent'];
export type PaymentLinkPaidEventData = components['schemas']['PaymentLinkPaidEventData'];
export type PaymentLinkFailedEvent = components['schemas']['PaymentLinkFailedEvent'];
export type PaymentLinkFailedEventData = components['schemas']['PaymentLinkFailedEventData'];
export type PaymentLinkRefundedEvent = components['schemas']['PaymentLinkRefundedEvent'];
export type PaymentLinkRefundedEventData = components['schemas']['PaymentLinkRefundedEventData'];
export type PaymentLinkDisputedEvent = components['schemas']['PaymentLinkDisputedEvent'];
export type PaymentLinkDisputedEventData = components['schemas']['PaymentLinkDisputedEventData'];
export type PaymentLinkDisputeClosedEvent = components['schemas']['PaymentLinkDisputeClosedEvent'];
export type PaymentLinkDisputeClosedEventData = components['schemas']['PaymentLinkDisputeClosedEventData'];
export type PaymentLinkExpiredEvent = components['schemas']['PaymentLinkExpiredEvent'];
export type PaymentLinkExpiredEventData = components['schemas']['PaymentLinkExpiredEventData'];
export type PaymentLinkCancelledEvent = components['schemas']['PaymentLinkCancelledEvent'];
export type PaymentLinkCancelledEventData = components['schemas']['PaymentLinkCancelledEventData'];
export type PingEvent = components['schemas']['PingEvent'];
export type PingEventData = components['schemas']['PingEventData'];
export type EventId = components['schemas']['EventId'];
export type EventObject = components['schemas']['EventObject'];
export type EventTest = components['schemas']['EventTest'];
export type EventCreatedAt = components['schemas']['EventCreatedAt'];
export type SimulatedContext = components['schemas']['SimulatedContext'];
export type FailedContext = components['schemas']['FailedContext'];
export type RefundedContext = components['schemas']['RefundedContext'];
export type DisputedContext = components['schemas']['DisputedContext'];
export type DisputeClosedContext = components['schemas']['DisputeClosedContext'];
export type ExpiredContext = components['schemas']['ExpiredContext'];
export type CancelledContext = components['schemas']['CancelledContext'];
export type LocationId = components['schemas']['LocationId'];
export type PaymentLinkId = components['schemas']['PaymentLinkId'];
export type WebhookEndpointId = components['schemas']['WebhookEndpointId'];
export type ListObject = components['schemas']['ListObject'];
export type PageNumber = components['schemas']['PageNumber'];
export type PageLength = components['schemas']['PageLength'];
export type TotalCount = components['schemas']['TotalCount'];
export type HasMore = components['schemas']['HasMore'];
export type ApiError = components['schemas']['ApiError'];
export type ApiErrorDetails = components['schemas']['ApiErrorDetails'];
export type ErrorCode = components['schemas']['ErrorCode'];
export type ResponseInvalidRequest = components['responses']['InvalidRequest'];
export type ResponseInvalidCreateRequest = components['responses']['InvalidCreateRequest'];
export type ResponseInvalidEmptyRequest = components['responses']['InvalidEmptyRequest'];
export type ResponseInvalidQuery = components['responses']['InvalidQuery'];
export type ResponseUnknownQueryParameter = components['responses']['UnknownQueryParameter'];
export type ResponseUnauthorized = components['responses']['Unauthorized'];
export type ResponseForbidden = components['responses']['Forbidden'];
export type ResponseForbiddenOrTestModeOnly = components['responses']['ForbiddenOrTestModeOnly'];
export type ResponseApiAccessDisabled = components['responses']['ApiAccessDisabled'];
export type ResponseNotFound = components['responses']['NotFound'];
export type ResponseLocationNotFound = components['responses']['LocationNotFound'];
export type ResponseLinkNotActive = components['responses']['LinkNotActive'];
export type ResponsePaymentStateConflict = components['responses']['PaymentStateConflict'];
export type ResponseCreateConflict = components['responses']['CreateConflict'];
export type ResponseCreateEndpointConflict = components['responses']['CreateEndpointConflict'];
export type ResponseIdempotencyKeyInFlight = components['responses']['IdempotencyKeyInFlight'];
export type ResponseEndpointDisabled = components['responses']['EndpointDisabled'];
export type ResponsePayloadTooLarge = components['responses']['PayloadTooLarge'];
export type ResponseUnsupportedMediaType = components['responses']['UnsupportedMediaType'];
export type ResponseIdempotencyKeyReused = components['responses']['IdempotencyKeyReused'];
export type ResponseTooManyRequests = components['responses']['TooManyRequests'];
export type ResponseTooManyCreates = components['responses']['TooManyCreates'];
export type ResponseTooManyReplays = components['responses']['TooManyReplays'];
export type ResponseRequestTimeout = components['responses']['RequestTimeout'];
export type ResponseHeadersTooLarge = components['responses']['HeadersTooLarge'];
export type ResponseInternalError = components['responses']['InternalError'];
export type ResponseServiceUnavailable = components['responses']['ServiceUnavailable'];
export type ResponseWebhooksUnavailable = components['responses']['WebhooksUnavailable'];
export type ResponseEventAccepted = components['responses']['EventAccepted'];
export type ResponseEventRefused = components['responses']['EventRefused'];
export type ParameterPage = components['parameters']['Page'];
export type ParameterPageSize = components['parameters']['PageSize'];
export type ParameterIdempotencyKey = components['parameters']['IdempotencyKey'];
export type ParameterOptionalIdempotencyKey = components['parameters']['OptionalIdempotencyKey'];
export type ParameterLocationInPath = components['parameters']['LocationInPath'];
export type ParameterPaymentLinkInPath = components['parameters']['PaymentLinkInPath'];
export type ParameterWebhookEndpointInPath = components['parameters']['WebhookEndpointInPath'];
export type ParameterDeliveryInPath = components['parameters']['DeliveryInPath'];
export type ParameterDeliveryUserAgent = components['parameters']['DeliveryUserAgent'];
export type ParameterDeliveryEventId = components['parameters']['DeliveryEventId'];
export type ParameterDeliveryEventType = components['parameters']['DeliveryEventType'];
export type ParameterDeliverySignature = components['parameters']['DeliverySignature'];
export type HeaderRequestId = components['headers']['RequestId'];
export type HeaderRateLimitLimit = components['headers']['RateLimitLimit'];
export type HeaderRateLimitRemaining = components['headers']['RateLimitRemaining'];
export type HeaderRateLimitReset = components['headers']['RateLimitReset'];
export type HeaderRateLimitLimitIfKnown = components['headers']['RateLimitLimitIfKnown'];
export type HeaderRateLimitRemainingIfKnown = components['headers']['RateLimitRemainingIfKnown'];
export type HeaderRateLimitResetIfKnown = components['headers']['RateLimitResetIfKnown'];
export type HeaderRetryAfter = components['headers']['RetryAfter'];
export type HeaderIdempotencyReplayed = components['headers']['IdempotencyReplayed'];
export type $defs = Record<string, never>;
export interface operations {
    listLocations: {
        parameters: {
            query?: {
                /**
                 * @description The page to return, counted from 1.
                 * @example 1
                 */
                page?: components["parameters"]["Page"];
                /**
                 * @description How many items a page has at most.
                 * @example 50
                 */
                pageSize?: components["parameters"]["PageSize"];
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description One page of locations. */
            200: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Limit": components["headers"]["RateLimitLimit"];
                    "RateLimit-Remaining": components["headers"]["RateLimitRemaining"];
                    "RateLimit-Reset": components["headers"]["RateLimitReset"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "object": "list",
                     *       "data": [
                     *         {
                     *           "id": "loc_6Hc3mPd9KfQ2",
                     *           "object": "location",
                     *           "name": "Harbor Dental, Downtown",
                     *           "city": "Portland",
                     *           "state": "OR",
                     *           "timeZone": "America/Los_Angeles"
                     *         },
                     *         {
                     *           "id": "loc_9Xb4wRk7TsJ5",
                     *           "object": "location",
                     *           "name": "Harbor Dental, Eastside",
                     *           "city": "Gresham",
                     *           "state": "OR",
                     *           "timeZone": "America/Los_Angeles"
                     *         }
                     *       ],
                     *       "page": 1,
                     *       "pageSize": 50,
                     *       "totalCount": 2,
                     *       "hasMore": false
                     *     }
                     */
                    "application/json": components["schemas"]["LocationList"];
                };
            };
            400: components["responses"]["InvalidQuery"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["ApiAccessDisabled"];
            408: components["responses"]["RequestTimeout"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    getLocation: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The id of a location.
                 * @example loc_6Hc3mPd9KfQ2
                 */
                id: components["parameters"]["LocationInPath"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The location. */
            200: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Limit": components["headers"]["RateLimitLimit"];
                    "RateLimit-Remaining": components["headers"]["RateLimitRemaining"];
                    "RateLimit-Reset": components["headers"]["RateLimitReset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Location"];
                };
            };
            400: components["responses"]["UnknownQueryParameter"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["ApiAccessDisabled"];
            404: components["responses"]["NotFound"];
            408: components["responses"]["RequestTimeout"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    listPaymentLinks: {
        parameters: {
            query?: {
                /**
                 * @description Only links with this status.
                 * @example paid
                 */
                status?: components["schemas"]["PaymentLinkStatus"];
                /**
                 * @description Only links with exactly this external reference.
                 * @example invoice-10432
                 */
                externalReference?: string;
                /**
                 * @description Only links of this location. An unknown location gives an empty list.
                 * @example loc_6Hc3mPd9KfQ2
                 */
                locationId?: string;
                /**
                 * @description Only links created at or after this time.
                 * @example 2026-11-01T00:00:00Z
                 */
                createdAfter?: string;
                /**
                 * @description Only links created before this time.
                 * @example 2026-12-01T00:00:00Z
                 */
                createdBefore?: string;
                /**
                 * @description Only links paid at or after this time.
                 * @example 2026-11-20T00:00:00Z
                 */
                paidAfter?: string;
                /**
                 * @description The page to return, counted from 1.
                 * @example 1
                 */
                page?: components["parameters"]["Page"];
                /**
                 * @description How many items a page has at most.
                 * @example 50
                 */
                pageSize?: components["parameters"]["PageSize"];
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description One page of payment links. */
            200: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Limit": components["headers"]["RateLimitLimit"];
                    "RateLimit-Remaining": components["headers"]["RateLimitRemaining"];
                    "RateLimit-Reset": components["headers"]["RateLimitReset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PaymentLinkList"];
                };
            };
            400: components["responses"]["InvalidQuery"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            408: components["responses"]["RequestTimeout"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    createPaymentLink: {
        parameters: {
            query?: never;
            header: {
                /**
                 * @description A string of your choice that names this creation, up to 200 characters. It is remembered for 24 hours, for the
                 *     API key that sent it. A request without it is answered with `400 idempotency_key_required`.
                 * @example invoice-10432
                 */
                "Idempotency-Key": components["parameters"]["IdempotencyKey"];
            };
            path?: never;
            cookie?: never;
        };
        /** @description The link to create. Optional fields may be left out or null. */
        requestBody: {
            content: {
                "application/json": components["schemas"]["CreatePaymentLinkRequest"];
            };
        };
        responses: {
            /**
             * @description The link was created, or had been created by an earlier request with the same idempotency key and body; then
             *     the response is that request's, byte for byte, with `Idempotency-Replayed: true`.
             */
            201: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Limit": components["headers"]["RateLimitLimit"];
                    "RateLimit-Remaining": components["headers"]["RateLimitRemaining"];
                    "RateLimit-Reset": components["headers"]["RateLimitReset"];
                    "Idempotency-Replayed": components["headers"]["IdempotencyReplayed"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PaymentLink"];
                };
            };
            400: components["responses"]["InvalidCreateRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["LocationNotFound"];
            408: components["responses"]["RequestTimeout"];
            409: components["responses"]["CreateConflict"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["IdempotencyKeyReused"];
            429: components["responses"]["TooManyCreates"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    getPaymentLink: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The id of a payment link.
                 * @example plink_4Rk8sTq2VnX7
                 */
                id: components["parameters"]["PaymentLinkInPath"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The payment link. */
            200: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Limit": components["headers"]["RateLimitLimit"];
                    "RateLimit-Remaining": components["headers"]["RateLimitRemaining"];
                    "RateLimit-Reset": components["headers"]["RateLimitReset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PaymentLink"];
                };
            };
            400: components["responses"]["UnknownQueryParameter"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            408: components["responses"]["RequestTimeout"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    updatePaymentLink: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The id of a payment link.
                 * @example plink_4Rk8sTq2VnX7
                 */
                id: components["parameters"]["PaymentLinkInPath"];
            };
            cookie?: never;
        };
        /** @description The fields to change. */
        requestBody: {
            content: {
                "application/json": components["schemas"]["UpdatePaymentLinkRequest"];
            };
        };
        responses: {
            /** @description The payment link after the change. */
            200: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Limit": components["headers"]["RateLimitLimit"];
                    "RateLimit-Remaining": components["headers"]["RateLimitRemaining"];
                    "RateLimit-Reset": components["headers"]["RateLimitReset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PaymentLink"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            408: components["responses"]["RequestTimeout"];
            409: components["responses"]["LinkNotActive"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    cancelPaymentLink: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The id of a payment link.
                 * @example plink_4Rk8sTq2VnX7
                 */
                id: components["parameters"]["PaymentLinkInPath"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The cancelled payment link. */
            200: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Limit": components["headers"]["RateLimitLimit"];
                    "RateLimit-Remaining": components["headers"]["RateLimitRemaining"];
                    "RateLimit-Reset": components["headers"]["RateLimitReset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PaymentLink"];
                };
            };
            400: components["responses"]["InvalidEmptyRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            408: components["responses"]["RequestTimeout"];
            409: components["responses"]["LinkNotActive"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    simulatePaymentLink: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The id of a payment link.
                 * @example plink_4Rk8sTq2VnX7
                 */
                id: components["parameters"]["PaymentLinkInPath"];
            };
            cookie?: never;
        };
        /** @description What should happen to the link. */
        requestBody: {
            content: {
                "application/json": components["schemas"]["SimulatePaymentLinkRequest"];
            };
        };
        responses: {
            /** @description The payment link after the simulation. */
            200: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Limit": components["headers"]["RateLimitLimit"];
                    "RateLimit-Remaining": components["headers"]["RateLimitRemaining"];
                    "RateLimit-Reset": components["headers"]["RateLimitReset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PaymentLink"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["ForbiddenOrTestModeOnly"];
            404: components["responses"]["NotFound"];
            408: components["responses"]["RequestTimeout"];
            409: components["responses"]["LinkNotActive"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    simulateRefund: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description A string of your choice that names this request, up to 200 characters. It is remembered for 24 hours, for the API
                 *     key that sent it. The same request with the same key gets the first answer again, byte for byte, with its secret.
                 *     Without a key a repetition is a request of its own.
                 * @example attempt-2026-11-20-1
                 */
                "Idempotency-Key"?: components["parameters"]["OptionalIdempotencyKey"];
            };
            path: {
                /**
                 * @description The id of a payment link.
                 * @example plink_4Rk8sTq2VnX7
                 */
                id: components["parameters"]["PaymentLinkInPath"];
            };
            cookie?: never;
        };
        /** @description The amount and the outcome of the refund. */
        requestBody?: {
            content: {
                "application/json": components["schemas"]["SimulateRefundRequest"];
            };
        };
        responses: {
            /** @description The payment link after the refund. */
            200: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Limit": components["headers"]["RateLimitLimit"];
                    "RateLimit-Remaining": components["headers"]["RateLimitRemaining"];
                    "RateLimit-Reset": components["headers"]["RateLimitReset"];
                    "Idempotency-Replayed": components["headers"]["IdempotencyReplayed"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PaymentLink"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["ForbiddenOrTestModeOnly"];
            404: components["responses"]["NotFound"];
            408: components["responses"]["RequestTimeout"];
            409: components["responses"]["PaymentStateConflict"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["IdempotencyKeyReused"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["WebhooksUnavailable"];
        };
    };
    simulateDispute: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description A string of your choice that names this request, up to 200 characters. It is remembered for 24 hours, for the API
                 *     key that sent it. The same request with the same key gets the first answer again, byte for byte, with its secret.
                 *     Without a key a repetition is a request of its own.
                 * @example attempt-2026-11-20-1
                 */
                "Idempotency-Key"?: components["parameters"]["OptionalIdempotencyKey"];
            };
            path: {
                /**
                 * @description The id of a payment link.
                 * @example plink_4Rk8sTq2VnX7
                 */
                id: components["parameters"]["PaymentLinkInPath"];
            };
            cookie?: never;
        };
        /** @description The amount and the reason of the dispute. */
        requestBody?: {
            content: {
                "application/json": components["schemas"]["SimulateDisputeRequest"];
            };
        };
        responses: {
            /** @description The payment link, whose status is unchanged. */
            200: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Limit": components["headers"]["RateLimitLimit"];
                    "RateLimit-Remaining": components["headers"]["RateLimitRemaining"];
                    "RateLimit-Reset": components["headers"]["RateLimitReset"];
                    "Idempotency-Replayed": components["headers"]["IdempotencyReplayed"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PaymentLink"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["ForbiddenOrTestModeOnly"];
            404: components["responses"]["NotFound"];
            408: components["responses"]["RequestTimeout"];
            409: components["responses"]["PaymentStateConflict"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["IdempotencyKeyReused"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["WebhooksUnavailable"];
        };
    };
    simulateDisputeClosing: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description A string of your choice that names this request, up to 200 characters. It is remembered for 24 hours, for the API
                 *     key that sent it. The same request with the same key gets the first answer again, byte for byte, with its secret.
                 *     Without a key a repetition is a request of its own.
                 * @example attempt-2026-11-20-1
                 */
                "Idempotency-Key"?: components["parameters"]["OptionalIdempotencyKey"];
            };
            path: {
                /**
                 * @description The id of a payment link.
                 * @example plink_4Rk8sTq2VnX7
                 */
                id: components["parameters"]["PaymentLinkInPath"];
            };
            cookie?: never;
        };
        /** @description The bank's decision. */
        requestBody: {
            content: {
                "application/json": components["schemas"]["SimulateDisputeClosingRequest"];
            };
        };
        responses: {
            /** @description The payment link, whose status is unchanged. */
            200: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Limit": components["headers"]["RateLimitLimit"];
                    "RateLimit-Remaining": components["headers"]["RateLimitRemaining"];
                    "RateLimit-Reset": components["headers"]["RateLimitReset"];
                    "Idempotency-Replayed": components["headers"]["IdempotencyReplayed"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PaymentLink"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["ForbiddenOrTestModeOnly"];
            404: components["responses"]["NotFound"];
            408: components["responses"]["RequestTimeout"];
            409: components["responses"]["PaymentStateConflict"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["IdempotencyKeyReused"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["WebhooksUnavailable"];
        };
    };
    simulateBankReversal: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description A string of your choice that names this request, up to 200 characters. It is remembered for 24 hours, for the API
                 *     key that sent it. The same request with the same key gets the first answer again, byte for byte, with its secret.
                 *     Without a key a repetition is a request of its own.
                 * @example attempt-2026-11-20-1
                 */
                "Idempotency-Key"?: components["parameters"]["OptionalIdempotencyKey"];
            };
            path: {
                /**
                 * @description The id of a payment link.
                 * @example plink_4Rk8sTq2VnX7
                 */
                id: components["parameters"]["PaymentLinkInPath"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The payment link after the reversal. */
            200: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Limit": components["headers"]["RateLimitLimit"];
                    "RateLimit-Remaining": components["headers"]["RateLimitRemaining"];
                    "RateLimit-Reset": components["headers"]["RateLimitReset"];
                    "Idempotency-Replayed": components["headers"]["IdempotencyReplayed"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PaymentLink"];
                };
            };
            400: components["responses"]["InvalidEmptyRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["ForbiddenOrTestModeOnly"];
            404: components["responses"]["NotFound"];
            408: components["responses"]["RequestTimeout"];
            409: components["responses"]["PaymentStateConflict"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["IdempotencyKeyReused"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["WebhooksUnavailable"];
        };
    };
    listWebhookEndpoints: {
        parameters: {
            query?: {
                /**
                 * @description The page to return, counted from 1.
                 * @example 1
                 */
                page?: components["parameters"]["Page"];
                /**
                 * @description How many items a page has at most.
                 * @example 50
                 */
                pageSize?: components["parameters"]["PageSize"];
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description One page of webhook endpoints. */
            200: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Limit": components["headers"]["RateLimitLimit"];
                    "RateLimit-Remaining": components["headers"]["RateLimitRemaining"];
                    "RateLimit-Reset": components["headers"]["RateLimitReset"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "object": "list",
                     *       "data": [
                     *         {
                     *           "id": "we_8Jn5vLx1RtB4",
                     *           "object": "webhook_endpoint",
                     *           "url": "https://billing.example.com/hooks/payments",
                     *           "enabledEvents": [
                     *             "payment_link.paid",
                     *             "payment_link.failed"
                     *           ],
                     *           "description": "Billing system",
                     *           "locationId": null,
                     *           "status": "enabled",
                     *           "test": false,
                     *           "createdAt": "2026-11-02T09:30:00.000Z"
                     *         }
                     *       ],
                     *       "page": 1,
                     *       "pageSize": 50,
                     *       "totalCount": 1,
                     *       "hasMore": false
                     *     }
                     */
                    "application/json": components["schemas"]["WebhookEndpointList"];
                };
            };
            400: components["responses"]["InvalidQuery"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            408: components["responses"]["RequestTimeout"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    createWebhookEndpoint: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description A string of your choice that names this request, up to 200 characters. It is remembered for 24 hours, for the API
                 *     key that sent it. The same request with the same key gets the first answer again, byte for byte, with its secret.
                 *     Without a key a repetition is a request of its own.
                 * @example attempt-2026-11-20-1
                 */
                "Idempotency-Key"?: components["parameters"]["OptionalIdempotencyKey"];
            };
            path?: never;
            cookie?: never;
        };
        /** @description The endpoint to create. Optional fields may be left out or null. */
        requestBody: {
            content: {
                "application/json": components["schemas"]["CreateWebhookEndpointRequest"];
            };
        };
        responses: {
            /** @description The endpoint was created. This is the only time its secret is shown, save for rotation. */
            201: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Limit": components["headers"]["RateLimitLimit"];
                    "RateLimit-Remaining": components["headers"]["RateLimitRemaining"];
                    "RateLimit-Reset": components["headers"]["RateLimitReset"];
                    "Idempotency-Replayed": components["headers"]["IdempotencyReplayed"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WebhookEndpointWithSecret"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["LocationNotFound"];
            408: components["responses"]["RequestTimeout"];
            409: components["responses"]["CreateEndpointConflict"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["IdempotencyKeyReused"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["WebhooksUnavailable"];
        };
    };
    getWebhookEndpoint: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The id of a webhook endpoint.
                 * @example we_8Jn5vLx1RtB4
                 */
                id: components["parameters"]["WebhookEndpointInPath"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The webhook endpoint. */
            200: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Limit": components["headers"]["RateLimitLimit"];
                    "RateLimit-Remaining": components["headers"]["RateLimitRemaining"];
                    "RateLimit-Reset": components["headers"]["RateLimitReset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WebhookEndpoint"];
                };
            };
            400: components["responses"]["UnknownQueryParameter"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            408: components["responses"]["RequestTimeout"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    deleteWebhookEndpoint: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The id of a webhook endpoint.
                 * @example we_8Jn5vLx1RtB4
                 */
                id: components["parameters"]["WebhookEndpointInPath"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The endpoint is gone. The response has no body. */
            204: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Limit": components["headers"]["RateLimitLimit"];
                    "RateLimit-Remaining": components["headers"]["RateLimitRemaining"];
                    "RateLimit-Reset": components["headers"]["RateLimitReset"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["InvalidEmptyRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            408: components["responses"]["RequestTimeout"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    updateWebhookEndpoint: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The id of a webhook endpoint.
                 * @example we_8Jn5vLx1RtB4
                 */
                id: components["parameters"]["WebhookEndpointInPath"];
            };
            cookie?: never;
        };
        /** @description The fields to change. */
        requestBody: {
            content: {
                "application/json": components["schemas"]["UpdateWebhookEndpointRequest"];
            };
        };
        responses: {
            /** @description The webhook endpoint after the change. */
            200: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Limit": components["headers"]["RateLimitLimit"];
                    "RateLimit-Remaining": components["headers"]["RateLimitRemaining"];
                    "RateLimit-Reset": components["headers"]["RateLimitReset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WebhookEndpoint"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            408: components["responses"]["RequestTimeout"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    replayWebhookEndpoint: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The id of a webhook endpoint.
                 * @example we_8Jn5vLx1RtB4
                 */
                id: components["parameters"]["WebhookEndpointInPath"];
            };
            cookie?: never;
        };
        /** @description From when on. */
        requestBody: {
            content: {
                "application/json": components["schemas"]["ReplayWebhookEndpointRequest"];
            };
        };
        responses: {
            /** @description The events are queued. */
            202: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Limit": components["headers"]["RateLimitLimit"];
                    "RateLimit-Remaining": components["headers"]["RateLimitRemaining"];
                    "RateLimit-Reset": components["headers"]["RateLimitReset"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "object": "webhook_replay",
                     *       "endpointId": "we_8Jn5vLx1RtB4",
                     *       "since": "2026-11-18T00:00:00.000Z",
                     *       "requeuedCount": 12,
                     *       "freshCount": 3,
                     *       "capped": false
                     *     }
                     */
                    "application/json": components["schemas"]["WebhookReplay"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            408: components["responses"]["RequestTimeout"];
            409: components["responses"]["EndpointDisabled"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["TooManyReplays"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["WebhooksUnavailable"];
        };
    };
    rotateWebhookEndpointSecret: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description A string of your choice that names this request, up to 200 characters. It is remembered for 24 hours, for the API
                 *     key that sent it. The same request with the same key gets the first answer again, byte for byte, with its secret.
                 *     Without a key a repetition is a request of its own.
                 * @example attempt-2026-11-20-1
                 */
                "Idempotency-Key"?: components["parameters"]["OptionalIdempotencyKey"];
            };
            path: {
                /**
                 * @description The id of a webhook endpoint.
                 * @example we_8Jn5vLx1RtB4
                 */
                id: components["parameters"]["WebhookEndpointInPath"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The webhook endpoint with its new secret, which is not shown again. */
            200: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Limit": components["headers"]["RateLimitLimit"];
                    "RateLimit-Remaining": components["headers"]["RateLimitRemaining"];
                    "RateLimit-Reset": components["headers"]["RateLimitReset"];
                    "Idempotency-Replayed": components["headers"]["IdempotencyReplayed"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WebhookEndpointWithSecret"];
                };
            };
            400: components["responses"]["InvalidEmptyRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            408: components["responses"]["RequestTimeout"];
            409: components["responses"]["IdempotencyKeyInFlight"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["IdempotencyKeyReused"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["WebhooksUnavailable"];
        };
    };
    testWebhookEndpoint: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The id of a webhook endpoint.
                 * @example we_8Jn5vLx1RtB4
                 */
                id: components["parameters"]["WebhookEndpointInPath"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The delivery of the queued `ping` event. */
            202: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Limit": components["headers"]["RateLimitLimit"];
                    "RateLimit-Remaining": components["headers"]["RateLimitRemaining"];
                    "RateLimit-Reset": components["headers"]["RateLimitReset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WebhookDelivery"];
                };
            };
            400: components["responses"]["InvalidEmptyRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            408: components["responses"]["RequestTimeout"];
            409: components["responses"]["EndpointDisabled"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["WebhooksUnavailable"];
        };
    };
    listWebhookDeliveries: {
        parameters: {
            query?: {
                /**
                 * @description Only deliveries to this endpoint. An unknown endpoint gives an empty list.
                 * @example we_8Jn5vLx1RtB4
                 */
                endpointId?: string;
                /**
                 * @description Only deliveries of events about this payment link. An unknown link gives an empty list.
                 * @example plink_4Rk8sTq2VnX7
                 */
                paymentLinkId?: string;
                /**
                 * @description Only deliveries with this status.
                 * @example exhausted
                 */
                status?: components["schemas"]["WebhookDeliveryStatus"];
                /**
                 * @description Only deliveries of events of this type.
                 * @example payment_link.paid
                 */
                type?: components["schemas"]["FilterableEventType"];
                /**
                 * @description Only deliveries created at or after this time.
                 * @example 2026-11-18T00:00:00Z
                 */
                since?: string;
                /**
                 * @description The page to return, counted from 1.
                 * @example 1
                 */
                page?: components["parameters"]["Page"];
                /**
                 * @description How many items a page has at most.
                 * @example 50
                 */
                pageSize?: components["parameters"]["PageSize"];
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description One page of webhook deliveries. */
            200: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Limit": components["headers"]["RateLimitLimit"];
                    "RateLimit-Remaining": components["headers"]["RateLimitRemaining"];
                    "RateLimit-Reset": components["headers"]["RateLimitReset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WebhookDeliveryList"];
                };
            };
            400: components["responses"]["InvalidQuery"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            408: components["responses"]["RequestTimeout"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    getWebhookDelivery: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The id of the event, which addresses its delivery.
                 * @example evt_2Wq7yGz5NhC9
                 */
                id: components["parameters"]["DeliveryInPath"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The webhook delivery with payload and attempts. */
            200: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Limit": components["headers"]["RateLimitLimit"];
                    "RateLimit-Remaining": components["headers"]["RateLimitRemaining"];
                    "RateLimit-Reset": components["headers"]["RateLimitReset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WebhookDeliveryDetail"];
                };
            };
            400: components["responses"]["UnknownQueryParameter"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            408: components["responses"]["RequestTimeout"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    redeliverWebhookDelivery: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The id of the event, which addresses its delivery.
                 * @example evt_2Wq7yGz5NhC9
                 */
                id: components["parameters"]["DeliveryInPath"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The delivery, queued. */
            202: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Limit": components["headers"]["RateLimitLimit"];
                    "RateLimit-Remaining": components["headers"]["RateLimitRemaining"];
                    "RateLimit-Reset": components["headers"]["RateLimitReset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WebhookDelivery"];
                };
            };
            400: components["responses"]["InvalidEmptyRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            408: components["responses"]["RequestTimeout"];
            409: components["responses"]["EndpointDisabled"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["WebhooksUnavailable"];
        };
    };
    listTestEvents: {
        parameters: {
            query?: {
                /**
                 * @description The `cursor` of the answer before. Absent at the first request.
                 * @example qh-0..0.
                 */
                after?: string;
                /**
                 * @description How many events the answer has at most.
                 * @example 100
                 */
                limit?: number;
                /**
                 * @description How long to wait for an event. The wait may end earlier, without events.
                 * @example 8
                 */
                waitSeconds?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The next events, oldest first. */
            200: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Limit": components["headers"]["RateLimitLimit"];
                    "RateLimit-Remaining": components["headers"]["RateLimitRemaining"];
                    "RateLimit-Reset": components["headers"]["RateLimitReset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TestEventList"];
                };
            };
            400: components["responses"]["InvalidQuery"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["ForbiddenOrTestModeOnly"];
            408: components["responses"]["RequestTimeout"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    createTestPing: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The event. */
            200: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Limit": components["headers"]["RateLimitLimit"];
                    "RateLimit-Remaining": components["headers"]["RateLimitRemaining"];
                    "RateLimit-Reset": components["headers"]["RateLimitReset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PingEvent"];
                };
            };
            400: components["responses"]["InvalidEmptyRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["ForbiddenOrTestModeOnly"];
            408: components["responses"]["RequestTimeout"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    receivePaymentLinkProcessingEvent: {
        parameters: {
            query?: never;
            header: {
                /**
                 * @description States that the request comes from this service.
                 * @example Service-Webhooks/1.0
                 */
                "User-Agent": components["parameters"]["DeliveryUserAgent"];
                /**
                 * @description The id of the event, the same as `id` in the body, and the same on retries, redelivery and replay.
                 * @example evt_2Wq7yGz5NhC9
                 */
                "Service-Event-Id": components["parameters"]["DeliveryEventId"];
                /**
                 * @description The type of the event, the same as `type` in the body.
                 * @example payment_link.paid
                 */
                "Service-Event-Type": components["parameters"]["DeliveryEventType"];
                /**
                 * @description `t=<unix seconds>,v1=<hex>` with one `v1` value, or two within 24 hours of a rotation of the secret (the new
                 *     secret's first). Each is the lower-case hexadecimal HMAC-SHA256, keyed with the endpoint's `secret`, of
                 *     `<t>.<raw body>`. Made afresh for each attempt. See *Webhook events* for the verification.
                 * @example t=1795187106,v1=5257a869e7ecebeda32affa62cdca3fa51cad7e77a0e56ff536d0ce8e108d8bd
                 */
                "Service-Signature": components["parameters"]["DeliverySignature"];
            };
            path?: never;
            cookie?: never;
        };
        /** @description The event. The `Content-Type` header is exactly `application/json`. */
        requestBody: {
            content: {
                "application/json": components["schemas"]["PaymentLinkProcessingEvent"];
            };
        };
        responses: {
            "2XX": components["responses"]["EventAccepted"];
            default: components["responses"]["EventRefused"];
        };
    };
    receivePaymentLinkPaidEvent: {
        parameters: {
            query?: never;
            header: {
                /**
                 * @description States that the request comes from this service.
                 * @example Service-Webhooks/1.0
                 */
                "User-Agent": components["parameters"]["DeliveryUserAgent"];
                /**
                 * @description The id of the event, the same as `id` in the body, and the same on retries, redelivery and replay.
                 * @example evt_2Wq7yGz5NhC9
                 */
                "Service-Event-Id": components["parameters"]["DeliveryEventId"];
                /**
                 * @description The type of the event, the same as `type` in the body.
                 * @example payment_link.paid
                 */
                "Service-Event-Type": components["parameters"]["DeliveryEventType"];
                /**
                 * @description `t=<unix seconds>,v1=<hex>` with one `v1` value, or two within 24 hours of a rotation of the secret (the new
                 *     secret's first). Each is the lower-case hexadecimal HMAC-SHA256, keyed with the endpoint's `secret`, of
                 *     `<t>.<raw body>`. Made afresh for each attempt. See *Webhook events* for the verification.
                 * @example t=1795187106,v1=5257a869e7ecebeda32affa62cdca3fa51cad7e77a0e56ff536d0ce8e108d8bd
                 */
                "Service-Signature": components["parameters"]["DeliverySignature"];
            };
            path?: never;
            cookie?: never;
        };
        /** @description The event. The `Content-Type` header is exactly `application/json`. */
        requestBody: {
            content: {
                "application/json": components["schemas"]["PaymentLinkPaidEvent"];
            };
        };
        responses: {
            "2XX": components["responses"]["EventAccepted"];
            default: components["responses"]["EventRefused"];
        };
    };
    receivePaymentLinkFailedEvent: {
        parameters: {
            query?: never;
            header: {
                /**
                 * @description States that the request comes from this service.
                 * @example Service-Webhooks/1.0
                 */
                "User-Agent": components["parameters"]["DeliveryUserAgent"];
                /**
                 * @description The id of the event, the same as `id` in the body, and the same on retries, redelivery and replay.
                 * @example evt_2Wq7yGz5NhC9
                 */
                "Service-Event-Id": components["parameters"]["DeliveryEventId"];
                /**
                 * @description The type of the event, the same as `type` in the body.
                 * @example payment_link.paid
                 */
                "Service-Event-Type": components["parameters"]["DeliveryEventType"];
                /**
                 * @description `t=<unix seconds>,v1=<hex>` with one `v1` value, or two within 24 hours of a rotation of the secret (the new
                 *     secret's first). Each is the lower-case hexadecimal HMAC-SHA256, keyed with the endpoint's `secret`, of
                 *     `<t>.<raw body>`. Made afresh for each attempt. See *Webhook events* for the verification.
                 * @example t=1795187106,v1=5257a869e7ecebeda32affa62cdca3fa51cad7e77a0e56ff536d0ce8e108d8bd
                 */
                "Service-Signature": components["parameters"]["DeliverySignature"];
            };
            path?: never;
            cookie?: never;
        };
        /** @description The event. The `Content-Type` header is exactly `application/json`. */
        requestBody: {
            content: {
                "application/json": components["schemas"]["PaymentLinkFailedEvent"];
            };
        };
        responses: {
            "2XX": components["responses"]["EventAccepted"];
            default: components["responses"]["EventRefused"];
        };
    };
    receivePaymentLinkRefundedEvent: {
        parameters: {
            query?: never;
            header: {
                /**
                 * @description States that the request comes from this service.
                 * @example Service-Webhooks/1.0
                 */
                "User-Agent": components["parameters"]["DeliveryUserAgent"];
                /**
                 * @description The id of the event, the same as `id` in the body, and the same on retries, redelivery and replay.
                 * @example evt_2Wq7yGz5NhC9
                 */
                "Service-Event-Id": components["parameters"]["DeliveryEventId"];
                /**
                 * @description The type of the event, the same as `type` in the body.
                 * @example payment_link.paid
                 */
                "Service-Event-Type": components["parameters"]["DeliveryEventType"];
                /**
                 * @description `t=<unix seconds>,v1=<hex>` with one `v1` value, or two within 24 hours of a rotation of the secret (the new
                 *     secret's first). Each is the lower-case hexadecimal HMAC-SHA256, keyed with the endpoint's `secret`, of
                 *     `<t>.<raw body>`. Made afresh for each attempt. See *Webhook events* for the verification.
                 * @example t=1795187106,v1=5257a869e7ecebeda32affa62cdca3fa51cad7e77a0e56ff536d0ce8e108d8bd
                 */
                "Service-Signature": components["parameters"]["DeliverySignature"];
            };
            path?: never;
            cookie?: never;
        };
        /** @description The event. The `Content-Type` header is exactly `application/json`. */
        requestBody: {
            content: {
                "application/json": components["schemas"]["PaymentLinkRefundedEvent"];
            };
        };
        responses: {
            "2XX": components["responses"]["EventAccepted"];
            default: components["responses"]["EventRefused"];
        };
    };
    receivePaymentLinkDisputedEvent: {
        parameters: {
            query?: never;
            header: {
                /**
                 * @description States that the request comes from this service.
                 * @example Service-Webhooks/1.0
                 */
                "User-Agent": components["parameters"]["DeliveryUserAgent"];
                /**
                 * @description The id of the event, the same as `id` in the body, and the same on retries, redelivery and replay.
                 * @example evt_2Wq7yGz5NhC9
                 */
                "Service-Event-Id": components["parameters"]["DeliveryEventId"];
                /**
                 * @description The type of the event, the same as `type` in the body.
                 * @example payment_link.paid
                 */
                "Service-Event-Type": components["parameters"]["DeliveryEventType"];
                /**
                 * @description `t=<unix seconds>,v1=<hex>` with one `v1` value, or two within 24 hours of a rotation of the secret (the new
                 *     secret's first). Each is the lower-case hexadecimal HMAC-SHA256, keyed with the endpoint's `secret`, of
                 *     `<t>.<raw body>`. Made afresh for each attempt. See *Webhook events* for the verification.
                 * @example t=1795187106,v1=5257a869e7ecebeda32affa62cdca3fa51cad7e77a0e56ff536d0ce8e108d8bd
                 */
                "Service-Signature": components["parameters"]["DeliverySignature"];
            };
            path?: never;
            cookie?: never;
        };
        /** @description The event. The `Content-Type` header is exactly `application/json`. */
        requestBody: {
            content: {
                "application/json": components["schemas"]["PaymentLinkDisputedEvent"];
            };
        };
        responses: {
            "2XX": components["responses"]["EventAccepted"];
            default: components["responses"]["EventRefused"];
        };
    };
    receivePaymentLinkDisputeClosedEvent: {
        parameters: {
            query?: never;
            header: {
                /**
                 * @description States that the request comes from this service.
                 * @example Service-Webhooks/1.0
                 */
                "User-Agent": components["parameters"]["DeliveryUserAgent"];
                /**
                 * @description The id of the event, the same as `id` in the body, and the same on retries, redelivery and replay.
                 * @example evt_2Wq7yGz5NhC9
                 */
                "Service-Event-Id": components["parameters"]["DeliveryEventId"];
                /**
                 * @description The type of the event, the same as `type` in the body.
                 * @example payment_link.paid
                 */
                "Service-Event-Type": components["parameters"]["DeliveryEventType"];
                /**
                 * @description `t=<unix seconds>,v1=<hex>` with one `v1` value, or two within 24 hours of a rotation of the secret (the new
                 *     secret's first). Each is the lower-case hexadecimal HMAC-SHA256, keyed with the endpoint's `secret`, of
                 *     `<t>.<raw body>`. Made afresh for each attempt. See *Webhook events* for the verification.
                 * @example t=1795187106,v1=5257a869e7ecebeda32affa62cdca3fa51cad7e77a0e56ff536d0ce8e108d8bd
                 */
                "Service-Signature": components["parameters"]["DeliverySignature"];
            };
            path?: never;
            cookie?: never;
        };
        /** @description The event. The `Content-Type` header is exactly `application/json`. */
        requestBody: {
            content: {
                "application/json": components["schemas"]["PaymentLinkDisputeClosedEvent"];
            };
        };
        responses: {
            "2XX": components["responses"]["EventAccepted"];
            default: components["responses"]["EventRefused"];
        };
    };
    receivePaymentLinkExpiredEvent: {
        parameters: {
            query?: never;
            header: {
                /**
                 * @description States that the request comes from this service.
                 * @example Service-Webhooks/1.0
                 */
                "User-Agent": components["parameters"]["DeliveryUserAgent"];
                /**
                 * @description The id of the event, the same as `id` in the body, and the same on retries, redelivery and replay.
                 * @example evt_2Wq7yGz5NhC9
                 */
                "Service-Event-Id": components["parameters"]["DeliveryEventId"];
                /**
                 * @description The type of the event, the same as `type` in the body.
                 * @example payment_link.paid
                 */
                "Service-Event-Type": components["parameters"]["DeliveryEventType"];
                /**
                 * @description `t=<unix seconds>,v1=<hex>` with one `v1` value, or two within 24 hours of a rotation of the secret (the new
                 *     secret's first). Each is the lower-case hexadecimal HMAC-SHA256, keyed with the endpoint's `secret`, of
                 *     `<t>.<raw body>`. Made afresh for each attempt. See *Webhook events* for the verification.
                 * @example t=1795187106,v1=5257a869e7ecebeda32affa62cdca3fa51cad7e77a0e56ff536d0ce8e108d8bd
                 */
                "Service-Signature": components["parameters"]["DeliverySignature"];
            };
            path?: never;
            cookie?: never;
        };
        /** @description The event. The `Content-Type` header is exactly `application/json`. */
        requestBody: {
            content: {
                "application/json": components["schemas"]["PaymentLinkExpiredEvent"];
            };
        };
        responses: {
            "2XX": components["responses"]["EventAccepted"];
            default: components["responses"]["EventRefused"];
        };
    };
    receivePaymentLinkCancelledEvent: {
        parameters: {
            query?: never;
            header: {
                /**
                 * @description States that the request comes from this service.
                 * @example Service-Webhooks/1.0
                 */
                "User-Agent": components["parameters"]["DeliveryUserAgent"];
                /**
                 * @description The id of the event, the same as `id` in the body, and the same on retries, redelivery and replay.
                 * @example evt_2Wq7yGz5NhC9
                 */
                "Service-Event-Id": components["parameters"]["DeliveryEventId"];
                /**
                 * @description The type of the event, the same as `type` in the body.
                 * @example payment_link.paid
                 */
                "Service-Event-Type": components["parameters"]["DeliveryEventType"];
                /**
                 * @description `t=<unix seconds>,v1=<hex>` with one `v1` value, or two within 24 hours of a rotation of the secret (the new
                 *     secret's first). Each is the lower-case hexadecimal HMAC-SHA256, keyed with the endpoint's `secret`, of
                 *     `<t>.<raw body>`. Made afresh for each attempt. See *Webhook events* for the verification.
                 * @example t=1795187106,v1=5257a869e7ecebeda32affa62cdca3fa51cad7e77a0e56ff536d0ce8e108d8bd
                 */
                "Service-Signature": components["parameters"]["DeliverySignature"];
            };
            path?: never;
            cookie?: never;
        };
        /** @description The event. The `Content-Type` header is exactly `application/json`. */
        requestBody: {
            content: {
                "application/json": components["schemas"]["PaymentLinkCancelledEvent"];
            };
        };
        responses: {
            "2XX": components["responses"]["EventAccepted"];
            default: components["responses"]["EventRefused"];
        };
    };
    receivePingEvent: {
        parameters: {
            query?: never;
            header: {
                /**
                 * @description States that the request comes from this service.
                 * @example Service-Webhooks/1.0
                 */
                "User-Agent": components["parameters"]["DeliveryUserAgent"];
                /**
                 * @description The id of the event, the same as `id` in the body, and the same on retries, redelivery and replay.
                 * @example evt_2Wq7yGz5NhC9
                 */
                "Service-Event-Id": components["parameters"]["DeliveryEventId"];
                /**
                 * @description The type of the event, the same as `type` in the body.
                 * @example payment_link.paid
                 */
                "Service-Event-Type": components["parameters"]["DeliveryEventType"];
                /**
                 * @description `t=<unix seconds>,v1=<hex>` with one `v1` value, or two within 24 hours of a rotation of the secret (the new
                 *     secret's first). Each is the lower-case hexadecimal HMAC-SHA256, keyed with the endpoint's `secret`, of
                 *     `<t>.<raw body>`. Made afresh for each attempt. See *Webhook events* for the verification.
                 * @example t=1795187106,v1=5257a869e7ecebeda32affa62cdca3fa51cad7e77a0e56ff536d0ce8e108d8bd
                 */
                "Service-Signature": components["parameters"]["DeliverySignature"];
            };
            path?: never;
            cookie?: never;
        };
        /** @description The event. The `Content-Type` header is exactly `application/json`. */
        requestBody: {
            content: {
                "application/json": components["schemas"]["PingEvent"];
            };
        };
        responses: {
            "2XX": components["responses"]["EventAccepted"];
            default: components["responses"]["EventRefused"];
        };
    };
}
/** The scopes that operations ask for (`x-required-scope`). */
export type ApiScope = "payment_links:read" | "payment_links:write" | "webhooks:manage";
