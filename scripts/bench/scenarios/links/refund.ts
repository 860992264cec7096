import { figure } from '../../figure.ts';
import { databaseWorkOf } from '../../measured-load.ts';
import { type Bench, measureBoth, type Scenario, scaled } from '../../scenario.ts';
import { payLinks, resetLinks } from '../../seed/changes.ts';
import { changeScene } from './change.ts';

const REFUNDS = 300;
const AT_ONCE = 8;
const FLOOR = 'the floor: a bare loop over pg: one statement with refund, transaction, delivery and wake-up';

async function run(bench: Bench) {
  const { stage, effort } = bench;
  const receiverPort = await stage.helper('receiver').call('start', null);
  const { scene, live } = await changeScene(stage, effort, 1, receiverPort);
  const links = live.slice(0, scaled(effort, REFUNDS));
  const how = { databaseUrl: scene.url, linkIds: links.map(({ id }) => id), atOnce: AT_ONCE };
  const measure = async (refundAll: () => Promise<number>) => {
    await resetLinks(scene.admin);
    await payLinks(scene.admin, links);
    let tookMs = 0;
    const { statements } = await databaseWorkOf(stage, scene, async () => {
      tookMs = await refundAll();
    });
    return { perSecond: (links.length * 1000) / tookMs, statements: statements / links.length };
  };
  const [refunder, bare] = [stage.helper('refunder'), stage.helper('floorApi')];
  const measured = await measureBoth(
    bench,
    'refunds',
    () => measure(() => refunder.call('refund', how)),
    () => measure(() => bare.call('refund', how)),
  );
  const rates = (of: 'service' | 'floor') => measured[of].map(({ perSecond }) => perSecond);
  const statements = measured.service.map(({ statements }) => statements);
  return [
    figure('refund', {
      ...{ name: `full refunds, ${AT_ONCE} at once`, unit: 'refunds/s', better: 'higher' },
      ...{ repetitions: rates('service'), floor: { what: FLOOR, repetitions: rates('floor') } },
      target: { of: 'ratio', is: 'at least', limit: 0.5 },
      note: "by staff: no API operation refunds; the sandbox's own statements are counted",
    }),
    figure('refund', { name: 'statements', unit: 'statements', better: 'lower', repetitions: statements }),
  ];
}

/** Refunding card payments as staff do, at the sandbox processor. */
export const refund: Scenario = { name: 'refund', run };
