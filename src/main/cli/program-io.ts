import { Command } from 'commander';

export interface Output {
  write(text: string): unknown;
  isTTY?: boolean;
}

/** The environment of a command and the streams that it writes to: of `process`, or of a test. */
export interface ProgramIo {
  env: NodeJS.ProcessEnv;
  stdout: Output;
  stderr: Output;
}

/** The root of all commands. Actions find its environment and streams here, and set its exit code. */
export class Program extends Command {
  exitCode = 0;
  readonly io: ProgramIo;

  constructor(io: ProgramIo) {
    super('paylinks');
    this.io = io;
    this.configureOutput({
      writeOut: (text) => void io.stdout.write(text),
      writeErr: (text) => void io.stderr.write(text),
    });
  }
}

export function findProgram(command: Command): Program {
  let root = command;
  while (root.parent !== null) root = root.parent;
  if (!(root instanceof Program)) throw new Error('a command belongs to a program');
  return root;
}
