import type { Logger } from 'pino';
import { sensitiveFields } from '../../src/contract/fields.ts';
import { createLogger } from '../../src/platform/base/log/log.ts';

/** A log whose lines a test can read, each as its fields. */
export class CapturedLog {
  readonly lines: Record<string, unknown>[] = [];
  readonly log: Logger;

  constructor(level = 'debug') {
    this.log = createLogger(level, sensitiveFields, { write: (line) => void this.lines.push(JSON.parse(line)) });
  }

  /** Takes the lines out that say this, oldest first. */
  take(message: string | RegExp): Record<string, unknown>[] {
    const says = ({ msg }: Record<string, unknown>) =>
      typeof message === 'string' ? msg === message : message.test(String(msg));
    const taken = this.lines.filter(says);
    const rest = this.lines.filter((line) => !says(line));
    this.lines.splice(0, this.lines.length, ...rest);
    return taken;
  }
}
