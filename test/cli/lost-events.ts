import { repairAndRecord } from '../../src/cli/check.ts';
import { accept, type Receiver } from '../harness/receiver.ts';
import { createLink, type TestPractice, type TestService } from '../harness/service.ts';
import { type FoundViolation, findViolations } from '../harness/violations.ts';
import { createEndpoint, type Endpoint } from '../harness/webhooks.ts';

/** Time after which the check looks at a change, or takes an endpoint as subscribed. */
export const LATER = { minutes: 11 } as const;

const RULE = 'changes_have_their_events';

/** A practice whose test endpoint gets all events, for tests that lose some of them. */
export class LosingPractice {
  readonly service: TestService;
  readonly receiver: Receiver;
  readonly practice: TestPractice;
  readonly endpoint: Endpoint;

  private constructor(service: TestService, receiver: Receiver, practice: TestPractice, endpoint: Endpoint) {
    this.service = service;
    this.receiver = receiver;
    this.practice = practice;
    this.endpoint = endpoint;
  }

  static async start(service: TestService, receiver: Receiver): Promise<LosingPractice> {
    receiver.answer = accept;
    const practice = await service.practice();
    const endpoint = await createEndpoint(practice.test, receiver.url);
    service.clock.advance(LATER);
    return new LosingPractice(service, receiver, practice, endpoint);
  }

  /** Runs a statement, by default with the practice as `$1`. */
  rows<Row extends Record<string, unknown>>(text: string, values: unknown[] = [this.practice.practiceId]) {
    return this.service.query<Row>(text, values);
  }

  violations(practiceId = this.practice.practiceId): Promise<FoundViolation[]> {
    return findViolations(this.service, { practiceId, invariant: RULE });
  }

  /** Returns what the check finds later. */
  async problems(): Promise<string[]> {
    this.service.clock.advance(LATER);
    return (await this.violations()).map(({ problem }) => problem);
  }

  /** Creates a test link and simulates the outcome. Returns its id. */
  async simulated(outcome: string): Promise<string> {
    const { id } = await createLink(this.practice.test, { locationId: this.practice.locationId });
    await this.practice.test.post(`/api/v1/payment-links/${id}/simulate`, { outcome });
    return id;
  }

  /** Deletes events of the link: all, or those of a type or endpoint. */
  lose(linkId: string, { type = null, endpointId = null }: { type?: string | null; endpointId?: string | null } = {}) {
    return this.rows(
      `delete from webhook_deliveries where payment_link_id = $1 and ($2::text is null or type = 'payment_link.' || $2)
         and ($3::text is null or endpoint_id = $3)`,
      [linkId, type, endpointId],
    );
  }

  /** Returns the id of a paid link without its events. */
  async lostLink(): Promise<string> {
    const id = await this.simulated('paid');
    await this.lose(id);
    return id;
  }

  /** Returns type and status of the link's events, in their order. */
  async events(linkId: string): Promise<string[]> {
    const found = await this.rows<{ type: string; status: string }>(
      'select type, status from webhook_deliveries where payment_link_id = $1 order by id',
      [linkId],
    );
    return found.map(({ type, status }) => `${type.replace('payment_link.', '')} ${status}`);
  }

  /** Runs the repair as `paylinks check --repair` does. */
  repair(violation: FoundViolation | undefined): Promise<boolean> {
    if (violation === undefined || typeof violation.remedy === 'string') throw new Error('there is no repair');
    return repairAndRecord(this.service.scope(), RULE, violation);
  }
}
