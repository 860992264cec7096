/**
 * Resolves with what asks the process to end: the first SIGTERM, SIGINT or SIGHUP, or the death of a parent that
 * started it with a channel. A second signal ends the process at once, for those in a hurry.
 */
export function untilStopped(): Promise<string> {
  return new Promise((resolve) => {
    const signals: NodeJS.Signals[] = ['SIGTERM', 'SIGINT', 'SIGHUP'];
    const stop = (reason: string) => {
      for (const signal of signals) process.off(signal, stop);
      process.off('disconnect', orphaned);
      process.channel?.unref();
      resolve(reason);
    };
    const orphaned = () => stop('the parent process is gone');
    for (const signal of signals) process.on(signal, stop);
    if (process.connected) process.on('disconnect', orphaned);
  });
}
