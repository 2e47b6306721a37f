// Load balancers, VIPs, pools, members, services and health monitors: made, changed and deleted.

import { algorithmOptions } from './algorithms.js';
import { CATALOG, get, getTagged, itemPath, post, put, remove } from './api.js';
import { changesOf, textOf } from './changes.js';
import { announce, el } from './dom.js';
import { openForm } from './form.js';
import { capitalized, nameOf, plural, withPort, withUnit } from './format.js';
import { placementText } from './placement.js';
import { DataTable } from './table.js';

const PROTOCOLS = [['', 'any'], ['tcp', 'TCP'], ['udp', 'UDP'], ['icmp', 'ICMP']];
const MONITORS = [
  ['TCP', 'TCP: the port accepts connections'], ['PING', 'PING: the server answers a ping'], ['HTTP', 'HTTP: a request gets the expected response'],
  ['AGENT', 'AGENT: its agent reports'],
];
/** All kinds: their names, columns and form fields. `algorithms` returns the known algorithms. */
function kinds(model, algorithms) {
  const pools = () => [['', 'none'], ...model.state.pools.map((pool) => [pool.id, nameOf(pool)])];
  const vips = () => [['', 'none'], ...model.state.vips.map((vip) => [vip.id, `${nameOf(vip)} (${vip.address})`])];
  const hosts = () => model.state.hosts.flatMap((host) => host.addresses).slice(0, 300);
  const id = { name: 'id', label: 'Id', hint: 'Letters, digits and _ . : - (generated if empty)', fixed: true };
  const adminState = {
    name: 'admin_state', label: 'State', only: (item) => item !== null && 'admin_state' in item,
    options: () => [['up', 'up'], ['drain', 'drain: no new connections, open ones continue'], ['down', 'down: no connections, open ones are closed']],
  };
  const upOrDown = (down) => ({
    name: 'admin_state', label: 'State', only: (item) => item !== null && 'admin_state' in item, options: () => [['up', 'up'], ['down', `down: ${down}`]],
  });
  const outOfService = upOrDown('no new connections, open ones continue');
  const name = { name: 'name', label: 'Name', hint: 'For display; the id if empty' };
  const notes = [
    { name: 'description', label: 'Description', hint: 'A text without effect' },
    { name: 'tags', label: 'Tags', hint: 'Without effect, separated by commas' },
    { name: 'external_ids', label: 'External ids', hint: 'What other systems know it by, for example project_id=7,owner=shop' },
  ];
  const balancers = () => [['', 'none'], ...model.state.load_balancers.map((each) => [each.id, `${nameOf(each)} (${each.address})`])];
  return {
    load_balancers: {
      noun: ['load balancer', 'load balancers'], title: 'Load balancers', words: 'Addresses, each with all of its VIPs.',
      columns: [
        ['Name', (balancer) => nameOf(balancer)], ['Id', (balancer) => balancer.id], ['Address', (balancer) => balancer.address],
        ['VIPs', (balancer) => String(model.vipsAt(balancer.address).length)],
        ['State', (balancer) => balancer.admin_state ?? 'up'], ['Description', (balancer) => balancer.description ?? ''],
        ['Tags', (balancer) => textOf(balancer.tags)],
      ],
      fields: [
        { name: 'address', label: 'Address', hint: 'The IPv4 or IPv6 address of its VIPs', required: true }, name, id, outOfService, ...notes,
      ],
    },
    vips: {
      noun: ['VIP', 'VIPs'], title: 'VIPs', words: 'The addresses that clients use.',
      columns: [
        ['Name', (vip) => nameOf(vip)], ['Id', (vip) => vip.id],
        ['Address', (vip) => withPort(vip.address, vip.port)], ['Protocol', (vip) => vip.protocol ?? 'any'],
        ['Pool', (vip) => nameOf(model.poolOfVip(vip.id)) ?? 'none'], ['Algorithm', (vip) => model.algorithmOfVip(vip) ?? 'by port'],
        ['Placement', (vip) => placementText(vip, model.placementOf(vip.id))], ['State', (vip) => vip.admin_state ?? 'up'],
      ],
      fields: [
        { name: 'address', label: 'Address', hint: 'An IPv4 or IPv6 address that no host has', required: true },
        { name: 'port', label: 'Port', hint: 'TCP or UDP port, or ICMP type; every port if empty', inputmode: 'numeric' },
        { name: 'protocol', label: 'Protocol', options: () => PROTOCOLS },
        { name: 'vlan', label: 'VLAN', hint: 'That of its clients, 1 to 4094; untagged if empty', inputmode: 'numeric' },
        name, id,
        { name: 'lb_method', label: 'Algorithm', options: (vip) => algorithmOptions(algorithms(), vip?.lb_method, "the pool's, or the service's") },
        { name: 'allowed_sources', label: 'Allowed clients', hint: 'Networks, separated by commas, for example 10.0.0.0/8; all clients if empty' },
        { name: 'connection_limit', label: 'Max connections', hint: 'Open at the same time; unlimited if empty', inputmode: 'numeric' },
        {
          name: 'placement', label: 'Placement',
          options: () => [
            ['reactive', 'reactive: by rules of each connection'], ['auto', 'auto: tracked where switches can, else reactive'],
            ['tracked', 'tracked: switches remember connections'], ['proactive', 'proactive: by rules in advance'],
          ],
        },
        outOfService, ...notes,
      ],
    },
    pools: {
      noun: ['pool', 'pools'], title: 'Pools', words: 'The groups of servers behind the VIPs, one for each VIP.',
      columns: [
        ['Name', (pool) => nameOf(pool)], ['Id', (pool) => pool.id],
        ['VIP', (pool) => (pool.vip_id ? nameOf(model.vip(pool.vip_id)) ?? pool.vip_id : 'none')],
        ['Members', (pool) => String(model.membersOfPool(pool.id).length)], ['Algorithm', (pool) => pool.lb_method ?? 'from VIP or service'],
        ['State', (pool) => pool.admin_state ?? 'up'],
      ],
      fields: [
        name, id, { name: 'vip_id', label: 'VIP', options: vips }, { name: 'load_balancer_id', label: 'Load balancer', options: balancers },
        { name: 'protocol', label: 'Protocol', options: () => PROTOCOLS },
        { name: 'lb_method', label: 'Algorithm', options: (pool) => algorithmOptions(algorithms(), pool?.lb_method, "the VIP's, or the service's") },
        { name: 'session_persistence', label: 'Session persistence', hint: 'SOURCE_IP,timeout=1800 keeps clients on their member for 1800 s; off if empty' },
        { name: 'slow_start', label: 'Slow start', hint: 'Seconds in which a new or recovered member reaches its full share; 0 if empty', inputmode: 'numeric' },
        {
          name: 'source_nat', label: 'Members see', options: () => [
            ['false', "the client's address"], ['true', "an address of the client's switch (placement tracked or auto)"],
          ],
        },
        outOfService, ...notes,
      ],
    },
    members: {
      noun: ['member', 'members'], title: 'Members', words: 'The servers.',
      columns: [
        ['Name', (member) => nameOf(member)], ['Id', (member) => member.id], ['Address', (member) => withPort(member.address, member.port)],
        ['Pool', (member) => (member.pool_id ? nameOf(model.pool(member.pool_id)) ?? member.pool_id : 'none')],
        ['Weight', (member) => String(member.weight)], ['State', (member) => member.admin_state ?? 'up'],
      ],
      fields: [
        { name: 'address', label: 'Address', hint: 'The address of the server, of the same family as those of its pool', suggestions: hosts, required: true },
        { name: 'port', label: 'Port', hint: "The port on the server; the client's destination port if empty", inputmode: 'numeric' },
        { name: 'vlan', label: 'VLAN', hint: 'That of its frames, 1 to 4094; untagged if empty', inputmode: 'numeric' },
        { name: 'pool_id', label: 'Pool', options: pools },
        { name: 'weight', label: 'Weight', hint: '0 to 256; 1 if empty; 0: no new connections', inputmode: 'numeric' },
        { name: 'connection_limit', label: 'Max connections', hint: 'Open at the same time; unlimited if empty', inputmode: 'numeric' },
        { name: 'backup', label: 'Backup', options: () => [['false', 'no'], ['true', 'yes: only while no other member is usable']] },
        { name: 'monitor_port', label: 'Port of checks', hint: "For TCP and HTTP; the monitor's port if empty", inputmode: 'numeric' }, name, id, adminState, ...notes,
      ],
    },
    health_monitors: {
      noun: ['health monitor', 'health monitors'], title: 'Health monitors', words: 'Checks of the members of a pool, max one for each pool.',
      columns: [
        ['Name', (monitor) => nameOf(monitor)], ['Id', (monitor) => monitor.id], ['Type', (monitor) => monitor.type],
        ['Pool', (monitor) => (monitor.pool_id ? nameOf(model.pool(monitor.pool_id)) ?? monitor.pool_id : 'none')],
        ['Interval', (monitor) => withUnit(monitor.delay, 's')],
        ['Down after', (monitor) => plural(monitor.attempts_before_deactivation, 'failure')], ['Up after', (monitor) => plural(monitor.rise, 'pass', 'passes')],
      ],
      fields: [
        { name: 'type', label: 'Type', options: () => MONITORS }, { name: 'pool_id', label: 'Pool', options: pools },
        { name: 'delay', label: 'Interval', hint: 'Seconds between checks; 5 if empty', inputmode: 'numeric' },
        { name: 'timeout', label: 'Timeout', hint: 'Seconds to wait for an answer; 2 if empty', inputmode: 'numeric' },
        { name: 'attempts_before_deactivation', label: 'Down after', hint: 'Failures in a row; 3 if empty', inputmode: 'numeric' },
        { name: 'rise', label: 'Up after', hint: 'Passes in a row; 2 if empty', inputmode: 'numeric' },
        { name: 'port', label: 'Port', hint: "The member's port if empty", inputmode: 'numeric' },
        { name: 'on_down', label: 'When a member goes down', options: () => [['reset', 'reset its connections'], ['keep', 'keep its connections']] },
        { name: 'url_path', label: 'Path', hint: 'HTTP only, like the next three fields; / if empty' },
        { name: 'http_method', label: 'Method', options: () => [['', 'GET'], ['HEAD', 'HEAD'], ['OPTIONS', 'OPTIONS']] },
        { name: 'expected_codes', label: 'Expected codes', hint: 'For example 200-299; 200 if empty' }, { name: 'expected_body', label: 'Expected text', hint: 'The body must contain it' },
        name, id, upOrDown('no checks'), ...notes,
      ],
    },
    services: {
      noun: ['service', 'services'], title: 'Services', words: 'The algorithm for each port. The algorithm of a VIP or pool takes precedence.',
      columns: [
        ['Name', (service) => service.service_name], ['Id', (service) => service.id], ['Port', (service) => service.port ?? 'all others'],
        ['Protocol', (service) => service.protocol ?? 'any'], ['Algorithm', (service) => service.algorithm],
      ],
      fields: [
        { name: 'service_name', label: 'Name', hint: 'For display; the id if empty' },
        { name: 'port', label: 'Port', hint: 'TCP or UDP port, or ICMP type; none in the default entry', inputmode: 'numeric' },
        { name: 'protocol', label: 'Protocol', options: () => PROTOCOLS }, id,
        { name: 'algorithm', label: 'Algorithm', options: (service) => algorithmOptions(algorithms(), service?.algorithm, null) },
      ],
    },
  };
}

