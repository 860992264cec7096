/** Returns the members that ONLY names, separated by commas; all without it. @throws Error for a name that none has */
export function chosen<T extends { name: string }>(all: readonly T[]): T[] {
  const names = (process.env.ONLY ?? '').split(',').filter((name) => name !== '');
  const unknown = names.filter((name) => !all.some((one) => one.name === name));
  if (unknown.length > 0)
    throw new Error(`no scenario ${unknown.join(', ')}; there are ${all.map(({ name }) => name).join(', ')}`);
  return all.filter(({ name }) => names.length === 0 || names.includes(name));
}

/** Returns a whole number from the environment, or the fallback. @throws Error for anything else, or for less than `least` */
export function numberOption(name: string, fallback: number, least = 1): number {
  const text = process.env[name] || `${fallback}`;
  if (/^\d{1,9}$/.test(text) && Number(text) >= least) return Number(text);
  throw new Error(`${name} must be a whole number from ${least} on`);
}
