import { write, writeSync } from 'node:fs';
import { report } from '../diagnostics.ts';

/** Largest atomic write to a pipe (PIPE_BUF), so that lines of several processes do not mix. */
const MAX_WRITE_BYTES = 4_096;

const MAX_WAITING_BYTES = 1_048_576;

/** Time for which a line waits for others. A killed process loses as much of its log. */
const GATHER_MS = 50;

const RETRY_MS = 100;

const LINE_BREAK = 0x0a;

/**
 * Writes lines to a file, or to a pipe or socket that does not block. Lines of 50 ms are written together, because a write
 * costs twice as much as a line. A line that cannot be written is dropped and reported. It never throws or waits.
 */
export class LineWriter {
  readonly #fd: number;
  readonly #afterLoss: (count: number) => void;
  #waiting: Buffer[] = [];
  #waitingBytes = 0;
  #next = Buffer.alloc(0);
  /** True if the first line of `#next` was written in part. Its end is never dropped. */
  #isCut = false;
  /** While it is `writing`, a thread writes `#next`. */
  #state: 'idle' | 'scheduled' | 'writing' = 'idle';
  #droppedCount = 0;

  /** @param afterLoss called when all lines are written again, with the number of those dropped since */
  constructor(fd: number, afterLoss: (count: number) => void) {
    this.#fd = fd;
    this.#afterLoss = afterLoss;
    process.on('exit', () => this.#writeRest());
  }

  write(text: string): void {
    const line = Buffer.from(text);
    if (this.#waitingBytes + line.length > MAX_WAITING_BYTES) {
      this.#drop(1);
      return;
    }
    this.#waiting.push(line);
    this.#waitingBytes += line.length;
    if (this.#state === 'idle') this.#writeAfter(GATHER_MS);
  }

  #writeAfter(delayMs: number): void {
    this.#state = 'scheduled';
    if (delayMs === 0) setImmediate(() => this.#writeNext());
    else setTimeout(() => this.#writeNext(), delayMs).unref();
  }

  #writeNext(): void {
    const lines: Buffer[] = [this.#next];
    let bytes = this.#next.length;
    for (const line of this.#waiting) {
      if (bytes > 0 && bytes + line.length > MAX_WRITE_BYTES) break;
      lines.push(line);
      bytes += line.length;
    }
    this.#waiting = this.#waiting.slice(lines.length - 1);
    this.#waitingBytes -= bytes - this.#next.length;
    this.#next = Buffer.concat(lines);
    this.#state = 'writing';
    write(this.#fd, this.#next, (error, written) => {
      if (error?.code === 'EAGAIN') return this.#writeAfter(RETRY_MS);
      if (error) this.#dropNext();
      else this.#advance(written);
      // After a fault that stays, such as a reader that is gone, another try at once would take a whole processor.
      if (error && this.#waiting.length > 0) this.#writeAfter(RETRY_MS);
      else if (this.#waiting.length > 0 || (this.#next.length > 0 && !error)) this.#writeAfter(0);
      else this.#state = 'idle';
    });
  }

  #advance(written: number): void {
    if (written > 0) this.#isCut = this.#next[written - 1] !== LINE_BREAK;
    this.#next = this.#next.subarray(written);
    if (this.#next.length > 0 || this.#waiting.length > 0 || this.#droppedCount === 0) return;
    const count = this.#droppedCount;
    this.#droppedCount = 0;
    this.#afterLoss(count);
  }

  #dropNext(): void {
    const end = this.#isCut ? this.#next.indexOf(LINE_BREAK) + 1 : 0;
    this.#drop(this.#next.subarray(end).filter((byte) => byte === LINE_BREAK).length);
    this.#next = this.#next.subarray(0, end);
  }

  #drop(count: number): void {
    this.#droppedCount += count;
    if (count > 0) report('log_lines_dropped', () => ({ count }));
  }

  #writeRest(): void {
    let rest = Buffer.concat(this.#state === 'writing' ? this.#waiting : [this.#next, ...this.#waiting]);
    try {
      while (rest.length > 0) rest = rest.subarray(writeSync(this.#fd, rest));
    } catch {
      // The process ends without these lines: nothing waits for a log.
    }
  }
}
