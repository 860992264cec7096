import { repairAndAudit } from '../../src/cli/check.ts';
import { accept, type Receiver } from '../harness/receiver.ts';
import { createLink, type TestService } from '../harness/service.ts';
import { type FoundViolation, findViolations } from '../harness/violations.ts';
import { createEndpoint } from '../harness/webhooks.ts';

/** Time after which the check looks at a change, or takes an endpoint as subscribed. */
export const LATER = { minutes: 11 } as const;

const RULE = 'changes_have_their_events';

/** Makes a practice whose test endpoint gets all events, for tests that lose some of them. */
export async function losingPractice(service: TestService, receiver: Receiver) {
  receiver.answer = accept;
  const practice = await service.practice();
  const { practiceId, locationId } = practice;
  const endpoint = await createEndpoint(practice.test, receiver.url);
  service.clock.advance(LATER);

  /** Runs a statement, by default with the practice as `$1`. */
  const rows = <Row extends Record<string, unknown>>(text: string, values: unknown[] = [practiceId]) =>
    service.query<Row>(text, values);

  const violations = (of = practiceId): Promise<FoundViolation[]> =>
    findViolations(service, { practiceId: of, invariant: RULE });

  /** Creates a test link and simulates the outcome. Returns its id. */
  async function simulated(outcome: string): Promise<string> {
    const { id } = await createLink(practice.test, { locationId });
    await practice.test.post(`/api/v1/payment-links/${id}/simulate`, { outcome });
    return id;
  }

  /** Deletes events of the link: all, or those of a type or endpoint. */
  const lose = (
    linkId: string,
    { type = null, endpointId = null }: Partial<Record<'type' | 'endpointId', string | null>> = {},
  ) =>
    rows(
      `delete from webhook_deliveries where payment_link_id = $1 and ($2::text is null or type = 'payment_link.' || $2)
         and ($3::text is null or endpoint_id = $3)`,
      [linkId, type, endpointId],
    );

  return {
    ...{ practice, endpoint, rows, violations, simulated, lose },
    /** Returns what the check finds later. */
    async problems(): Promise<string[]> {
      service.clock.advance(LATER);
      return (await violations()).map(({ problem }) => problem);
    },
    /** Returns the id of a paid link without its events. */
    async lostLink(): Promise<string> {
      const id = await simulated('paid');
      await lose(id);
      return id;
    },
    /** Returns type and status of the link's events, in their order. */
    async events(linkId: string): Promise<string[]> {
      const found = await rows<{ type: string; status: string }>(
        'select type, status from webhook_deliveries where payment_link_id = $1 order by id',
        [linkId],
      );
      return found.map(({ type, status }) => `${type.replace('payment_link.', '')} ${status}`);
    },
    /** Runs the repair as `paylinks check --repair` does. */
    async repair(violation: FoundViolation | undefined): Promise<boolean> {
      if (violation === undefined || typeof violation.remedy === 'string') throw new Error('there is no repair');
      return repairAndAudit(service.scope(), RULE, violation);
    },
  };
}
