import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { isGenuine } from './verify/typescript/verify.ts';

/**
 * A receiver of webhooks as small as it can be: raw bytes first, signature second, and only then what they say.
 *
 *   SECRET_FILE=secret.txt node examples/receiver.ts
 */
const port = Number(process.env.RECEIVER_PORT ?? 4001);
const secretFile = process.env.SECRET_FILE ?? 'secret.txt';

const server = createServer(async (request, response) => {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk);
  const body = Buffer.concat(chunks);
  const signature = request.headers['service-signature'];
  const secret = readFileSync(secretFile, 'utf8').trim();
  if (typeof signature !== 'string' || !isGenuine(secret, signature, body)) {
    console.log('a request without a valid signature was refused');
    response.writeHead(400).end();
    return;
  }
  // Answer first, work afterwards: an answer later than 10 seconds counts as a failure.
  response.writeHead(200).end();
  const event = JSON.parse(body.toString('utf8'));
  console.log(`${event.type} ${event.id} signature verified`);
});

server.listen(port, '127.0.0.1', () => console.log(`listening on http://127.0.0.1:${port}/webhooks`));
