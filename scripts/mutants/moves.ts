import type { Mutant } from './mutant.ts';

const DIFFERENCES = {
  test: 'test/moves/differences.property.test.ts',
  title: 'a changed row of each kind of table arrives',
};

/** Faults in moves of practices to another cell. */
export const MOVES: readonly Mutant[] = [
  {
    name: 'a row is lost whose subtransaction was open at the first snapshot of a move',
    file: 'src/moves/two-copies.ts',
    text: 'BigInt(row.oldest)',
    instead: 'BigInt(row.next)',
    test: DIFFERENCES.test,
    title: 'a row arrives whose subtransaction was open',
  },
  {
    name: 'a row that is deleted during the copy keeps its practice from moving',
    file: 'src/moves/differences.ts',
    text: 'if (left > counts.unchanged) left -=',
    instead: 'if (left < counts.unchanged) left -=',
    ...DIFFERENCES,
  },
  {
    name: 'a person whom the target knows keeps the id of the source in rows that were copied first',
    file: 'src/moves/differences.ts',
    text: 'namesPeople(table, people)',
    instead: 'namesPeople(table, new Map())',
    ...DIFFERENCES,
  },
  {
    name: 'a row that changes during the copy loses its reference to a row that is copied later',
    file: 'src/moves/two-copies.ts',
    text: "complete.has(table.name) && writtenSince !== null ? writtenSince : 'true'",
    instead: "complete.has(table.name) ? 'false' : 'true'",
    ...DIFFERENCES,
  },
  {
    name: 'a practice stays frozen while the move that follows an interrupted one copies it',
    file: 'src/moves/move.ts',
    text: "move_state in ('draining', 'frozen')",
    instead: "move_state in ('draining')",
    test: 'test/moves/crashes.test.ts',
    title: 'works again while the next one copies it',
  },
];
