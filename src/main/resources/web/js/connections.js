// The connections that the balancer knows. The controller filters them.

import { get } from './api.js';
import { el, setText } from './dom.js';
import { duration, nameOf, switchLabel, UNKNOWN, withPort } from './format.js';
import { DataTable } from './table.js';

const LIMIT = 500;
const AGAIN_MILLIS = 3000;

const key = (each) => `${each.protocol} ${each.client_address} ${each.client_port} ${each.vip_address} ${each.port}`;
const path = (hops) => (hops ? hops.map((hop) => switchLabel(hop.switch)).join(' → ') : UNKNOWN);

export class ConnectionsView {
  #model;
  #table;
  #vip = el('select', { name: 'vip' });
  #state = el('select', { name: 'state' }, [['open', 'open'], ['', 'all'], ['ended', 'ended'], ['dormant', 'dormant']]
    .map(([value, text]) => el('option', { value, text })));
  #client = el('input', { name: 'client', placeholder: '10.0.0.21', autocomplete: 'off', list: 'hosts-of-connections' });
  #hosts = el('datalist', { id: 'hosts-of-connections' });
  #words = el('p', { class: 'quiet', role: 'status' });
  #error = el('p', { class: 'field-error', id: 'connections-error' });
  #timer = 0;

  constructor(model) {
    this.#model = model;
    this.#table = new DataTable({
      caption: 'Connections', noun: ['connection', 'connections'], keyOf: key, search: false,
      empty: el('p', { text: 'No connection matches the filter.' }),
      columns: [
        { name: 'Client', text: (each) => this.#named(model.namesAt([each.client_address]), each.client_address, each.client_port), value: (each) => each.client_address },
        { name: 'VIP', text: (each) => this.#named(nameOf(model.vip(each.vip_id)), each.vip_address, each.port), value: (each) => nameOf(model.vip(each.vip_id)) ?? each.vip_address },
        { name: 'Server', text: (each) => each.member_id, value: (each) => each.member_id },
        { name: 'Algorithm', text: (each) => each.algorithm, value: (each) => each.algorithm },
        { name: 'State', text: (each) => each.state, value: (each) => each.state },
        { name: 'Age', number: true, text: (each) => duration(each.age_s), value: (each) => each.age_s },
        { name: 'Request path', text: (each) => path(each.request_path) },
        { name: 'Reply path', text: (each) => path(each.reply_path) },
        {
          name: 'Actions', hidden: true, make: () => el('a', { class: 'button', text: 'Show' }),
          update: (link, each) => {
            link.hidden = !each.request_path;
            link.href = `#/network?${new URLSearchParams({
              client: each.client_address, client_port: each.client_port ?? '', vip: each.vip_id, port: each.port ?? '', protocol: each.protocol,
            })}`;
            link.setAttribute('aria-label', `Show the paths of ${withPort(each.client_address, each.client_port)} in the network`);
          },
        },
      ],
    });
    const form = el('form', { class: 'filters', onsubmit: (event) => { event.preventDefault(); this.#load(); }, onchange: () => this.#load() },
      el('label', {}, 'VIP', this.#vip), el('label', {}, 'State', this.#state), el('label', {}, 'Client', this.#client), this.#hosts,
      el('button', { type: 'submit', text: 'Find' }));
    this.#client.setAttribute('aria-describedby', 'connections-error');
    this.node = el('div', { class: 'card' }, form, this.#error, this.#words, this.#table.node);
  }

  /** An address with the name that it has here, if any. */
  #named(name, address, port) {
    return name ? `${name}, ${withPort(address, port)}` : withPort(address, port);
  }

  show(parameters) {
    this.#fillVips();
    if (parameters.has('vip')) this.#vip.value = parameters.get('vip');
    clearInterval(this.#timer);
    this.#timer = setInterval(() => this.#load(), AGAIN_MILLIS);
    this.#load();
  }

  hide() {
    clearInterval(this.#timer);
  }

  update(what) {
    if (what === 'state') this.#fillVips();
  }

  #fillVips() {
    const chosen = this.#vip.value;
    this.#vip.replaceChildren(el('option', { value: '', text: 'all' }),
      ...this.#model.state.vips.map((vip) => el('option', { value: vip.id, text: nameOf(vip) })));
    this.#vip.value = chosen;
    this.#hosts.replaceChildren(...this.#model.clients.slice(0, 200).map((value) => el('option', { value, label: this.#model.namesAt([value]) || null })));
  }

  async #load() {
    if (document.hidden) return;
    try {
      const answer = await get('wm/malob/connections', {
        vip: this.#vip.value, state: this.#state.value, client: this.#client.value.trim(), limit: LIMIT,
      });
      this.#table.update(answer.connections);
      setText(this.#words, answer.next === null ? '' : `The table has the first ${LIMIT}. Filter by VIP or client to find others.`);
      setText(this.#error, '');
      this.#client.removeAttribute('aria-invalid');
    } catch (error) {
      setText(this.#error, error.message);
      if (error.field === 'client') this.#client.setAttribute('aria-invalid', 'true');
    }
  }
}
