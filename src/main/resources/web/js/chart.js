// Lines over the last minutes, as SVG.

import { el, svg, keyed, setText } from './dom.js';
import { number, withUnit } from './format.js';

const WIDTH = 600;
const HEIGHT = 180;
const LEFT = 44;
const RIGHT = 6;
const TOP = 8;
const BOTTOM = 20;
const MOST_SERIES = 8;
/** How much of the past is shown, at first less. */
const WINDOWS = [60, 120, 300, 600];
const MARKS = 5;

/** The next number that reads well: 1, 2 or 5 with zeros. */
export function niceTop(value) {
  if (!(value > 0)) return 1;
  const magnitude = 10 ** Math.floor(Math.log10(value));
  return [1, 2, 5, 10].map((step) => step * magnitude).find((step) => step >= value * 0.999);
}

/** A chart with its legend and, for those who do not see it, a table of the latest values. */
export class LineChart {
  #show;
  #empty;
  #lines = new Map();
  #legend = new Map();
  #colours = new Map();
  #legendList = el('ul', { class: 'legend' });
  #plot = svg('g', {});
  #grid = svg('g', { class: 'grid' });
  #cursor = svg('line', { class: 'cursor', y1: TOP, y2: HEIGHT - BOTTOM, visibility: 'hidden' });
  #hint;
  #hover = null;
  #last = null;

  /** `show(value)` makes a text of a value with its unit. */
  constructor(title, unit, empty, show = (value) => (unit ? withUnit(value, unit) : number(value))) {
    this.#show = show;
    this.#empty = empty;
    const id = `chart-${title.toLowerCase().replace(/[^a-z]+/g, '-')}`;
    const drawing = svg('svg', {
      viewBox: `0 0 ${WIDTH} ${HEIGHT}`, class: 'chart', role: 'img', 'aria-labelledby': id, preserveAspectRatio: 'none',
    }, this.#grid, this.#plot, this.#cursor);
    drawing.addEventListener('pointermove', (event) => {
      const box = drawing.getBoundingClientRect();
      this.#hover = ((event.clientX - box.left) / box.width) * WIDTH;
      this.#redraw();
    });
    drawing.addEventListener('pointerleave', () => {
      this.#hover = null;
      this.#redraw();
    });
    this.#hint = el('p', { class: 'quiet', text: empty });
    this.node = el('section', { class: 'card chart-card' },
      el('h3', { id }, title, ' ', el('span', { class: 'unit', text: unit })),
      el('div', { class: 'plot' }, drawing, this.#axis()), this.#hint, this.#legendList);
    this.#redraw();
  }

  /** Texts are HTML, so that they keep their size however wide the drawing is. */
  #axis() {
    this.top = el('span', { class: 'axis-top' });
    this.middle = el('span', { class: 'axis-middle' });
    this.then = el('span', { class: 'axis-then' });
    return el('div', { class: 'axis', 'aria-hidden': 'true' }, this.top, this.middle,
      el('span', { class: 'axis-zero', text: '0' }), this.then, el('span', { class: 'axis-now', text: 'now' }));
  }

  /** Shows the series with the largest latest values; time is that of the latest point, and nameOf makes texts of their keys. */
  update(group, time, nameOf = (key) => key) {
    this.#last = { group, time, nameOf };
    this.#redraw();
  }

  #redraw() {
    const { group, time, nameOf } = this.#last ?? { group: null, time: 0 };
    const all = group ? [...group.series].filter(([, points]) => points.at(-1)[0] === time) : [];
    const shown = all
      .sort(([a, one], [b, other]) => other.at(-1)[1] - one.at(-1)[1] || a.localeCompare(b))
      .slice(0, MOST_SERIES)
      .sort(([a], [b]) => a.localeCompare(b));
    const highest = Math.max(0, ...shown.flatMap(([, points]) => points.map((point) => point[1])));
    const top = niceTop(highest);
    setText(this.top, number(top));
    setText(this.middle, number(top / 2));
    this.#drawGrid();
    const oldest = Math.min(time, ...shown.map(([, points]) => points[0][0]));
    const seconds = WINDOWS.find((each) => each >= time - oldest) ?? WINDOWS.at(-1);
    setText(this.then, `${seconds / 60} min ago`);
    const x = (at) => WIDTH - RIGHT - ((time - at) / seconds) * (WIDTH - LEFT - RIGHT);
    const y = (value) => HEIGHT - BOTTOM - (value / top) * (HEIGHT - TOP - BOTTOM);
    const names = shown.map(([name]) => name);
    keyed(this.#plot, this.#lines, names, (name) => svg('path', { class: `line c${this.#colour(name)}` }));
    keyed(this.#legendList, this.#legend, names, (name) => el('li', {},
      el('span', { class: `swatch c${this.#colour(name)}` }), el('span', {}), el('b', {})));
    for (const [name, points] of shown) {
      const path = points.map(([at, value], i) => `${i ? 'L' : 'M'}${x(at).toFixed(1)},${y(value).toFixed(1)}`).join('');
      this.#lines.get(name).setAttribute('d', path);
      const [, label, value] = this.#legend.get(name).children;
      setText(label, nameOf(name));
      setText(value, this.#show(this.#valueAt(points, x)));
    }
    const left = all.length - shown.length;
    this.#hint.hidden = shown.length > 0 && left === 0;
    setText(this.#hint, shown.length ? `${left} more with smaller values` : this.#empty);
    this.#drawCursor();
  }

  #valueAt(points, x) {
    if (this.#hover === null) return points.at(-1)[1];
    return points.reduce((best, point) =>
      (Math.abs(x(point[0]) - this.#hover) < Math.abs(x(best[0]) - this.#hover) ? point : best))[1];
  }

  #drawCursor() {
    this.#cursor.setAttribute('visibility', this.#hover === null ? 'hidden' : 'visible');
    if (this.#hover !== null) {
      this.#cursor.setAttribute('x1', this.#hover);
      this.#cursor.setAttribute('x2', this.#hover);
    }
  }

  #drawGrid() {
    if (this.#grid.childElementCount) return;
    for (const part of [0, 0.5, 1]) {
      const at = HEIGHT - BOTTOM - part * (HEIGHT - TOP - BOTTOM);
      this.#grid.append(svg('line', { x1: LEFT, x2: WIDTH - RIGHT, y1: at, y2: at }));
    }
    for (let mark = 0; mark <= MARKS; mark++) {
      const at = WIDTH - RIGHT - (mark / MARKS) * (WIDTH - LEFT - RIGHT);
      this.#grid.append(svg('line', { x1: at, x2: at, y1: HEIGHT - BOTTOM, y2: HEIGHT - BOTTOM + 4 }));
    }
  }

  /** A series keeps its colour as long as the page is there. */
  #colour(name) {
    if (!this.#colours.has(name)) this.#colours.set(name, this.#colours.size % MOST_SERIES);
    return this.#colours.get(name);
  }
}
