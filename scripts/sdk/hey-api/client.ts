import { createPaymentLink, listLocations } from './sdk';
import { createClient } from './sdk/client';

const client = createClient({ baseUrl: process.env.PAYLINKS_BASE_URL, auth: process.env.PAYLINKS_API_KEY });

async function main(): Promise<void> {
  const { data: locations } = await listLocations({ client, throwOnError: true });
  const { data: link, error } = await createPaymentLink({
    client,
    headers: { 'Idempotency-Key': `invoice-${Date.now()}` },
    body: {
      amount: 125.5,
      description: 'Crown, balance after insurance',
      locationId: locations.data[0]?.id,
      patient: { firstName: 'Ada', lastName: 'Moreno' },
    },
  });
  if (link === undefined) throw new Error(`${error.error.code}: ${error.error.message}`);
  console.log(link.url);
}

main();
