// Requests, times, connections and rejections of the last ten minutes.

import { LineChart } from './chart.js';
import { el } from './dom.js';
import { DataTable } from './table.js';
import { milliseconds, nameOf, number } from './format.js';
import { rejection } from './reasons.js';

const NONE_REJECTED = 'No packet has been rejected since the controller started.';

/** What requests are grouped by: the graphs, and how their lines are called. */
const GROUPS = [
  ['service', 'service', 'requests_by_service', 'server_ms_by_service', serviceName],
  ['algorithm', 'algorithm', 'requests_by_algorithm', 'server_ms_by_algorithm', (_, id) => id],
  ['vip', 'VIP', 'requests_by_vip', 'server_ms_by_service', (model, id) => nameOf(model.vip(id)) ?? id],
  ['server', 'server', 'requests_by_server', 'server_ms_by_service', (_, id) => id],
];

function serviceName(model, id) {
  return model.service(id)?.service_name ?? id;
}

/** A line of times is of a VIP and a service: "web/http", or "web/ftp/data" for FTP's data connections. */
export function timeName(model, id) {
  const [vip, service, data] = id.split('/');
  if (service === undefined) return id;
  return `${nameOf(model.vip(vip)) ?? vip}, ${serviceName(model, service)}${data ? ' data' : ''}`;
}

export class TrafficView {
  #model;
  #requests = new LineChart('Requests', '/s', 'There have been no requests in the last ten minutes.');
  #times = new LineChart('Time at the server', 'ms', 'Not known yet: the controller learns it from completed connections.', milliseconds);
  #open = new LineChart('Connections', '', 'Not known yet.');
  #rejected = new LineChart('Rejected', '/s', NONE_REJECTED);
  #group = GROUPS[0];
  #rejections;

  constructor(model) {
    this.#model = model;
    const choices = GROUPS.map((group, i) => el('label', { class: 'segment' },
      el('input', { type: 'radio', name: 'group', value: group[0], checked: i === 0, onchange: () => this.#choose(group) }),
      el('span', { text: group[1] })));
    this.#rejections = new DataTable({
      caption: 'Rejected packets since the controller started, by reason', noun: ['reason', 'reasons'], search: false,
      keyOf: ([reason]) => reason, empty: el('p', { text: NONE_REJECTED }),
      columns: [
        { name: 'Reason', text: ([reason]) => rejection(reason), value: ([reason]) => rejection(reason) },
        { name: 'Packets', number: true, text: ([, count]) => number(count), value: ([, count]) => count },
      ],
    });
    this.node = el('div', {},
      el('fieldset', { class: 'segments' }, el('legend', { text: 'Requests by' }), choices),
      el('div', { class: 'charts' }, this.#requests.node, this.#times.node, this.#open.node, this.#rejected.node),
      el('section', { class: 'card' }, el('h2', { text: 'Rejected packets since the controller started' }), this.#rejections.node),
      el('p', { class: 'quiet' }, 'A request is a connection that got a server. The controller learns the time at the server from completed '
        + "connections, without the network's share, for a server of weight 1. An ended connection has rules on "
        + 'switches until they time out. A dormant one has no rules, and goes on with the next packet of its client. The controller keeps the '
        + 'graphs of the last ten minutes.'));
  }

  #choose(group) {
    this.#group = group;
    this.update();
  }

  show() {}

  update() {
    const { history } = this.#model;
    const [, , requests, times, nameOf] = this.#group;
    const timeOf = times === 'server_ms_by_service' ? timeName : nameOf;
    this.#requests.update(history.of(requests), history.time, (id) => nameOf(this.#model, id));
    this.#times.update(history.of(times), history.time, (id) => timeOf(this.#model, id));
    this.#open.update(history.of('connections'), history.time);
    this.#rejected.update(history.of('rejections'), history.time, rejection);
    this.#rejections.update(Object.entries(this.#model.refusals).filter(([, count]) => count > 0).sort(([, a], [, b]) => b - a));
  }
}
