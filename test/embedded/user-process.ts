/**
 * A process that uses the embedded server, to be ended in every way a process can end. Arguments: folder, and "exit" to
 * leave without stop(). Prints one line of JSON once it uses the server; leaves in order when its standard input ends.
 */

import { startEmbeddedPostgres } from 'development-postgres';
import { postgresMajor } from '../harness/postgres-major.ts';

const [directory = '', manner] = process.argv.slice(2);
const server = await startEmbeddedPostgres({ directory, isDurable: false, major: postgresMajor });
process.stdout.write(`${JSON.stringify({ ...server, postmasterPid: server.postmasterPid })}\n`);
process.stdin.once('end', async () => {
  if (manner !== 'exit') await server.stop();
  process.exit(0);
});
process.stdin.resume();
