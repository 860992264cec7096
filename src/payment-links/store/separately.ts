import { createChange } from './change.ts';
import { separate } from './gathered.ts';
import { postgres } from './postgres.ts';

const store = separate(postgres);

/** Reads and changes links by statements that they share with no other work: for workers, the command line and transactions. */
export const separately = { store, change: createChange(store) };
