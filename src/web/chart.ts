import * as ui from './blocks.ts';

/** Units of the drawing, which the page stretches. Each column has a bar of each series, and a gap. */
const COLUMN = 12;
const GAP = 2;
const HEIGHT = 120;

/** Most steps of the scale. */
const MAX_STEPS = 4;

interface Chart {
  title: string;
  /** Says where the figures stand in words. */
  help: string;
  /** Names of the columns. The first one, the middle one and the last one stand below them. */
  columns: readonly string[];
  /** Cents of each column. The look is the class of the bars, and of their color beside the name. */
  series: readonly { name: string; look: string; cents: readonly number[] }[];
  money: (cents: number) => string;
}

/** Draws amounts as bars, in whole units and one path per series, so that the page stays short. `below` stands within the frame. */
export function barChart({ title, help, columns, series, money }: Chart, below: ui.Content = null): ui.Block {
  const highest = Math.max(0, ...series.flatMap(({ cents }) => cents));
  const { step, steps } = chooseScale(highest);
  const ticks = Array.from({ length: steps + 1 }, (_, index) => steps - index);
  const width = COLUMN * columns.length;
  const barWidth = Math.floor((COLUMN - GAP) / series.length);
  const drawBar = (cents: number, left: number) => {
    const height = cents === 0 ? 0 : Math.max(1, Math.round((cents / (step * steps)) * HEIGHT));
    return height === 0 ? '' : `M${left} ${HEIGHT}v${-height}h${barWidth}v${height}z`;
  };
  const lines = ticks.map((tick) => `M0 ${HEIGHT - Math.round((tick / steps) * HEIGHT)}h${width}`);
  const paths = series.map(({ look, cents }, place) =>
    path(look, cents.map((one, column) => drawBar(one, column * COLUMN + place * barWidth)).join('')),
  );
  const values = columns.map((name, column) => {
    const lines = [name, ...series.map(({ name, cents }) => `${name}: ${money(cents[column] ?? 0)}`)];
    const attributes = { x: column * COLUMN, width: COLUMN, height: HEIGHT };
    return { tag: 'rect', attributes, content: ui.mark('title', lines.join('\n')) };
  });
  const middle = columns[Math.floor(columns.length / 2)];
  const ends = [columns[0], middle, columns.at(-1)].filter((name) => name !== undefined);
  const legend = series.map(({ name, look }) => [ui.mark('span', '', `swatch ${look}`), ` ${name} `]);
  const view = { viewBox: `0 0 ${width} ${HEIGHT}`, preserveAspectRatio: 'none' };
  const drawing = { ...view, role: 'img', 'aria-label': `${title}. ${help}` };
  const scale = ticks.map((tick) => money(tick * step).replace(/\D00$/, ''));
  const svg = { tag: 'svg', attributes: drawing, content: [path('grid', lines.join('')), paths, values] };
  const plot = [words('scale', scale), svg, words('labels', [...new Set(ends)])];
  const caption = ui.mark('figcaption', [ui.mark('strong', title), ui.BREAK, legend]);
  return ui.mark('figure', [caption, ui.mark('div', plot, 'plot'), below], 'card chart');
}

/** Shows words beside the drawing, which is stretched. */
function words(className: string, texts: readonly string[]): ui.Block {
  const spans = texts.map((text) => ui.mark('span', text));
  return ui.element('div', { class: className, 'aria-hidden': 'true' }, spans);
}

function path(look: string, d: string): ui.Block {
  return { tag: 'path', attributes: { class: look, d }, content: '' };
}

/** Returns the step of the scale in cents, a round number of dollars, and the number of steps up to the highest value. */
function chooseScale(highestCents: number): { step: number; steps: number } {
  const least = Math.max(1, highestCents / 100 / MAX_STEPS);
  const power = 10 ** Math.floor(Math.log10(least));
  const step = 100 * power * ([1, 2, 5].find((factor) => factor * power >= least) ?? 10);
  return { step, steps: Math.max(1, Math.ceil(highestCents / step)) };
}
