import type { Mutant } from './mutant.ts';

/** Faults in partitions of deliveries. */
export const PARTITIONS: readonly Mutant[] = [
  {
    name: 'a delivery that changes while its partition is replaced is lost',
    file: 'src/database/functions/partitions/watch-delivery-partition.sql',
    text: 'after insert or update or delete on %I',
    instead: 'after insert on %I',
    test: 'test/partitions/partitions.test.ts',
    title: 'nothing is lost when a delivery changes',
  },
  {
    name: 'a delivery that changes while its partition is replaced leaves the kept counts twice',
    file: 'src/database/functions/partitions/replace-delivery-partition.sql',
    text: 'where status is not null and not exists',
    instead: 'where false and not exists',
    test: 'test/partitions/partitions.test.ts',
    title: 'nothing is lost when a delivery changes',
  },
  {
    name: 'deliveries of a replaced partition stay in the kept counts',
    file: 'src/database/functions/partitions/replace-delivery-partition.sql',
    text: 'start_at, start_id, status, -sum(row_count)',
    instead: 'start_at, start_id, status, 0 * sum(row_count)',
    test: 'test/partitions/partitions.test.ts',
    title: 'nothing is lost when a delivery changes',
  },
  {
    name: 'attempts stay behind when deliveries leave the default partition',
    file: 'src/database/functions/partitions/add-delivery-partition.sql',
    text: 'where delivery_id >= $1 and delivery_id < $2',
    instead: 'where delivery_id >= $1 and delivery_id < $1 and delivery_id < $2',
    test: 'test/partitions/partitions.test.ts',
    title: 'deliveries that came before their partition',
  },
  {
    name: 'a conversion that died stops deliveries at its bound',
    file: 'src/webhooks/partitions/convert.ts',
    text: "conname = 'before_partitions' and conrelid",
    instead: "conname = 'never' and conrelid",
    test: 'test/partitions/partitions.test.ts',
    title: 'what a conversion leaves behind',
  },
  {
    name: 'batches delete a week before it is replaced',
    file: 'src/webhooks/events/retention.ts',
    text: '(await isPartitioned(scope)) ? batchesDeleteBefore(now)',
    instead: '(await isPartitioned(scope)) ? now',
    test: 'test/partitions/retention.property.test.ts',
    title: 'the batches’ retention is the model',
  },
  {
    name: 'a partition is replaced before its events were kept for 33 days',
    file: 'src/webhooks/partitions/weeks.ts',
    text: 'REPLACED_AFTER_MS = 33 *',
    instead: 'REPLACED_AFTER_MS = 32 *',
    test: 'test/partitions/partitions.test.ts',
    title: 'an empty partition is dropped after 33 days',
  },
];
