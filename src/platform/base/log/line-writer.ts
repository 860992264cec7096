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
 * Creates a writer to a file, or to a pipe or socket that does not block. Lines of 50 ms are written
 * together, because a write costs twice as much as a line. A line that cannot be written is dropped and reported. It never throws or waits.
 *
 * @param afterLoss called when all lines are written again, with the number of those dropped since
 */
export function createLineWriter(fd: number, afterLoss: (count: number) => void) {
  let waiting: Buffer[] = [];
  let waitingBytes = 0;
  let next = Buffer.alloc(0);
  /** True if the first line of `next` was written in part. Its end is never dropped. */
  let isCut = false;
  /** While it is `writing`, a thread writes `next`. */
  let state: 'idle' | 'scheduled' | 'writing' = 'idle';
  let dropped = 0;

  const drop = (count: number) => {
    dropped += count;
    if (count > 0) report('log_lines_dropped', () => ({ count }));
  };

  const schedule = (start: (step: () => void) => void) => {
    state = 'scheduled';
    start(writeNext);
  };

  function writeNext(): void {
    const lines: Buffer[] = [next];
    let bytes = next.length;
    for (const line of waiting) {
      if (bytes > 0 && bytes + line.length > MAX_WRITE_BYTES) break;
      lines.push(line);
      bytes += line.length;
    }
    waiting = waiting.slice(lines.length - 1);
    waitingBytes -= bytes - next.length;
    next = Buffer.concat(lines);
    state = 'writing';
    write(fd, next, (error, written) => {
      if (error?.code === 'EAGAIN') return schedule((step) => setTimeout(step, RETRY_MS).unref());
      if (error) dropNext();
      else advance(written);
      // After a fault that stays, such as a reader that is gone, another try at once would take a whole processor.
      if (error && waiting.length > 0) schedule((step) => setTimeout(step, RETRY_MS).unref());
      else if (waiting.length > 0 || (next.length > 0 && !error)) schedule(setImmediate);
      else state = 'idle';
    });
  }

  function advance(written: number): void {
    if (written > 0) isCut = next[written - 1] !== LINE_BREAK;
    next = next.subarray(written);
    if (next.length > 0 || waiting.length > 0 || dropped === 0) return;
    const count = dropped;
    dropped = 0;
    afterLoss(count);
  }

  function dropNext(): void {
    const end = isCut ? next.indexOf(LINE_BREAK) + 1 : 0;
    drop(next.subarray(end).filter((byte) => byte === LINE_BREAK).length);
    next = next.subarray(0, end);
  }

  process.on('exit', () => {
    let rest = Buffer.concat(state === 'writing' ? waiting : [next, ...waiting]);
    try {
      while (rest.length > 0) rest = rest.subarray(writeSync(fd, rest));
    } catch {
      // The process ends without these lines: nothing waits for a log.
    }
  });

  return {
    write(text: string) {
      const line = Buffer.from(text);
      if (waitingBytes + line.length > MAX_WAITING_BYTES) return drop(1);
      waiting.push(line);
      waitingBytes += line.length;
      if (state === 'idle') schedule((step) => setTimeout(step, GATHER_MS).unref());
    },
  };
}
