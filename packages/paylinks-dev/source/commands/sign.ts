import { randomBytes } from 'node:crypto';
import { EVENT_TYPES, eventType, sampleOf } from '../events.ts';
import { Failure } from '../failure.ts';
import { post, receiverUrl, type Webhook } from '../webhooks/post.ts';
import { type Command, printObject, signingSecret, textOption } from './command.ts';

/** Posts signed samples to a receiver. */
export const signCommand: Command = {
  name: 'sign',
  summary: 'Posts a signed sample of each event, or of one type, to a receiver. Needs no key.',
  arguments: ['[TYPE]'],
  options: {
    to: { value: 'URL', help: 'Address of the receiver.' },
    secret: { value: 'SECRET', help: 'Secret that signs. Default: PAYLINKS_WEBHOOK_SECRET, or the one of `listen`.' },
  },
  isLocal: true,
  examples: [
    'sign --to http://localhost:4000/webhooks',
    'sign payment_link.disputed --to http://localhost:4000/webhooks',
  ],
  notes: [`The types are ${EVENT_TYPES.join(', ')}.`, 'Exit status 1 says that the receiver refused a sample.'],
  async run(call) {
    const [given] = call.arguments;
    const types = given === undefined ? EVENT_TYPES : [eventType(given)];
    const url = receiverUrl(textOption(call, 'to'), '--to');
    const { terminal } = call;
    const secret = signingSecret(call);
    let refused = 0;
    for (const type of types) {
      const webhook = sample(type);
      const posted = await post(url, secret, webhook, terminal.stopped);
      if (!posted.succeeded) refused++;
      const { id } = webhook;
      if (call.isJson) printObject(call, { type, id, ...posted }, []);
      else terminal.write(`${type}  ${id}  ${posted.status ?? posted.error} (${posted.durationMs} ms)\n`);
      if (terminal.stopped.aborted) break;
      if (posted.status === null) {
        throw new Failure(`The receiver does not answer: ${posted.error}.`, 'Start the receiver, or check --to.');
      }
    }
    if (refused > 0) {
      throw new Failure(
        `The receiver refused ${refused} of ${types.length}.`,
        'Has it the same secret? `paylinks-dev listen --print-secret` prints the default.',
      );
    }
  },
};

/** Returns the contract's example of the type, with an id of its own, so that no receiver takes it for a duplicate. */
function sample(type: (typeof EVENT_TYPES)[number]): Webhook {
  const id = `evt_sample${randomBytes(8).toString('hex')}`;
  return { id, type, payload: JSON.stringify({ ...sampleOf(type), id, test: true }) };
}
