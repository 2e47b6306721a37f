// Requests, times, refusals: the last five minutes.

import { LineChart } from './chart.js';
import { el } from './dom.js';
import { DataTable } from './table.js';
import { number, words } from './format.js';

const GROUPS = [
  ['service', 'service', (history) => history.byService, (history) => history.serviceTimes],
  ['algorithm', 'algorithm', (history) => history.byAlgorithm, (history) => history.algorithmTimes],
  ['vip', 'VIP', (history) => history.byVip, (history) => history.serviceTimes],
  ['server', 'server', (history) => history.byServer, (history) => history.serviceTimes],
];

export class TrafficView {
  #model;
  #requests = new LineChart('Requests', '/s', 'Nothing has been placed while this page was open.');
  #times = new LineChart('Time at the server', 'ms', 'Nothing has been learnt of connections that have ended yet.');
  #open = new LineChart('Connections', '', 'No numbers yet.');
  #refused = new LineChart('Refused', '/s', 'Nothing has been refused since the controller started.');
  #group = GROUPS[0];
  #refusals;

  constructor(model) {
    this.#model = model;
    const choices = GROUPS.map((group, i) => el('label', { class: 'segment' },
      el('input', { type: 'radio', name: 'group', value: group[0], checked: i === 0, onchange: () => this.#choose(group) }),
      el('span', { text: group[1] })));
    this.#refusals = new DataTable({
      caption: 'Refused, by reason, since the controller started', noun: ['reason', 'reasons'], search: false,
      keyOf: ([reason]) => reason, empty: el('p', { text: 'Nothing has been refused since the controller started.' }),
      columns: [
        { name: 'Reason', text: ([reason]) => words(reason), value: ([reason]) => reason },
        { name: 'Times', number: true, text: ([, count]) => number(count), value: ([, count]) => count },
      ],
    });
    this.node = el('div', {},
      el('fieldset', { class: 'segments' }, el('legend', { text: 'Requests by' }), choices),
      el('div', { class: 'charts' }, this.#requests.node, this.#times.node, this.#open.node, this.#refused.node),
      el('section', { class: 'card' }, el('h2', { text: 'What was refused' }), this.#refusals.node),
      el('p', { class: 'quiet' }, 'A request is a connection that got a server. The time at the server is what connections that have ended took there, '
        + 'without the network, as the controller has learnt it for a server of weight 1. Lines begin when this page was opened.'));
  }

  #choose(group) {
    this.#group = group;
    this.update();
  }

  show() {}

  update() {
    const { history } = this.#model;
    this.#requests.update(this.#group[2](history), history.time);
    this.#times.update(this.#group[3](history), history.time);
    this.#open.update(history.open, history.time);
    this.#refused.update(history.refusals, history.time);
    this.#refusals.update(Object.entries(this.#model.refusals).filter(([, count]) => count > 0).sort(([, a], [, b]) => b - a));
  }
}
