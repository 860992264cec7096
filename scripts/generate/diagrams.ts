import { globSync, readFileSync } from 'node:fs';
import { instance } from '@viz-js/viz';
import { DISPUTE, LINK, REFUND, TRANSACTION } from '../../src/payment-links/model/transitions.ts';
import type { StateMachine } from '../../src/platform/base/state-machine.ts';
import { BASE } from '../../src/web/public-file.ts';
import { DEFAULT_RETRY_SECONDS } from '../../src/webhooks/model/retry-schedule.ts';
import { DELIVERY } from '../../src/webhooks/model/transitions.ts';

/*
 * The diagrams of the guides and of ARCHITECTURE.md. Their facts come from the code: transition tables, the retry schedule, imports
 * between rooms, and the numbered paths of ARCHITECTURE.md. Graphviz places them.
 */

const root = new URL('../../', import.meta.url);

/** Returns the diagrams in `docs/pictures`, by path from the root of the checkout. */
export async function diagrams(): Promise<[path: string, svg: string][]> {
  const viz = await instance();
  const draw = (name: string, title: string, text: string, graph: string): [string, string] => [
    `docs/pictures/${name}.svg`,
    finished(title, text, viz.renderString(graph, { format: 'svg' })),
  ];
  const machines = (name: string, title: string, ofEach: Readonly<Record<string, AnyMachine>>, direction = 'LR') =>
    draw(name, title, textOf(ofEach), stateGraph(ofEach, direction));
  return [
    machines('life-of-a-link', 'The life of a link', { link: LINK }),
    machines('life-of-a-payment', 'The life of a payment, its refunds and its disputes', {
      payment: TRANSACTION,
      refund: REFUND,
      dispute: DISPUTE,
    }),
    machines('life-of-a-delivery', 'The life of a delivery', { delivery: DELIVERY }, 'TB'),
    draw('way-of-a-webhook', 'The way of a webhook', WEBHOOK.map(sentence).join(' '), chain(WEBHOOK)),
    ['docs/pictures/eight-attempts.svg', timeLine(DEFAULT_RETRY_SECONDS)],
    draw('rooms', 'The rooms of src, and their imports', 'Each arrow leads to a room that is imported.', roomGraph()),
    draw('paths', 'The three paths through the code', 'The files of each path, in their order.', pathGraph()),
  ];
}

type AnyMachine = StateMachine<string, string>;

/** Steps from a change to its receipt. */
const WEBHOOK = [
  'A link changes.\\nOne transaction writes\\nstate, event and delivery',
  'The commit\\nwakes the workers',
  'A worker takes the lease\\nof the endpoint,\\nand records the attempt',
  'The request is signed\\nand sent to your receiver',
  'A 2xx ends the delivery.\\nAnything else is retried\\nfor three days',
];

function sentence(step: string): string {
  return `${step.replaceAll('\\n', ' ').replace(/\.$/, '')}.`;
}

function words(name: string): string {
  return name.replaceAll('_', ' ');
}

/** Returns the transitions as text: for readers who do not see the picture. */
function textOf(machines: Readonly<Record<string, AnyMachine>>): string {
  return Object.entries(machines)
    .flatMap(([thing, machine]) =>
      Object.entries(machine).map(([from, events]) => {
        const moves = Object.entries(events).map(([event, to]) => `${words(event)} leads to ${to}`);
        return `A ${thing} that is ${from}: ${moves.join(', ') || 'final'}.`;
      }),
    )
    .join(' ');
}

const HEAD = `bgcolor="transparent" rankdir=LR nodesep=0.5 ranksep=0.7 pad=0.1 fontname="Helvetica" fontsize=12
  node [shape=box style=rounded fontname="Helvetica" fontsize=13 margin="0.16,0.08" height=0.4]
  edge [fontname="Helvetica" fontsize=11 arrowsize=0.7]`;

function stateGraph(machines: Readonly<Record<string, AnyMachine>>, direction: string): string {
  const parts = Object.entries(machines).map(([thing, machine]) => {
    const id = (state: string) => `"${thing} ${state}"`;
    const [first = ''] = Object.keys(machine);
    const lines = Object.entries(machine).flatMap(([from, events]) => [
      `${id(from)} [label="${words(from)}" class="${Object.keys(events).length === 0 ? 'final' : 'state'}"]`,
      ...edges(events).map(([to, label]) => `${id(from)} -> ${id(to)} [label="${label}"]`),
    ]);
    const start = `"${thing}" [label="${thing}" shape=plaintext class="thing"] "${thing}" -> ${id(first)}`;
    return [start, ...lines].join('\n  ');
  });
  // Graphviz places the last part on top.
  return `digraph { ${HEAD} rankdir=${direction}\n  ${parts.reverse().join('\n  ')}\n}`;
}

/** Returns one edge for each next state, with all events that lead to it. */
function edges(events: Readonly<Record<string, string | undefined>>): [to: string, label: string][] {
  const labels = new Map<string, string[]>();
  for (const [event, to] of Object.entries(events)) if (to) labels.set(to, [...(labels.get(to) ?? []), words(event)]);
  return [...labels].map(([to, all]) => [to, all.join('\\n')]);
}

function chain(steps: readonly string[]): string {
  const nodes = steps.map((step, index) => `s${index} [label="${step}"]`);
  return `digraph { ${HEAD} ranksep=0.35\n  ${nodes.join('\n  ')}\n  ${steps.map((_, index) => `s${index}`).join(' -> ')}\n}`;
}

