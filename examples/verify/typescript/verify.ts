import { createHmac, timingSafeEqual } from 'node:crypto';
import { readFileSync } from 'node:fs';

const TOLERANCE_SECONDS = 300;

/**
 * Returns true if a webhook is genuine and recent.
 *
 * @param secret the endpoint's secret, `whsec_` included
 * @param header the value of Service-Signature, or undefined when there is none
 * @param body the body exactly as received, before any parsing
 * @param nowSeconds Unix time; given in tests only
 */
export function isGenuine(
  secret: string,
  header: string | undefined,
  body: Uint8Array,
  nowSeconds: number = Date.now() / 1_000,
): boolean {
  const parts = (header ?? '').split(',');
  const timestamps = parts.filter((part) => part.startsWith('t=')).map((part) => part.slice(2));
  const signatures = parts.filter((part) => part.startsWith('v1=')).map((part) => part.slice(3));
  const [timestamp] = timestamps;
  if (timestamp === undefined || timestamps.length > 1 || !/^[0-9]{1,12}$/.test(timestamp)) return false;
  if (Math.abs(nowSeconds - Number(timestamp)) > TOLERANCE_SECONDS) return false;
  const hex = createHmac('sha256', secret).update(`${timestamp}.`).update(body).digest('hex');
  const expected = Buffer.from(hex);
  // Every signature is compared, each in constant time, so that the time taken reveals nothing.
  const matches = signatures.map((signature) => {
    const given = Buffer.from(signature);
    return given.length === expected.length && timingSafeEqual(given, expected);
  });
  return matches.includes(true);
}

// node verify.ts <secret> <header> [<now>] < body
if (import.meta.main) {
  const [secret, header, now] = process.argv.slice(2);
  if (secret === undefined || header === undefined) {
    console.error('usage: node verify.ts <secret> <Service-Signature> [<unix time>] < body');
    process.exit(2);
  }
  const genuine = isGenuine(secret, header, readFileSync(0), now === undefined ? undefined : Number(now));
  console.log(genuine ? 'genuine' : 'not genuine');
  process.exit(genuine ? 0 : 1);
}
