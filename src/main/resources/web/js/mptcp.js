// The installed plan of MPTCP subflows.

import { get, post, remove, url } from './api.js';
import { announce, el, setText } from './dom.js';
import { openForm } from './form.js';
import { number, plural, UNKNOWN } from './format.js';
import { DataTable } from './table.js';

const AGAIN_MILLIS = 5000;
const STATES = { none: 'No plan', applying: 'Being installed', applied: 'Installed', degraded: 'Degraded' };
const BADGES = { applied: 'up', applying: 'drain', degraded: 'down', none: 'idle' };

export class MptcpView {
  #state = el('span', { class: 'badge' });
  #words = el('p', {});
  #facts = el('dl', { class: 'facts wide' });
  #picture = el('div', { class: 'picture', role: 'region', 'aria-label': 'Drawing of the plan', tabindex: '0' });
  #links;
  #paths;
  #plan;
  #clear = el('button', { type: 'button', text: 'Remove plan', onclick: () => this.#ask() });
  #error = el('p', { class: 'field-error', role: 'alert' });
  #shown = '';
  #timer = 0;

  constructor() {
    this.#links = new DataTable({
      caption: 'Subflows per link', noun: ['link', 'links'], keyOf: (link) => `${link.a} ${link.a_port} ${link.b}`,
      empty: el('p', { text: 'No links.' }), search: false,
      columns: [
        { name: 'Link', text: (link) => `${link.a} – ${link.b}`, value: (link) => `${link.a} ${link.b}` },
        { name: 'Subflows', number: true, text: (link) => number(link.subflows), value: (link) => link.subflows },
      ],
    });
    this.#paths = new DataTable({
      caption: 'Paths of subflows', noun: ['path', 'paths'], keyOf: (path) => `${path.address} ${path.vlan}`,
      empty: el('p', { text: 'No paths.' }),
      columns: [
        { name: 'Host', text: (path) => path.host, value: (path) => path.host },
        { name: 'Address', text: (path) => path.address, value: (path) => path.address },
        { name: 'VLAN', text: (path) => path.vlan ?? UNKNOWN, value: (path) => path.vlan },
        { name: 'Kind', text: (path) => path.kind, value: (path) => path.kind },
        { name: 'Switches', text: (path) => path.switches.join(' → ') },
      ],
    });
    this.#plan = el('div', {},
      el('section', { class: 'card' }, el('h2', { text: 'Drawing' }), this.#picture),
      el('div', { class: 'charts' },
        el('section', { class: 'card' }, el('h2', { text: 'Links' }), this.#links.node),
        el('section', { class: 'card' }, el('h2', { text: 'Paths' }), this.#paths.node)));
    this.node = el('div', {}, el('section', { class: 'card' },
      el('div', { class: 'section-head' }, el('div', {}, this.#state, this.#words),
        el('div', { class: 'row-actions' },
          el('button', { type: 'button', class: 'primary', text: 'New plan', onclick: () => this.#new() }), this.#clear)),
      this.#error, this.#facts), this.#plan);
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
      this.#show(await get('wm/malob/mptcp/status'));
      setText(this.#error, '');
    } catch (error) {
      setText(this.#error, error.status === 404 ? 'This controller has no MPTCP module.' : error.message);
    }
  }

  #show(status) {
    setText(this.#state, STATES[status.state] ?? status.state);
    this.#state.dataset.state = BADGES[status.state] ?? 'idle';
    const { plan } = status;
    setText(this.#words, status.trouble ?? (plan ? plan.proof ?? '' : 'A plan gives each subflow of an MPTCP connection its own path, and spreads the subflows evenly over all links.'));
    this.#plan.hidden = !plan;
    this.#clear.hidden = !plan;
    const facts = plan ? [
      ['Subflows per link', `${number(plan.minimum)} to ${number(plan.maximum)}`],
      ['Proven optimal', plan.proven_optimal ? 'yes' : 'no'],
      ['Hosts', number(plan.hosts.length)], ['Addresses', plan.family === 'ipv6' ? 'IPv6' : 'IPv4'],
      ['Method', plan.method],
      ['Replanned', plural(status.replans, 'time')],
    ] : [];
    if (status.switches_missing?.length) facts.push(['Disconnected switches', status.switches_missing.join(', ')]);
    const signature = JSON.stringify([facts, plan?.paths]);
    if (signature === this.#shown) return;
    this.#shown = signature;
    this.#facts.replaceChildren(...facts.flatMap(([name, value]) => [el('dt', { text: name }), el('dd', { text: value })]));
    if (!plan) return;
    this.#links.update(plan.links);
    this.#paths.update(plan.paths);
    // another address makes the browser ask again
    this.#picture.replaceChildren(el('img', {
      src: `${url('wm/malob/mptcp/picture')}?${Date.now()}`, alt: 'The network with the number of subflows on each link. The table below has the same numbers.',
    }));
  }

  #new() {
    openForm({
      title: 'New plan', intro: 'The plan is for all hosts that the controller has seen. It replaces the current plan without interruption.',
      fields: [
        { name: 'method', label: 'Method', options: [['balanced', 'balanced: as even as possible'], ['paper', "paper: random paths, then the paper's rerouting"]], value: 'balanced' },
        { name: 'paths', label: 'Paths', options: [['hamiltonian', 'hamiltonian: through all switches'], ['disjoint', 'disjoint: short, with few common links']], value: 'hamiltonian' },
        { name: 'family', label: 'Addresses', options: [['ipv4', 'IPv4'], ['ipv6', 'IPv6']], value: 'ipv4' },
        { name: 'vlan', label: 'Routes', options: [['false', 'one set for all hosts'], ['true', 'one set per VLAN']], value: 'false' },
      ],
      submit: 'Install',
      onSubmit: async (values) => {
        const status = await post('wm/malob/mptcp/apply', { ...values, vlan: values.vlan === 'true' });
        this.#show(status);
        announce(STATES[status.state] ?? status.state);
      },
    });
  }

  #ask() {
    openForm({
      title: 'Remove the plan?', intro: 'Subflows then use ordinary forwarding.', fields: [], submit: 'Remove plan', danger: true,
      onSubmit: async () => this.#show(await remove('wm/malob/mptcp')),
    });
  }
}
