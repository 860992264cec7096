import { type Command, InvalidArgumentError, Option } from 'commander';
import { haproxyConfiguration } from '../../cells/haproxy.ts';
import { type Cell, readCellMap, slotsOf } from '../../cells/map.ts';
import { plainCommand } from '../command.ts';
import { render } from '../output.ts';

/** Adds the commands on the map of cells. They need no database. */
export function addCellCommands(program: Command): void {
  const cells = program.command('cells').description('several databases behind one edge');
  plainCommand(cells, 'map', 'checks the map of cells, or writes the configuration of the edge')
    .addOption(new Option('--check <file>', 'checks the map, and shows its cells').conflicts('haproxy'))
    .addOption(new Option('--haproxy <file>', 'prints the configuration of HAProxy for the map'))
    .action(({ check, haproxy, json = false }: MapOptions) => {
      if (haproxy !== undefined) return writeConfiguration(haproxy, json);
      if (check === undefined) throw new InvalidArgumentError('Say --check or --haproxy, with the file of the map.');
      process.stdout.write(render({ data: readCellMap(check).cells.map(cellView) }, json));
    });
}

interface MapOptions {
  check?: string;
  haproxy?: string;
  json?: boolean;
}

function writeConfiguration(path: string, json: boolean): void {
  const text = haproxyConfiguration(readCellMap(path));
  process.stdout.write(json ? render({ haproxy: text }, json) : text);
}

function cellView(cell: Cell) {
  const { name, addresses, hosts } = cell;
  return { name, addresses, hosts, slots: slotsOf(cell).length };
}
