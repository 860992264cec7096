import type { Account } from './account.ts';
import type { Binaries } from './binaries.ts';

/**
 * Folders, programs and account of one embedded server. Normally all files are in the caller's folder. If root runs the
 * server, PostgreSQL uses another account, which may be unable to reach that folder. Then the data are outside of it.
 */
export interface Place {
  /** The caller's folder, absolute, without symbolic links: the locks and the log. */
  directory: string;
  /** The folder with `data` and the password: `directory`, or one outside of it that the account can reach. */
  home: string;
  binaries: Binaries;
  /** Null means the account of this process. */
  account: Account | null;
}
