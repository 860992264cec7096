import type { Account } from './account.ts';
import type { Binaries } from './binaries.ts';

/**
 * Where everything of one embedded server lies. Normally all of it is in the folder the caller names. Only for root it
 * may be elsewhere: PostgreSQL then runs under another account, and that one can't walk to, say, a checkout in /root.
 */
export interface Place {
  /** The caller's folder, absolute, without symbolic links: the locks and the log. */
  directory: string;
  /** The folder with `data` and the password: `directory`, or one outside of it that the account can reach. */
  home: string;
  binaries: Binaries;
  /** Null: our own. */
  account: Account | null;
}
