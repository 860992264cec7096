const steps: (() => unknown)[] = [];

/** Runs the function after the present test, however it ends. The last one that was given runs first. */
export function afterThisTest(step: () => unknown): void {
  steps.push(step);
}

/** Runs all functions of the test that has ended. */
export async function endTest(): Promise<void> {
  for (let step = steps.pop(); step !== undefined; step = steps.pop()) await step();
}
