/** Resolves at the first SIGTERM, SIGINT or SIGHUP, or the end of a parent with an IPC channel. A second signal ends the process. */
export function waitForStop(): Promise<string> {
  return new Promise((resolve) => {
    const signals: NodeJS.Signals[] = ['SIGTERM', 'SIGINT', 'SIGHUP'];
    const stop = (reason: string) => {
      for (const signal of signals) process.off(signal, stop);
      process.off('disconnect', parentGone);
      process.channel?.unref();
      resolve(reason);
    };
    const parentGone = () => stop('the parent process is gone');
    for (const signal of signals) process.on(signal, stop);
    if (process.connected) process.on('disconnect', parentGone);
  });
}
