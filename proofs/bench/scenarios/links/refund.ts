import { databaseWorkOf } from '../../measured-load.ts';
import type { RefundOrder } from '../../processes/refunder-process.ts';
import { type Bench, measureBoth, scaled } from '../../scenario.ts';
import { changeScene } from './change.ts';

const REFUNDS = 600;
const AT_ONCE = 8;
const FLOOR = 'the floor: a bare loop over pg, a statement before the processor is asked and one after its answer';

/** Refunding card payments as staff do, at the sandbox processor. */
export async function refund(bench: Bench) {
  const { stage, effort } = bench;
  const { scene, newLinks } = await changeScene(bench);
  const [refunder, bare] = [stage.helper('refunder'), stage.helper('floorApi')];
  const measure = async (refundAll: (how: RefundOrder) => Promise<number>) => {
    const links = await newLinks(false, scaled(effort, REFUNDS));
    await refunder.call('pay', { databaseUrl: scene.url, links });
    const how = { databaseUrl: scene.url, linkIds: links.map(({ id }) => id), atOnce: AT_ONCE };
    const { result, statements } = await databaseWorkOf(stage, scene, () => refundAll(how));
    return { perSecond: (links.length * 1000) / result, statements: statements / links.length };
  };
  const measured = await measureBoth(
    bench,
    'refunds',
    () => measure((how) => refunder.call('refund', how)),
    () => measure((how) => bare.call('refund', how)),
  );
  const rates = (of: 'service' | 'floor') => measured[of].map(({ perSecond }) => perSecond);
  return [
    {
      ...{ name: `full refunds, ${AT_ONCE} at once`, unit: 'refunds/s', target: { of: 'ratio', limit: 0.5 } as const },
      ...{ repetitions: rates('service'), floor: { what: FLOOR, repetitions: rates('floor') } },
      note: "by staff: no API operation refunds; the sandbox's own statements are counted",
    },
    { name: 'statements', unit: 'statements', repetitions: measured.service.map(({ statements }) => statements) },
  ];
}
