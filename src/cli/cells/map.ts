import { type Command, InvalidArgumentError, Option } from 'commander';
import { haproxyConfiguration } from '../../cells/haproxy.ts';
import { type Cell, type CellMap, readCellMap, slotsOf } from '../../cells/map.ts';
import { prometheusRules } from '../../cells/prometheus.ts';
import { plainCommand } from '../command.ts';
import { render } from '../output.ts';
import { type Output, programOf } from '../program-io.ts';

/** Adds the commands on the map of cells. They need no database. */
export function addCellCommands(program: Command): void {
  const cells = program.command('cells').description('several databases behind one edge');
  plainCommand(cells, 'map', 'checks the map of cells, or writes the configuration of the edge, or alerts')
    .addOption(new Option('--check <file>', 'checks the map, and shows its cells').conflicts(['haproxy', 'prometheus']))
    .addOption(
      new Option('--haproxy <file>', 'prints the configuration of HAProxy for the map').conflicts('prometheus'),
    )
    .addOption(new Option('--prometheus <file>', 'prints alerts for cells without any process'))
    .action(function (this: Command, { check, haproxy, prometheus, json = false }: MapOptions) {
      const { stdout } = programOf(this).io;
      if (haproxy !== undefined) return write(stdout, 'haproxy', haproxyConfiguration, haproxy, json);
      if (prometheus !== undefined) return write(stdout, 'prometheus', prometheusRules, prometheus, json);
      if (check === undefined) {
        throw new InvalidArgumentError('Say --check, --haproxy or --prometheus, with the file of the map.');
      }
      stdout.write(render({ data: readCellMap(check).cells.map(cellView) }, json));
    });
}

interface MapOptions {
  check?: string;
  haproxy?: string;
  prometheus?: string;
  json?: boolean;
}

function write(stdout: Output, name: string, textOf: (map: CellMap) => string, path: string, json: boolean): void {
  const text = textOf(readCellMap(path));
  stdout.write(json ? render({ [name]: text }, json) : text);
}

function cellView(cell: Cell) {
  const { name, addresses, hosts, weight } = cell;
  return { name, addresses, hosts, slots: slotsOf(cell).length, weight };
}
