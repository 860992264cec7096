import { putLoad } from './http-load.ts';
import { putPacedLoad } from './paced-load.ts';
import { serveProcedures } from './remote.ts';

/** The load generator, in a process of its own so that its work does not delay what it measures. */
const procedures = { putLoad, putPacedLoad };

export type LoadProcedures = typeof procedures;

serveProcedures(procedures);
