// The network, live: the drawing, what is chosen in it, and the same as a table.

import { get } from './api.js';
import { el, setText } from './dom.js';
import { bitRate, milliseconds, nameOf, number, percent, plural, switchLabel, withPort, withUnit } from './format.js';
import { NetworkGraph } from './graph.js';
import { roleFacts } from './roles.js';
import { stateOf } from './states.js';
import { DataTable } from './table.js';

const PATHS_MILLIS = 2000;
/** The max number of connections in one state whose paths are shown. */
const MAX_CONNECTIONS = 500;

/** Connections in these states have rules on switches. */
const STATES_WITH_RULES = ['open', 'ended'];

const TILES = [
  ['Requests', (model) => withUnit(model.history.perSecond, '/s')],
  ['Open connections', (model) => number(model.history.openConnections)],
  ['Rejected', (model) => withUnit(model.history.rejectedPerSecond, '/s')],
  ['Switches', (model) => number(model.state.switches.length)],
  ['Links', (model) => number(model.edges.length)],
  ['Servers up', (model) => serversUp(model)],
];

function serversUp(model) {
  const members = model.state.members.filter((member) => member.pool_id);
  const up = members.filter((member) => {
    const numbers = model.memberNumbers.get(member.id);
    return numbers !== undefined && stateOf(member, numbers) === 'up';
  });
  return members.length ? `${up.length} of ${members.length}` : '0';
}

/** Both directions of a link, as a sentence each. */
function directions(edge) {
  const line = (from, to, numbers) => (numbers === null ? [] : [[`${switchLabel(from.switch)} → ${switchLabel(to.switch)}`, numbers]]);
  return [...line(edge.a, edge.b, edge.numbers.forward ?? null), ...line(edge.b, edge.a, edge.numbers.backward ?? null)];
}