/** Draws each import from one room into another, unless a longer way implies it. */
function roomGraph(): string {
  const imports = new Map<string, Set<string>>();
  for (const file of globSync('src/*/**/*.ts', { cwd: root })) {
    const [, room = ''] = file.split('/');
    const others = imports.get(room) ?? new Set();
    imports.set(room, others);
    const depth = file.split('/').length - 2;
    const pattern = new RegExp(`(?:from |import\\()'(?:\\.\\./){${depth}}([a-z-]+)/`, 'g');
    for (const [, other = ''] of readFileSync(new URL(file, root), 'utf8').matchAll(pattern)) others.add(other);
  }
  const reaches = (from: string, to: string): boolean =>
    [...(imports.get(from) ?? [])].some((next) => next === to || reaches(next, to));
  const lines = [...imports].sort().flatMap(([room, others]) =>
    [...others]
      .filter((other) => ![...others].some((next) => next !== other && reaches(next, other)))
      .sort()
      .map((other) => `"${room}" -> "${other}"`),
  );
  return `digraph { ${HEAD} rankdir=TB nodesep=0.25 ranksep=0.35\n  ${lines.join('\n  ')}\n}`;
}

/** Draws the files of the numbered lists below `## Path …` in ARCHITECTURE.md. */
function pathGraph(): string {
  const text = readFileSync(new URL('ARCHITECTURE.md', root), 'utf8');
  const paths = text.split(/^## /m).filter((section) => section.startsWith('Path '));
  const rows = paths.map((section, row) => {
    const [title = ''] = section.split('\n');
    const files = [...section.matchAll(/^\d+\. (?:\*\*.+?\*\* )?`([\w/.-]+)`/gm)].map(([, file]) => file ?? '');
    const nodes = files.map((file, index) => `p${row}_${index} [label="${file.replace(/\/(?=[^/]+$)/, '/\\n')}"]`);
    const order = [`p${row}`, ...files.map((_, index) => `p${row}_${index}`)].join(' -> ');
    return `p${row} [label="${title.replace(': ', '\\n')}" shape=plaintext class="thing"]\n  ${nodes.join('\n  ')}\n  ${order}`;
  });
  return `digraph { ${HEAD} ranksep=0.25\n  ${rows.reverse().join('\n  ')}\n}`;
}

const UNITS = [
  [86_400, 'day'],
  [3_600, 'hour'],
  [60, 'minute'],
  [1, 'second'],
] as const;

function duration(seconds: number): string {
  const [size, unit] = UNITS.find(([size]) => seconds >= size * 2 || seconds === size) ?? [1, 'second'];
  const count = Math.round(seconds / size);
  return `${count} ${unit}${count === 1 ? '' : 's'}`;
}

/** Draws the attempts of a delivery in equal steps, with the waits between them and the time since the event. */
function timeLine(waits: readonly number[]): string {
  const step = 104;
  const width = step * waits.length + 100;
  let since = 0;
  const parts = [0, ...waits].map((wait, index) => {
    since += wait;
    const x = 50 + index * step;
    const gap = index === 0 ? '' : `<text x="${x - step / 2}" y="24" class="wait">${duration(wait)}</text>`;
    const after = index === 0 ? 'at once' : `after ${duration(since)}`;
    return `${gap}<circle cx="${x}" cy="40" r="13"/><text x="${x}" y="44.5">${index + 1}</text><text x="${x}" y="74" class="wait">${after}</text>`;
  });
  const title = 'The eight attempts of a delivery';
  const text = `The waits between the attempts are ${waits.map(duration).join(', ')}.`;
  const line = `<path d="M50 40H${width - 50}"/>`;
  return finished(
    title,
    text,
    `<svg viewBox="0 0 ${width} 86" width="${width}" height="86" class="line">\n${line}\n${parts.join('\n')}\n</svg>\n`,
  );
}

const STYLE = `text{fill:var(--ink);font-family:Helvetica,Arial,sans-serif}
.node path,.node polygon{fill:var(--surface);stroke:var(--edge)}
.final path{stroke-width:2.5}
.thing text{font-weight:bold}
.edge path{stroke:var(--edge)}
.edge polygon{fill:var(--edge);stroke:var(--edge)}
.edge text,.wait{fill:var(--quiet)}
.edge text{paint-order:stroke;stroke:var(--paper);stroke-width:4px}
.line path{stroke:var(--line);stroke-width:2}
.line circle{fill:var(--surface);stroke:var(--brand);stroke-width:2}
.line text{font-size:13px;text-anchor:middle}
.line .wait{font-size:11.5px}`;

/** Adds title, text and colors to a picture. The colors are those of the pages, light and dark. */
function finished(title: string, text: string, svg: string): string {
  const colors = [...readFileSync(BASE, 'utf8').matchAll(/(@media[^{]+\{\s*)?:root \{[^}]+\}/g)]
    .map(([block, media]) => block.replaceAll(/\s+/g, ' ') + (media ? '}' : ''))
    .join('\n');
  return svg
    .slice(svg.indexOf('<svg'))
    .replaceAll(/<!--.*?-->\n?/gs, '')
    .replaceAll(/<title>.*?<\/title>\n?/gs, '')
    .replace(/<svg ([^>]*)>/s, (_, attributes: string) => {
      const namespace = attributes.includes('xmlns=') ? '' : 'xmlns="http://www.w3.org/2000/svg" ';
      return `<svg ${namespace}role="img" ${attributes}>\n<title>${title}</title>\n<desc>${text}</desc>\n<style>\n${colors}\n${STYLE}\n</style>`;
    });
}
