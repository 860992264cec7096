import type { Mutant } from './mutant.ts';

const DELIVERIES = 'test/console/deliveries.test.ts';

/** Faults in the console's pages on webhook deliveries, and in what they show. */
export const CONSOLE_DELIVERIES: readonly Mutant[] = [
  {
    name: 'developers see the data of patients in payloads',
    file: 'src/console/screens/deliveries/visit.ts',
    text: "return mayDo(member, 'links.view');",
    instead: "return mayDo(member, 'developers.view');",
    test: DELIVERIES,
    title: 'a developer sees the payload without any data',
  },
  {
    name: 'pages of live data show test deliveries',
    file: 'src/console/routing/visit.ts',
    text: "test: mode === 'test'",
    instead: 'test: true',
    test: DELIVERIES,
    title: 'deliveries of the other mode',
  },
  {
    name: 'a redelivery of many starts no cooldown',
    file: 'src/webhooks/events/redeliver-failed.ts',
    text: 'endpoint.replayedAt = now;',
    instead: '',
    test: DELIVERIES,
    title: 'twice within ten minutes',
  },
  {
    name: 'a new field of the contract is shown to developers',
    file: 'src/webhooks/events/masked-payload.ts',
    text: 'CONTAINERS.has(name) ? masked(value, masksAll) : MASK',
    instead: 'name !== null ? masked(value, masksAll) : MASK',
    test: 'test/webhooks/masked-payload.test.ts',
    title: 'a name that the contract does not have yet',
  },
  {
    name: 'the debugger compares with the sent bytes without their signature',
    file: 'src/webhooks/events/debug-signature.ts',
    text: "sent !== null && (faultOfSent === null || faultOfSent.reason === 'clock')",
    instead: 'sent !== null',
    test: DELIVERIES,
    title: 'nobody learns by trying',
  },
  {
    name: 'a lease that has ended keeps deliveries waiting',
    file: 'src/webhooks/delivery/explain.ts',
    text: 'leaseUntil !== null && leaseUntil > now',
    instead: 'leaseUntil !== null',
    test: 'test/webhooks/explain.test.ts',
    title: 'a delivery waits behind the lease of its endpoint',
  },
];
