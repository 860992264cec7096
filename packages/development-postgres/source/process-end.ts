/** Signals that end a process without a handler: Ctrl-C, `kill`, a closed terminal. */
const SIGNALS: NodeJS.Signals[] = ['SIGINT', 'SIGTERM', 'SIGHUP'];

const actions = new Set<() => void>();

/**
 * Runs the action when the process ends, unless the returned function was called before. It runs at process.exit(), at an
 * uncaught error, and at a signal without another handler, which still ends the process. It does not run at kill -9. The
 * action must not wait and must not throw.
 */
export function atProcessEnd(action: () => void): () => void {
  if (actions.size === 0) listen();
  actions.add(action);
  return () => {
    if (actions.delete(action) && actions.size === 0) unlisten();
  };
}

function listen(): void {
  process.on('exit', runAll);
  // First, so as to still see listeners that remove themselves when they are called.
  for (const signal of SIGNALS) process.prependListener(signal, onSignal);
}

function unlisten(): void {
  process.removeListener('exit', runAll);
  for (const signal of SIGNALS) process.removeListener(signal, onSignal);
}

function onSignal(signal: NodeJS.Signals): void {
  const othersListen = process.listenerCount(signal) > 1;
  if (othersListen) return;
  runAll();
  process.kill(process.pid, signal);
}

function runAll(): void {
  unlisten();
  for (const action of actions) action();
  actions.clear();
}
