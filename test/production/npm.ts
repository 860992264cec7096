import { delimiter, join } from 'node:path';

/** The machine's own PATH: `make test` puts the packages' programs in front of it. */
export const machinePath = (process.env.PATH ?? '')
  .split(delimiter)
  .filter((folder) => !folder.endsWith(join('node_modules', '.bin')))
  .join(delimiter);

/** Message of npm when the registry does not answer. */
export const OUT_OF_REACH =
  /\b(ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ECONNRESET|ETIMEDOUT|ENETUNREACH|ENOTCACHED|ERR_SOCKET_TIMEOUT)\b/;