export class NetworkView {
  #model;
  #graph = null;
  #tiles = TILES.map(([name]) => el('div', { class: 'tile' }, el('dt', { text: name }), el('dd', { text: '–' })));
  #canvas = el('div', { class: 'graph', id: 'graph', role: 'img', 'aria-labelledby': 'graph-words' });
  #words = el('p', { class: 'visually-hidden', id: 'graph-words' });
  #empty = el('div', { class: 'empty graph-empty' },
    el('h3', { text: 'No switch is connected' }),
    el('p', {}, 'To try MALOB without switches, start an emulated network: ',
      el('code', { text: 'sudo ./malob demo --keep' }), '.'));
  #choice = el('select', { id: 'show-paths', onchange: () => this.#choose(this.#choice.value) });
  #pathWords = el('p', { class: 'quiet', role: 'status' });
  #details = el('div', { class: 'details' });
  #table;
  #picked = null;
  /** The switches with their roles, as they were when one was selected. */
  #roles = [];
  #wanted = '';
  #connection = null;
  #timer = 0;

  constructor(model) {
    this.#model = model;
    this.#table = this.#linkTable();
    const tools = el('div', { class: 'graph-tools', role: 'group', 'aria-label': 'Zoom' },
      el('button', { type: 'button', 'aria-label': 'Zoom in', onclick: () => this.#graph?.zoom(1.25), text: '+' }),
      el('button', { type: 'button', 'aria-label': 'Zoom out', onclick: () => this.#graph?.zoom(0.8), text: '−' }),
      el('button', { type: 'button', onclick: () => this.#graph?.fit(), text: 'Fit' }));
    const side = el('aside', { class: 'side', 'aria-label': 'Paths and details' },
      el('section', { class: 'card' }, el('label', { for: 'show-paths', text: 'Show paths of' }), this.#choice, this.#pathWords),
      el('section', { class: 'card', 'aria-live': 'polite' }, this.#details), this.#legend());
    this.node = el('div', {}, el('dl', { class: 'tiles' }, this.#tiles),
      el('div', { class: 'network-body' },
        el('div', { class: 'card graph-card' }, this.#canvas, this.#empty, tools, this.#words), side),
      el('details', { class: 'card as-table' }, el('summary', { text: 'The links as a table' }), this.#table.node));
    this.#showDetails();
  }

  #legend() {
    const use = ['below 5 %', 'below 30 %', 'below 60 %', 'below 85 %', '85 % or more', 'in use, capacity unknown', 'unknown'];
    const level = [1, 2, 3, 4, 5, 6, 0];
    return el('section', { class: 'card legend-card' }, el('h3', { text: 'Legend' }),
      el('ul', { class: 'legend' },
        use.map((text, i) => el('li', {}, el('span', { class: `swatch bar use${level[i]}` }), text)),
        el('li', {}, el('span', { class: 'swatch node-switch' }), 'switch'),
        el('li', {}, el('span', { class: 'swatch node-host' }), 'host'),
        el('li', {}, el('span', { class: 'swatch node-member' }), 'server'),
        el('li', {}, el('span', { class: 'swatch node-vip' }), 'VIP')),
      el('p', { class: 'quiet', text: "A link's colour is its utilization, its width the capacity, its label the latency." }));
  }

  #linkTable() {
    const known = (which) => (edge) => edge.numbers[which] ?? null;
    return new DataTable({
      caption: 'Links between switches', noun: ['link', 'links'], keyOf: (edge) => edge.id,
      onRow: (edge) => this.#graph?.pick(edge.id),
      empty: el('p', { text: 'No links between switches.' }),
      columns: [
        { name: 'Link', text: (edge) => `${switchLabel(edge.a.switch)} – ${switchLabel(edge.b.switch)}`, value: (edge) => edge.id },
        { name: 'Ports', text: (edge) => `${edge.a.port} – ${edge.b.port}` },
        { name: 'Traffic', number: true, text: (edge) => bitRate(edge.numbers.use), value: known('use') },
        { name: 'Utilization', number: true, text: (edge) => percent(edge.numbers.share), value: known('share') },
        { name: 'Capacity', number: true, text: (edge) => bitRate(edge.numbers.capacity), value: known('capacity') },
        { name: 'Latency', number: true, text: (edge) => milliseconds(edge.numbers.latency), value: known('latency') },
        { name: 'Connections', number: true, text: (edge) => number(edge.numbers.active), value: known('active') },
      ],
    });
  }

  show(parameters) {
    this.#connection = parameters.has('client') ? Object.fromEntries(parameters) : null;
    const vip = parameters.get('vip');
    if (this.#connection) this.#wanted = '*';
    else if (vip !== null) this.#wanted = vip;
    if (!this.#graph) {
      this.#graph = new NetworkGraph(this.#model, this.#canvas, (picked) => {
        this.#picked = picked;
        this.#showDetails();
        this.#askForRoles();
      });
      new ResizeObserver(() => this.#graph.fit()).observe(this.#canvas);
    }
    clearInterval(this.#timer);
    this.#timer = setInterval(() => this.#showPaths(), PATHS_MILLIS);
    this.#showPaths();
  }

  hide() {
    clearInterval(this.#timer);
  }

  update(what) {
    if (what === 'state') {
      this.#graph.setState();
      this.#showChoices();
      this.#askForRoles();
    }
    this.#graph.setRates();
    const { switches, hosts } = this.#model.state;
    this.#empty.hidden = switches.length > 0 || this.#model.status === 'connecting';
    setText(this.#words, `Drawing of ${plural(switches.length, 'switch', 'switches')}, ${plural(this.#model.edges.length, 'link')} and `
      + `${plural(hosts.length, 'host')}. The table below lists the links. The views Servers and Configuration list servers and VIPs.`);
    TILES.forEach(([, text], i) => setText(this.#tiles[i].lastChild, text(this.#model)));
    this.#table.update(this.#model.edges);
    if (this.#picked) this.#showDetails();
  }

  #showChoices() {
    const options = [['', 'nothing'], ...this.#model.state.vips.map((vip) =>
      [vip.id, `${nameOf(vip)} (${withPort(vip.address, vip.port)})`])];
    if (this.#connection) options.splice(1, 0, ['*', `the connection of ${withPort(this.#connection.client, this.#connection.client_port)}`]);
    this.#choice.replaceChildren(...options.map(([value, text]) => el('option', { value, text })));
    this.#choice.value = options.some(([value]) => value === this.#wanted) ? this.#wanted : '';
  }

  #choose(wanted) {
    this.#wanted = wanted;
    this.#showPaths();
  }

  /** The paths of the connections with rules of what is selected. */
  async #showPaths() {
    const wanted = this.#wanted;
    if (wanted === '') {
      this.#graph.highlight([]);
      setText(this.#pathWords, '');
      return;
    }
    const one = wanted === '*' ? this.#connection : null;
    let answers;
    try {
      const parameters = one ? { client: one.client, vip: one.vip, port: one.port, protocol: one.protocol } : { vip: wanted };
      answers = await Promise.all(STATES_WITH_RULES.map((state) =>
        get('wm/malob/connections', { ...parameters, state, limit: MAX_CONNECTIONS })));
    } catch (error) {
      setText(this.#pathWords, error.message);
      return;
    }
    if (wanted !== this.#wanted) return;
    let connections = answers.flatMap((answer) => answer.connections);
    if (one) connections = connections.filter((each) => String(each.client_port) === String(one.client_port));
    this.#mark(connections.filter((each) => each.request_path), wanted, one, answers.some((answer) => (answer.next ?? null) !== null));
  }

  #mark(connections, wanted, one, isCut) {
    const marked = new Set(one ? [] : [`vip ${wanted}`]);
    const routes = new Set();
    for (const connection of connections) {
      for (const path of [connection.request_path, connection.reply_path ?? []]) this.#markPath(path, marked);
      routes.add(connection.request_path.map((hop) => hop.switch).join(' '));
      this.#markHost(connection.client_address, marked);
      this.#markHost(connection.member_address, marked);
      if (one) marked.add(`vip ${connection.vip_id}`);
    }
    this.#graph.highlight(marked);
    setText(this.#pathWords, connections.length === 0
      ? 'No connection has rules on the switches.'
      : one ? this.#inWords(connections[0])
        : `${isCut ? 'First ' : ''}${plural(connections.length, 'connection')} on ${plural(routes.size, 'request path')}, with their reply paths.`);
  }

  #inWords(connection) {
    const path = (hops) => (hops ?? []).map((hop) => switchLabel(hop.switch)).join(' → ');
    return `Server ${connection.member_id}. Requests: ${path(connection.request_path)}. Replies: ${path(connection.reply_path)}.`;
  }

  #markPath(path, marked) {
    path.forEach((hop) => {
      marked.add(hop.switch);
      const edge = this.#model.edgeAt(hop.switch, hop.out_port);
      if (edge) marked.add(edge.id);
    });
  }

  #markHost(address, marked) {
    const host = this.#model.hostAt(address);
    if (!host) return;
    for (const id of [`host ${host.mac}`, `access ${host.mac}`, `hosts ${host.switch}`, `access ${host.switch}`]) marked.add(id);
  }

  /** Without an answer, the details have no roles. */
  async #askForRoles() {
    if (this.#picked?.kind !== 'switch') return;
    this.#roles = await get('wm/malob/switches').catch(() => []);
    this.#showDetails();
  }

  /** What is known of the chosen part of the drawing. */
  #showDetails() {
    const { kind, id } = this.#picked ?? {};
    const rows = {
      switch: () => this.#switchRows(id), link: () => this.#linkRows(id), host: () => this.#hostRows(id), vip: () => this.#vipRows(id),
    }[kind]?.();
    const signature = JSON.stringify(rows ?? null);
    if (this.#details.dataset.shown === signature) return;
    this.#details.dataset.shown = signature;
    this.#details.replaceChildren(...(rows
      ? [el('h3', { text: rows.title }), el('dl', { class: 'facts' }, rows.facts.flatMap(([name, value]) => [el('dt', { text: name }), el('dd', { text: value })])),
        rows.link ? el('a', { href: rows.link[0], text: rows.link[1] }) : null].filter(Boolean)
      : [el('h3', { text: 'Details' }), el('p', { class: 'quiet', text: 'Select a switch, link, host or VIP in the drawing.' })]));
  }

  #switchRows(id) {
    const { hosts } = this.#model.state;
    const links = this.#model.edges.filter((edge) => edge.a.switch === id || edge.b.switch === id);
    return {
      title: `Switch ${switchLabel(id)}`,
      facts: [['Datapath id', id], ...roleFacts(this.#roles, id), ['Links', number(links.length)],
        ['Hosts', number(hosts.filter((host) => host.switch === id).length)]],
    };
  }

  #linkRows(id) {
    const edge = this.#model.edges.find((each) => each.id === id);
    if (!edge) return null;
    return {
      title: `Link ${switchLabel(edge.a.switch)} – ${switchLabel(edge.b.switch)}`,
      facts: directions(edge).flatMap(([name, numbers]) => [
        [name, `${bitRate(numbers.use)} of ${bitRate(numbers.capacity)}`],
        ['Latency', milliseconds(numbers.latency)],
        ['Available to a new connection', bitRate(numbers.throughput)],
        ['Connections', number(numbers.active)],
      ]),
    };
  }

  #hostRows(id) {
    const host = this.#model.state.hosts.find((each) => `host ${each.mac}` === id);
    if (!host) return null;
    const member = this.#model.state.members.find((each) => host.addresses.includes(each.address));
    const numbers = member && this.#model.memberNumbers.get(member.id);
    const names = this.#model.namesAt(host.addresses);
    const facts = [['Address', host.addresses.join(', ') || 'unknown'], ['MAC address', host.mac],
      ['Attached to', `${switchLabel(host.switch)}, port ${host.port ?? 'unknown'}`]];
    if (numbers) {
      facts.push(['Connections', `${number(numbers.active)} open, ${number(numbers.total)} in total`], ['CPU', percent(numbers.cpu)]);
    }
    return {
      title: names ? `Server ${names}` : `Host ${host.name}`, facts,
      link: member ? ['#/servers', 'All servers'] : [`#/why${host.addresses.length ? `?client=${host.addresses[0]}` : ''}`, 'Which server would it get?'],
    };
  }

  #vipRows(id) {
    const vip = this.#model.vip(id.slice('vip '.length));
    if (!vip) return null;
    const pool = this.#model.poolOfVip(vip.id);
    return {
      title: `VIP ${nameOf(vip)}`,
      facts: [
        ['Address', `${withPort(vip.address, vip.port)} ${vip.protocol ?? ''}`],
        ['Algorithm', this.#model.algorithmOfVip(vip) ?? 'by port'],
        ['Servers', number(pool ? this.#model.membersOfPool(pool.id).length : 0)],
      ],
      link: [`#/why?vip=${encodeURIComponent(vip.id)}`, 'Which server would a client get?'],
    };
  }
}
