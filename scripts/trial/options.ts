/** Returns a whole number from the environment, or the fallback. @throws Error for anything else, or for less than `least` */
export function numberOption(name: string, fallback: number, least = 1): number {
  const text = process.env[name] || `${fallback}`;
  if (/^\d{1,9}$/.test(text) && Number(text) >= least) return Number(text);
  throw new Error(`${name} must be a whole number from ${least} on`);
}
