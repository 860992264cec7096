/**
 * Returns the mutants that `ONLY` names: those whose name or file contains one of its words, separated by commas. All without it.
 *
 * @throws Error if there is none
 */
export function chooseMutants<Mutant extends { name: string; file: string }>(
  mutants: readonly Mutant[],
  only = '',
): Mutant[] {
  const words = only.toLowerCase().split(',');
  const chosen = mutants.filter(({ name, file }) =>
    words.some((word) => `${name} ${file}`.toLowerCase().includes(word)),
  );
  if (chosen.length === 0) throw new Error(`ONLY=${only}: the name or file of no mutant contains this`);
  return chosen;
}
