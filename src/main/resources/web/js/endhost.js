// A host with several uplinks.

import { get, put } from './api.js';
import { LineChart } from './chart.js';
import { announce, el, setAttribute, setText } from './dom.js';
import { bitRate, bytes, capitalized, duration, milliseconds, number, UNKNOWN, withPort, words } from './format.js';
import { SeriesGroup } from './history.js';
import { DataTable } from './table.js';

const AGAIN_MILLIS = 2000;
const ALGORITHMS = ['WRR', 'RR', 'MBW', 'ADAPTIVE', 'GROUP'];
const stateOf = (uplink) => (!uplink.alive ? 'down' : uplink.avoided ? 'avoided' : 'up');
const mega = (bps) => (bps === null || bps === undefined ? null : bps / 1e6);

export class EndhostView {
  #absent = el('div', { class: 'card empty' }, el('h3', { text: 'No end host is configured' }),
    el('p', {}, 'To spread the connections of a host over its uplinks, run on that host: ', el('code', { text: 'sudo ./malob endhost up --uplink eth0 --uplink wlan0' })));
  #error = el('p', { class: 'field-error', role: 'alert' });
  #facts = el('dl', { class: 'facts wide' });
  #algorithm = el('select', { id: 'endhost-algorithm', onchange: () => this.#choose() }, ALGORITHMS.map((value) => el('option', { value, text: value })));
  #chart = new LineChart('Received', 'Mbit/s', 'Not known yet.');
  #rates = new SeriesGroup();
  #uplinks;
  #flows;
  #body;
  #timer = 0;

  constructor() {
    this.#uplinks = new DataTable({
      caption: 'Uplinks', noun: ['uplink', 'uplinks'], keyOf: (uplink) => uplink.name, search: false, empty: el('p', { text: 'No uplinks.' }),
      columns: [
        { name: 'Uplink', text: (uplink) => uplink.name, value: (uplink) => uplink.name },
        {
          name: 'State', text: (uplink) => stateOf(uplink), value: (uplink) => (uplink.alive ? (uplink.avoided ? 1 : 2) : 0),
          make: () => el('span', { class: 'badge' }),
          update: (badge, uplink) => {
            setText(badge, capitalized(stateOf(uplink)));
            setAttribute(badge, 'data-state', uplink.alive && !uplink.avoided ? 'up' : 'down');
          },
        },
        { name: 'Address', text: (uplink) => uplink.ipv4 ?? UNKNOWN },
        { name: 'Capacity', number: true, text: (uplink) => bitRate(mega(uplink.capacity_bps)), value: (uplink) => uplink.capacity_bps },
        { name: 'Capacity from', text: (uplink) => words(uplink.capacity_source ?? '') },
        { name: 'Received', number: true, text: (uplink) => bitRate(mega(uplink.rate_bps)), value: (uplink) => uplink.rate_bps },
        { name: 'Sent', number: true, text: (uplink) => bitRate(mega(uplink.sent_bps)), value: (uplink) => uplink.sent_bps },
        { name: 'Round trip', number: true, text: (uplink) => milliseconds(uplink.round_trip_ms), value: (uplink) => uplink.round_trip_ms },
        { name: 'Open flows', number: true, text: (uplink) => number(uplink.flows?.open), value: (uplink) => uplink.flows?.open },
        { name: 'Reset', number: true, text: (uplink) => number(uplink.flows?.reset), value: (uplink) => uplink.flows?.reset },
      ],
    });
    this.#flows = new DataTable({
      caption: 'Flows', noun: ['flow', 'flows'], empty: el('p', { text: 'No open flows.' }),
      keyOf: (flow) => `${flow.protocol} ${flow.source_port} ${flow.destination} ${flow.destination_port}`,
      columns: [
        { name: 'To', text: (flow) => withPort(flow.destination, flow.destination_port), value: (flow) => flow.destination },
        { name: 'Protocol', text: (flow) => flow.protocol, value: (flow) => flow.protocol },
        { name: 'From port', number: true, text: (flow) => String(flow.source_port), value: (flow) => flow.source_port },
        { name: 'Uplink', text: (flow) => flow.uplink, value: (flow) => flow.uplink },
        { name: 'Received', number: true, text: (flow) => bytes(flow.bytes_received), value: (flow) => flow.bytes_received },
        { name: 'Age', number: true, text: (flow) => duration(flow.seconds), value: (flow) => flow.seconds },
      ],
    });
    this.#body = el('div', { hidden: true },
      el('section', { class: 'card' }, el('div', { class: 'field inline' }, el('label', { for: 'endhost-algorithm', text: 'Algorithm' }), this.#algorithm), this.#facts),
      el('section', { class: 'card' }, el('h2', { text: 'Uplinks' }), this.#uplinks.node), this.#chart.node,
      el('section', { class: 'card' }, el('h2', { text: 'Newest flows' }), this.#flows.node));
    this.node = el('div', {}, this.#error, this.#absent, this.#body);
  }

  show() {
    clearInterval(this.#timer);
    this.#timer = setInterval(() => this.#load(), AGAIN_MILLIS);
    this.#load();
  }

  hide() {
    clearInterval(this.#timer);
  }

  update() {}

  async #load() {
    if (document.hidden) return;
    try {
      const status = await get('wm/malob/endhost');
      this.#absent.hidden = status.configured;
      this.#body.hidden = !status.configured;
      if (status.configured) this.#show(status, await get('wm/malob/endhost/flows', { limit: 100 }));
      setText(this.#error, '');
    } catch (error) {
      setText(this.#error, error.status === 404 ? 'This controller has no end-host module.' : error.message);
    }
  }

  #show(status, flows) {
    if (document.activeElement !== this.#algorithm) this.#algorithm.value = status.algorithm;
    const facts = [
      ['Switch', status.connected ? status.switch : `${status.switch} (not connected)`],
      ['Flows', status.flows.known ? `${number(status.flows.open)} open, ${number(status.flows.total)} in total` : 'not counted: the switch distributes them itself'],
      ['First packet', `median ${milliseconds(status.first_packet_ms?.median)}, 99th percentile ${milliseconds(status.first_packet_ms?.p99)}`],
    ];
    this.#facts.replaceChildren(...facts.flatMap(([name, value]) => [el('dt', { text: name }), el('dd', { text: value })]));
    this.#uplinks.update(status.uplinks);
    this.#flows.update(flows.flows ?? flows);
    const now = performance.now() / 1000;
    this.#rates.add(now, new Map(status.uplinks.map((uplink) => [uplink.name, mega(uplink.rate_bps) ?? 0])));
    this.#chart.update(this.#rates, now);
  }

  async #choose() {
    try {
      await put('wm/malob/endhost/algorithm', { algorithm: this.#algorithm.value });
      announce(`New flows use ${this.#algorithm.value}.`);
    } catch (error) {
      announce(error.message, 'error');
    }
    this.#load();
  }
}
