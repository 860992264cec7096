import { movePractices } from '../../src/moves/move.ts';

/** Moves a practice and kills its own process after a step: `mover.ts SOURCE TARGET PRACTICE STEP`. */
const [sourceUrl = '', targetUrl = '', practiceId = '', last] = process.argv.slice(2);

await movePractices({
  sourceUrl,
  targetUrl,
  practiceIds: [practiceId],
  onStep(step) {
    if (step === last) process.kill(process.pid, 'SIGKILL');
  },
});
