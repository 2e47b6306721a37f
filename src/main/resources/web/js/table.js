// Tables that can be sorted, searched and turned page by page; only what differs is changed.

import { el, keyed, setAttribute, setText } from './dom.js';
import { plural } from './format.js';

const PAGE_ROWS = 50;

/**
 * A table of rows with keys. Each column: `name`; `text(row)` or, for more than a text, `make(row)` with
 * `update(cell, row)`; `value(row)` to sort by; `number` for digits.
 */
export class DataTable {
  #columns;
  #keyOf;
  #rows = [];
  #page = 0;
  #sort = null;
  #descending = false;
  #query = '';
  #kept = new Map();
  #body = el('tbody', { role: 'rowgroup' });
  #heads;
  #noun;
  #count = el('span', { class: 'quiet', role: 'status' });
  #pager;
  #table;
  #empty;
  #rowClass;

  constructor({ caption, noun, columns, keyOf, empty, search = true, onRow = null, rowClass = null }) {
    this.#columns = columns;
    this.#keyOf = keyOf;
    this.#noun = noun;
    this.#rowClass = rowClass;
    this.#heads = columns.map((column) => this.#head(column));
    this.#table = el('table', { role: 'table' },
      el('caption', { class: 'visually-hidden', text: caption }),
      el('thead', {}, el('tr', {}, this.#heads)), this.#body);
    if (onRow) this.#body.addEventListener('click', (event) => this.#clicked(event, onRow));
    this.#empty = el('div', { class: 'empty' }, empty);
    this.#pager = this.#makePager();
    const tools = el('div', { class: 'table-tools' }, search ? this.#search(noun) : null, this.#count);
    this.node = el('div', { class: 'data-table' }, tools,
      el('div', { class: 'scroller', tabindex: '0', role: 'region', 'aria-label': caption }, this.#table),
      this.#empty, this.#pager);
    this.#show();
  }

  #head(column) {
    const kind = column.number ? 'number' : '';
    if (!column.value) {
      return el('th', { scope: 'col', class: kind }, column.hidden
        ? el('span', { class: 'visually-hidden', text: column.name }) : column.name);
    }
    return el('th', { scope: 'col', class: kind, 'aria-sort': 'none' },
      el('button', { type: 'button', class: 'sort', onclick: () => this.#sortBy(column) }, column.name));
  }

  #search(noun) {
    return el('input', {
      type: 'search', 'aria-label': `Find ${noun[1]}`, placeholder: `Find ${noun[1]}`,
      oninput: (event) => {
        this.#query = event.target.value.trim().toLowerCase();
        this.#page = 0;
        this.#show();
      },
    });
  }

  #makePager() {
    this.before = el('button', { type: 'button', onclick: () => this.#turn(-1), text: 'Previous' });
    this.after = el('button', { type: 'button', onclick: () => this.#turn(1), text: 'Next' });
    this.where = el('span', { class: 'quiet' });
    return el('nav', { class: 'pager', 'aria-label': 'Pages of the table' }, this.before, this.where, this.after);
  }

  #clicked(event, onRow) {
    if (event.target.closest('button, a, input, select')) return;
    const row = event.target.closest('tr');
    const found = this.#rows.find((each) => this.#kept.get(this.#keyOf(each)) === row);
    if (found) onRow(found);
  }

  #turn(pages) {
    this.#page += pages;
    this.#show();
    this.node.scrollIntoView({ block: 'nearest' });
  }

  #sortBy(column) {
    this.#descending = this.#sort === column ? !this.#descending : Boolean(column.number);
    this.#sort = column;
    this.#columns.forEach((each, i) => {
      if (each.value) {
        setAttribute(this.#heads[i], 'aria-sort', each === column ? (this.#descending ? 'descending' : 'ascending') : 'none');
      }
    });
    this.#show();
  }

  /** Shows these rows. */
  update(rows) {
    this.#rows = rows;
    this.#show();
  }

  #show() {
    const found = this.#sorted(this.#found());
    const pages = Math.max(1, Math.ceil(found.length / PAGE_ROWS));
    this.#page = Math.min(this.#page, pages - 1);
    const page = found.slice(this.#page * PAGE_ROWS, (this.#page + 1) * PAGE_ROWS);
    const byKey = new Map(page.map((row) => [this.#keyOf(row), row]));
    keyed(this.#body, this.#kept, [...byKey.keys()], (key) => this.#makeRow(byKey.get(key)));
    for (const [key, row] of byKey) this.#updateRow(this.#kept.get(key), row);
    this.#table.parentElement.hidden = this.#rows.length === 0;
    this.#empty.hidden = this.#rows.length > 0;
    this.#pager.hidden = pages < 2;
    this.before.disabled = this.#page === 0;
    this.after.disabled = this.#page === pages - 1;
    setText(this.where, `Page ${this.#page + 1} of ${pages}`);
    const all = plural(this.#rows.length, ...this.#noun);
    setText(this.#count, this.#query ? `${found.length} of ${all}` : all);
    this.#count.parentElement.hidden = this.#rows.length === 0;
  }

  #found() {
    if (!this.#query) return this.#rows;
    return this.#rows.filter((row) => this.#columns.some((column) =>
      column.text && String(column.text(row)).toLowerCase().includes(this.#query)));
  }

  #sorted(rows) {
    if (!this.#sort) return rows;
    const value = this.#sort.value;
    const sign = this.#descending ? -1 : 1;
    // what is not known is last, either way
    return [...rows].sort((one, other) => {
      const [a, b] = [value(one), value(other)];
      if (a === null || a === undefined) return b === null || b === undefined ? 0 : 1;
      if (b === null || b === undefined) return -1;
      return sign * (typeof a === 'number' ? a - b : String(a).localeCompare(String(b), undefined, { numeric: true }));
    });
  }

  #makeRow(row) {
    const cells = this.#columns.map((column, i) => {
      // the roles stay when narrow windows show rows as boxes; so do names of columns
      const cell = el(i === 0 ? 'th' : 'td', {
        class: column.number ? 'number' : null, scope: i === 0 ? 'row' : null, role: i === 0 ? 'rowheader' : 'cell',
        'data-label': column.hidden ? null : column.name,
      });
      if (column.make) cell.append(column.make(row));
      return cell;
    });
    return el('tr', { role: 'row' }, cells);
  }

  #updateRow(line, row) {
    if (this.#rowClass) setAttribute(line, 'class', this.#rowClass(row));
    this.#columns.forEach((column, i) => {
      const cell = line.children[i];
      if (column.make) column.update?.(cell.firstElementChild, row);
      else setText(cell, String(column.text(row)));
    });
  }
}
