import { figure } from '../../figure.ts';
import { databaseWorkOf } from '../../measured-change.ts';
import { type Bench, type Scenario, scaled } from '../../scenario.ts';
import { payLinks, resetLinks } from '../../seed/changes.ts';
import { changeScene } from './change.ts';

const REFUNDS = 300;
const AT_ONCE = 8;
const FLOOR = 'the floor: a bare loop over pg: one statement with refund, transaction, delivery and wake-up job';

async function run({ stage, effort, say }: Bench) {
  const receiver = stage.helper('receiver');
  const { scene, live } = await changeScene(stage, effort, 1, await receiver.call('start', null));
  const [refunder, floor] = [stage.helper('refunder'), stage.helper('floorChanges')];
  const links = live.slice(0, scaled(effort, REFUNDS));
  const how = { databaseUrl: scene.url, linkIds: links.map(({ id }) => id), atOnce: AT_ONCE };
  const prepare = async () => {
    await resetLinks(scene.admin);
    await payLinks(scene.admin, links);
  };
  const perSecond = (tookMs: number) => (links.length * 1000) / tookMs;
  const [rates, floorRates, statements]: [number[], number[], number[]] = [[], [], []];
  for (let repetition = 0; repetition <= effort.repetitions; repetition++) {
    await prepare();
    let rate = 0;
    const work = await databaseWorkOf(stage, scene, async () => {
      rate = perSecond(await refunder.call('refund', how));
    });
    await prepare();
    const floorRate = perSecond(await floor.call('refund', how));
    // The first one warms up.
    if (repetition === 0) continue;
    rates.push(rate);
    floorRates.push(floorRate);
    statements.push(work.statements / links.length);
    say(`repetition ${repetition} of ${effort.repetitions}`);
  }
  return [
    figure('refund', {
      ...{ name: `full refunds, ${AT_ONCE} at once`, unit: 'refunds/s', better: 'higher', repetitions: rates },
      floor: { what: FLOOR, repetitions: floorRates },
      note: "by staff: no API operation refunds; the sandbox's own statements are counted",
    }),
    figure('refund', { name: 'statements', unit: 'statements', better: 'lower', repetitions: statements }),
  ];
}

/** Refunding card payments as staff do, at the sandbox processor. */
export const refund: Scenario = { name: 'refund', run };
