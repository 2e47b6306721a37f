// Which server a client's next connection would get, and why.

import { get } from './api.js';
import { el, setText } from './dom.js';
import { capitalized, duration, milliseconds, nameOf, number, percent, plural, switchLabel, UNKNOWN, withPort, withUnit, words } from './format.js';
import { MAC } from './model.js';
import { exclusion, rejection } from './reasons.js';

const VALUES = {
  connections_per_weight: ['Connections per weight', (value) => number(value)],
  cpu: ['CPU', (value) => percent(value)],
  round_trip_ms: ['Round trip', milliseconds],
  expected_latency_ms: ['Expected latency', milliseconds],
  bottleneck_mbps: ['Bottleneck', (value) => withUnit(value, 'Mbit/s')],
  links: ['Links', (value) => number(value)],
  turns_until: ['Turns until', (value) => number(value)],
  expected_reply_kilobytes: ['Expected reply', (value) => withUnit(value, 'kB')],
  network_ms: ['In the network', milliseconds],
  at_server_ms: ['At the server', milliseconds],
  predicted_ms: ['Predicted', milliseconds],
};

export class WhyView {
  #model;
  #vip = el('select', { name: 'vip', id: 'why-vip', 'aria-describedby': 'why-vip-error' });
  #client = el('input', { name: 'client', id: 'why-client', list: 'why-hosts', autocomplete: 'off', placeholder: '10.0.0.21', 'aria-describedby': 'why-client-error' });
  #clientPort = el('input', { name: 'client_port', id: 'why-client_port', inputmode: 'numeric', autocomplete: 'off', 'aria-describedby': 'why-client_port-error' });
  #port = el('input', { name: 'port', id: 'why-port', inputmode: 'numeric', autocomplete: 'off', 'aria-describedby': 'why-port-error' });
  #hosts = el('datalist', { id: 'why-hosts' });
  #errors = Object.fromEntries(['vip', 'client', 'port', 'client_port'].map((name) => [name, el('p', { class: 'field-error', id: `why-${name}-error` })]));
  #general = el('p', { class: 'field-error', role: 'alert' });
  #answer = el('div', { 'aria-live': 'polite' });
  #portField;
  #clientPortField;
  #hasAnswer = false;

