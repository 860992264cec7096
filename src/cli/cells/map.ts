import { type Command, InvalidArgumentError, Option } from 'commander';
import { haproxyConfiguration } from '../../cells/haproxy.ts';
import { type Cell, readCellMap, slotsOf } from '../../cells/map.ts';
import { addPlainCommand } from '../command.ts';
import { render } from '../output.ts';
import { programOf } from '../program-io.ts';

/** Adds the commands on the map of cells. They need no database. */
export function addCellCommands(program: Command): void {
  const cells = program.command('cells').description('several databases behind one edge');
  addPlainCommand(cells, 'map', 'checks the map of cells, or writes the configuration of the edge')
    .addOption(new Option('--check <file>', 'checks the map, and shows its cells').conflicts('haproxy'))
    .option('--haproxy <file>', 'prints the configuration of HAProxy for the map')
    .action(function (this: Command, { check, haproxy, json = false }: MapOptions) {
      const file = check ?? haproxy;
      if (file === undefined) throw new InvalidArgumentError('Say --check or --haproxy, with the file of the map.');
      const map = readCellMap(file);
      const { stdout } = programOf(this).io;
      if (check !== undefined) return void stdout.write(render({ data: map.cells.map(cellView) }, json));
      const text = haproxyConfiguration(map);
      stdout.write(json ? render({ haproxy: text }, json) : text);
    });
}

interface MapOptions {
  check?: string;
  haproxy?: string;
  json?: boolean;
}

function cellView(cell: Cell) {
  const { name, addresses, hosts, weight } = cell;
  return { name, addresses, hosts, slots: slotsOf(cell).length, weight };
}