export class CatalogView {
  #model;
  #kinds;
  #tables = {};
  #algorithms = [];

  constructor(model) {
    this.#model = model;
    this.#kinds = kinds(model, () => this.#algorithms);
    // a form must open at once: what is typed before it is there is lost
    this.#askForAlgorithms(() => {}); // a form asks again
    this.node = el('div', {}, Object.entries(this.#kinds).map(([kind, about]) => this.#section(kind, about)));
  }

  #section(kind, { noun, title, words, columns }) {
    const table = new DataTable({
      caption: title, noun, keyOf: (item) => item.id, search: kind === 'members' || kind === 'vips',
      empty: el('p', { text: `No ${noun[1]} yet.` }),
      columns: [
        ...columns.map(([name, text]) => ({ name, text, value: text })),
        { name: 'Actions', hidden: true, make: (item) => this.#actions(kind, item.id) },
      ],
    });
    this.#tables[kind] = table;
    return el('section', { class: 'card', 'aria-labelledby': `title-${kind}` },
      el('div', { class: 'section-head' },
        el('div', {}, el('h2', { id: `title-${kind}`, text: title }), el('p', { class: 'quiet', text: words })),
        el('button', { type: 'button', class: 'primary', text: `Add ${noun[0]}`, onclick: () => this.#edit(kind, null) })),
      table.node);
  }

  #actions(kind, id) {
    const { noun } = this.#kinds[kind];
    return el('div', { class: 'row-actions' },
      el('button', { type: 'button', text: 'Change', 'aria-label': `Change ${noun[0]} ${id}`, onclick: () => this.#change(kind, id) }),
      kind === 'services' && id === 'default' ? null
        : el('button', { type: 'button', text: 'Delete', 'aria-label': `Delete ${noun[0]} ${id}`, onclick: () => this.#delete(kind, id) }));
  }

  show(parameters) {
    const [created, changed] = [parameters.get('new'), parameters.get('change')];
    if (!(created in this.#kinds) && !(changed in this.#kinds)) return;
    history.replaceState(null, '', '#/catalog');
    if (created in this.#kinds) this.#edit(created, null, null, Object.fromEntries(parameters));
    else this.#change(changed, parameters.get('id'));
  }

  update(what) {
    for (const [kind, table] of Object.entries(this.#tables)) {
      if (what === 'state' || kind === 'vips') table.update(this.#model.state[kind]);
    }
  }

  async #change(kind, id) {
    try {
      const { body, tag } = await getTagged(itemPath(kind, id));
      this.#edit(kind, body, tag);
    } catch (error) {
      announce(error.message, 'error');
    }
  }

  /** Asks for the algorithms until they are known. Forms work without them. */
  async #askForAlgorithms(failed) {
    try {
      this.#algorithms = await get('wm/malob/algorithms');
    } catch (error) {
      failed(`The page could not load the algorithms: ${error.message}`);
    }
  }

  /** Opens the form of an item, or of a new one with these values. */
  async #edit(kind, item, tag = null, preset = {}) {
    if (!this.#algorithms.length) await this.#askForAlgorithms((message) => announce(message, 'error'));
    const { noun, fields } = this.#kinds[kind];
    openForm({
      title: item === null ? `New ${noun[0]}` : `${capitalized(noun[0])} ${item.id}`,
      fields: fields.filter((field) => !field.only || field.only(item)).map((field) => {
        const options = field.options?.(item) ?? null;
        return {
          ...field, only: null, fixed: null, disabled: Boolean(field.fixed) && item !== null,
          options, suggestions: field.suggestions?.() ?? null,
          value: item === null ? preset[field.name] ?? options?.[0]?.[0] ?? '' : textOf(item[field.name]),
        };
      }),
      submit: item === null ? `Add ${noun[0]}` : 'Save',
      onSubmit: async (values) => {
        const changes = changesOf(values, item);
        if (item === null) {
          const made = await post(`${CATALOG}/${kind}/`, changes);
          announce(`${capitalized(noun[0])} ${made.id} was added.`);
        } else if (Object.keys(changes).length > 0) {
          await put(itemPath(kind, item.id), changes, tag);
          announce(`${capitalized(noun[0])} ${item.id} was changed.`);
        }
      },
    });
  }

  #delete(kind, id) {
    const { noun } = this.#kinds[kind];
    openForm({
      title: `Delete ${noun[0]} ${id}?`, intro: this.#consequence(kind, id), fields: [], submit: 'Delete', danger: true,
      onSubmit: async () => {
        await remove(itemPath(kind, id));
        announce(`${capitalized(noun[0])} ${id} was deleted.`);
      },
    });
  }

  #consequence(kind, id) {
    const open = (members) => members.reduce((sum, member) => sum + (this.#model.memberNumbers.get(member.id)?.active ?? 0), 0);
    const reset = (members) => (open(members) ? `${plural(open(members), 'open connection')} will be reset.` : 'It has no open connections.');
    switch (kind) {
      case 'load_balancers': return 'Its VIPs remain. Pools lose their reference to it.';
      case 'vips': {
        const pool = this.#model.poolOfVip(id);
        return `${pool ? `Its pool ${nameOf(pool)} remains without a VIP. ` : ''}${reset(pool ? this.#model.membersOfPool(pool.id) : [])}`;
      }
      case 'pools': return `Its members remain without a pool. ${reset(this.#model.membersOfPool(id))}`;
      case 'members': return `${reset([this.#model.member(id)].filter(Boolean))} To keep open connections, drain the member first.`;
      case 'health_monitors': return 'The members of its pool then count as up.';
      default: return 'New connections to its port will use the default entry.';
    }
  }
}