  constructor(model) {
    this.#model = model;
    const field = (label, input, name) => el('div', { class: 'field' }, el('label', { for: input.id, text: label }), input, this.#errors[name]);
    this.#portField = field('Port', this.#port, 'port');
    this.#clientPortField = field("Client's port", this.#clientPort, 'client_port');
    this.#vip.addEventListener('change', () => this.#showPort());
    const form = el('form', { class: 'filters', onsubmit: (event) => { event.preventDefault(); this.#ask(); } },
      field('VIP', this.#vip, 'vip'), field('Client', this.#client, 'client'), this.#clientPortField, this.#portField, this.#hosts,
      el('button', { type: 'submit', class: 'primary', text: 'Ask' }));
    this.node = el('div', {},
      el('section', { class: 'card' },
        el('p', { class: 'quiet', text: 'This view shows the server and the paths that a new connection of a client would get now. It changes nothing.' }),
        form, this.#general), this.#answer);
  }

  show(parameters) {
    this.#fill();
    if (parameters.has('vip')) this.#vip.value = parameters.get('vip');
    if (parameters.has('client')) this.#client.value = parameters.get('client');
    if (!this.#client.value) this.#client.value = this.#someClient() ?? '';
    this.#showPort();
    if (parameters.has('vip') || parameters.has('client')) this.#hasAnswer = false;
    this.#showExample();
  }

  /** An answer to look at before the first question, as soon as a VIP and a client are known. */
  #showExample() {
    if (this.#hasAnswer) return;
    if (!this.#vip.value || !this.#client.value) this.#answer.replaceChildren(this.#missing());
    else if (!this.node.contains(document.activeElement)) this.#ask();
  }

  /** What an example needs. */
  #missing() {
    return el('div', { class: 'card empty' }, ...(this.#model.state.vips.length === 0
      ? [el('h3', { text: 'No VIPs yet' }), el('p', {}, el('a', { href: '#/catalog?new=vips', text: 'Add a VIP' }))]
      : [el('h3', { text: 'No clients yet' }), el('p', { text: 'The controller has seen no host. Enter the address of a client.' })]));
  }

  /** A host that is no server, to begin with; rather one with a known address of the VIP's family. */
  #someClient() {
    const servers = new Set(this.#model.state.members.map((member) => member.address));
    const others = this.#model.clients.filter((name) => !servers.has(name));
    const isIpv6 = this.#model.vip(this.#vip.value)?.address.includes(':') ?? false;
    return others.find((name) => !MAC.test(name) && name.includes(':') === isIpv6) ?? others.find((name) => MAC.test(name));
  }

  update(what) {
    if (what !== 'state') return;
    this.#fill();
    if (!this.#client.value && document.activeElement !== this.#client) this.#client.value = this.#someClient() ?? '';
    this.#showPort();
    this.#showExample();
  }

  #fill() {
    const chosen = this.#vip.value;
    this.#vip.replaceChildren(...this.#model.state.vips.map((vip) =>
      el('option', { value: vip.id, text: `${nameOf(vip)} (${withPort(vip.address, vip.port)})` })));
    if (chosen) this.#vip.value = chosen;
    this.#hosts.replaceChildren(...this.#model.clients.slice(0, 300).map((value) => el('option', { value, label: this.#model.namesAt([value]) || null })));
  }

  /** Only a VIP for every port needs one; only buckets depend on the client's. */
  #showPort() {
    const vip = this.#model.vip(this.#vip.value);
    this.#portField.hidden = !vip || vip.port !== null;
    this.#clientPortField.hidden = !vip || (vip.placement ?? 'reactive') === 'reactive';
  }

  async #ask() {
    this.#hasAnswer = true;
    const inputs = { vip: this.#vip, client: this.#client, port: this.#port, client_port: this.#clientPort };
    for (const [name, error] of Object.entries(this.#errors)) {
      setText(error, '');
      inputs[name].removeAttribute('aria-invalid');
    }
    setText(this.#general, '');
    try {
      const answer = await get('wm/malob/explain', {
        vip: this.#vip.value, client: this.#client.value.trim(), port: this.#portField.hidden ? '' : this.#port.value.trim(),
        client_port: this.#clientPortField.hidden ? '' : this.#clientPort.value.trim(),
      });
      this.#answer.replaceChildren(...this.#shown(answer));
    } catch (error) {
      this.#answer.replaceChildren();
      const input = inputs[error.field];
      setText(input ? this.#errors[error.field] : this.#general, error.message);
      input?.setAttribute('aria-invalid', 'true');
      input?.focus();
    }
  }

  #shown(answer) {
    const { decision } = answer;
    const chosen = answer.candidates.find((candidate) => candidate.chosen);
    const by = decision && { vip: 'the VIP sets it', pool: 'the pool sets it', service: `service ${decision.service_name ?? decision.id} sets it`,
      default: 'the default service sets it', ftp_control: 'an FTP data connection follows its control connection' }[decision.decided_by];
    const rules = decision?.server && decision.path && decision.server.rule !== decision.path.rule
      ? [['Server', decision.server], ['Path', decision.path]] : [['Server and path', decision?.server]];
    return [
      el('section', { class: 'card' },
        el('h2', { text: `Client ${this.#client.value.trim()} ${outcome(answer)}` }),
        decision ? el('p', { text: `Algorithm ${decision.algorithm ?? UNKNOWN} applies${by ? ` because ${by}` : ''}.` }) : null,
        chosen ? el('p', { text: `Requests take the path ${this.#path(chosen.request_path)}. Replies return over ${this.#path(chosen.reply_path)}.` }) : null,
        el('dl', { class: 'facts wide' },
          rules.filter(([, rule]) => rule).flatMap(([name, rule]) => [el('dt', { text: name }), el('dd', { text: `${capitalized(rule.rule)}. Between equals: ${rule.tie_break}.` })]))),
      answer.buckets ? el('section', { class: 'card' }, el('h2', { text: 'Buckets' }), ...bucketsShown(answer.buckets)) : null,
      answer.candidates.length ? el('section', { class: 'card' }, el('h2', { text: 'Candidates' }), this.#table(answer)) : null,
    ].filter(Boolean);
  }

  #path(hops) {
    return hops?.length ? hops.map((hop) => switchLabel(hop.switch)).join(' → ') : UNKNOWN;
  }

  #table({ candidates, candidates_left_out: left }) {
    const names = [...new Set(candidates.flatMap((candidate) => Object.keys(candidate.values ?? {})))];
    const value = (candidate, name) => (VALUES[name]?.[1] ?? number)(candidate.values?.[name] ?? null);
    const measured = (shown, unit) => (shown === null || shown === undefined ? UNKNOWN : `${unit(shown.value)} (${number(shown.age_s)} s ago)`);
    const head = ['Server', ...names.map((name) => VALUES[name]?.[0] ?? words(name)), 'Open', 'Measured CPU', 'Request path'];
    return el('div', { class: 'scroller', tabindex: '0', role: 'region', 'aria-label': 'Candidates' },
      el('table', {}, el('caption', { class: 'visually-hidden', text: 'The servers of the pool with the inputs of the algorithm' }),
        el('thead', {}, el('tr', {}, head.map((text) => el('th', { scope: 'col', text })))),
        el('tbody', {}, candidates.map((candidate) => el('tr', { class: candidate.chosen ? 'chosen' : candidate.excluded ? 'excluded' : null },
          el('th', { scope: 'row' }, candidate.member_id, ' ', candidate.chosen ? el('span', { class: 'badge', 'data-state': 'up', text: 'chosen' })
            : candidate.excluded ? el('span', { class: 'badge', 'data-state': 'lost', text: exclusion(candidate.excluded) }) : ''),
          names.map((name) => el('td', { text: value(candidate, name) })),
          el('td', { text: number(candidate.active_connections) }), el('td', { text: measured(candidate.cpu, percent) }),
          el('td', { text: this.#path(candidate.request_path) }))))),
      left ? el('p', { class: 'quiet', text: `${plural(left, 'more candidate')} not shown.` }) : null);
  }
}

/** What a client would get. */
function outcome({ member_id: member, refused, buckets }) {
  if (member) return `would get server ${member}`;
  if (!refused && buckets) return 'would get a server by its port';
  return `would be rejected: ${refused ? rejection(refused) : UNKNOWN}`;
}

/** The buckets at the client's switch, and the client's own. */
function bucketsShown({ source, count, bucket, members }) {
  const own = bucket ? ` This connection is in number ${bucket.index}, which leads to ${bucket.member_id ?? 'no server'} for ${duration(bucket.seconds)}. ${bucket.next}` : '';
  return [
    el('p', { text: `The client's switch has ${count} buckets of the VIP, by the client's ${source}.${own}` }),
    el('div', { class: 'scroller', tabindex: '0', role: 'region', 'aria-label': 'Buckets by server' },
      el('table', {}, el('caption', { class: 'visually-hidden', text: 'The buckets of each server' }),
        el('thead', {}, el('tr', {}, ['Server', 'Buckets', 'Traffic', 'Share'].map((text) => el('th', { scope: 'col', text })))),
        el('tbody', {}, members.map(({ member_id: id, buckets, load, share }) => el('tr', { class: id === bucket?.member_id ? 'chosen' : null },
          el('th', { scope: 'row', text: id }), el('td', { text: String(buckets) }), el('td', { text: percent(load) }),
          el('td', { text: percent(share) })))))),
  ];
}
