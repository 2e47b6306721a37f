// VIPs, pools, members, services and health monitors: made, changed and deleted.

import { algorithmOptions } from './algorithms.js';
import { CATALOG, get, getTagged, itemPath, post, put, remove } from './api.js';
import { changesOf, textOf } from './changes.js';
import { announce, el } from './dom.js';
import { openForm } from './form.js';
import { plural, UNKNOWN, withUnit } from './format.js';
import { DataTable } from './table.js';

const PROTOCOLS = [['', 'any'], ['tcp', 'TCP'], ['udp', 'UDP'], ['icmp', 'ICMP']];
const MONITORS = [
  ['TCP', 'TCP: the port takes connections'], ['PING', 'PING: the machine answers'], ['HTTP', 'HTTP: a page comes'], ['AGENT', 'AGENT: its agent reports'],
];
/** All kinds: what they are called, shown and asked for with. `algorithms` gives those that are known. */
function kinds(model, algorithms) {
  const pools = () => [['', 'none'], ...model.state.pools.map((pool) => [pool.id, pool.name])];
  const vips = () => [['', 'none'], ...model.state.vips.map((vip) => [vip.id, `${vip.name} (${vip.address})`])];
  const hosts = () => model.state.hosts.flatMap((host) => host.addresses).slice(0, 300);
  const id = { name: 'id', label: 'Id', hint: 'Letters, digits, _ . : -  One is made if you leave it out.', fixed: true };
  const adminState = {
    name: 'admin_state', label: 'State', only: (item) => item !== null && 'admin_state' in item,
    options: () => [['up', 'up'], ['drain', 'drain: no new connections, open ones go on'], ['down', 'down: closed at once']],
  };
  return {
    vips: {
      noun: ['VIP', 'VIPs'], title: 'VIPs', words: 'The addresses that clients use.',
      columns: [
        ['Name', (vip) => vip.name], ['Id', (vip) => vip.id],
        ['Address', (vip) => `${vip.address}${vip.port === null ? '' : `:${vip.port}`}`], ['Protocol', (vip) => vip.protocol ?? 'any'],
        ['Pool', (vip) => model.poolOfVip(vip.id)?.name ?? UNKNOWN], ['Algorithm', (vip) => model.algorithmOfVip(vip) ?? 'by port'],
      ],
      fields: [
        { name: 'address', label: 'Address', hint: 'IPv4, one that no host has', required: true },
        { name: 'port', label: 'Port', hint: 'TCP or UDP port, or ICMP type; every port if you leave it out', inputmode: 'numeric' },
        { name: 'protocol', label: 'Protocol', options: () => PROTOCOLS },
        { name: 'name', label: 'Name', hint: 'For people' }, id,
        { name: 'lb_method', label: 'Algorithm', options: (vip) => algorithmOptions(algorithms(), vip?.lb_method, "the pool's, or the service's") },
        { name: 'allowed_sources', label: 'Allowed clients', hint: 'Networks, with commas between them, as 10.0.0.0/8; everybody if you leave it out' },
        { name: 'connection_limit', label: 'Most connections', hint: 'Open at a time; any number if you leave it out', inputmode: 'numeric' },
      ],
    },
    pools: {
      noun: ['pool', 'pools'], title: 'Pools', words: 'The groups of servers, one behind each VIP.',
      columns: [
        ['Name', (pool) => pool.name], ['Id', (pool) => pool.id],
        ['VIP', (pool) => (pool.vip_id ? model.vip(pool.vip_id)?.name ?? pool.vip_id : UNKNOWN)],
        ['Members', (pool) => String(model.membersOfPool(pool.id).length)], ['Algorithm', (pool) => pool.lb_method ?? UNKNOWN],
      ],
      fields: [
        { name: 'name', label: 'Name', hint: 'For people' }, id, { name: 'vip_id', label: 'VIP', options: vips },
        { name: 'protocol', label: 'Protocol', options: () => PROTOCOLS },
        { name: 'lb_method', label: 'Algorithm', options: (pool) => algorithmOptions(algorithms(), pool?.lb_method, "the VIP's, or the service's") },
        { name: 'session_persistence', label: 'Clients stay', hint: 'SOURCE_IP,timeout=1800: with their member, for 1800 s; not if you leave it out' },
        { name: 'slow_start', label: 'Slow start', hint: 'Seconds until a member that joins or is back has its full share', inputmode: 'numeric' },
      ],
    },
    members: {
      noun: ['member', 'members'], title: 'Members', words: 'The servers.',
      columns: [
        ['Id', (member) => member.id], ['Address', (member) => `${member.address}${member.port ? `:${member.port}` : ''}`],
        ['Pool', (member) => (member.pool_id ? model.pool(member.pool_id)?.name ?? member.pool_id : UNKNOWN)],
        ['Weight', (member) => String(member.weight)], ['State', (member) => member.admin_state ?? 'up'],
      ],
      fields: [
        { name: 'address', label: 'Address', hint: 'IPv4 of the server', suggestions: hosts, required: true },
        { name: 'port', label: 'Port', hint: 'The port that the client asked for if you leave it out', inputmode: 'numeric' },
        { name: 'pool_id', label: 'Pool', options: pools },
        { name: 'weight', label: 'Weight', hint: '0 to 256; 1 if you leave it out; 0: nothing new', inputmode: 'numeric' },
        { name: 'connection_limit', label: 'Most connections', hint: 'Open at a time; any number if you leave it out', inputmode: 'numeric' },
        { name: 'backup', label: 'Backup', options: () => [['false', 'no'], ['true', 'yes: only while no other member can']] }, id, adminState,
      ],
    },
    health_monitors: {
      noun: ['health monitor', 'health monitors'], title: 'Health monitors', words: 'How the members of pools are checked.',
      columns: [
        ['Name', (monitor) => monitor.name], ['Id', (monitor) => monitor.id], ['Type', (monitor) => monitor.type],
        ['Pool', (monitor) => (monitor.pool_id ? model.pool(monitor.pool_id)?.name ?? monitor.pool_id : UNKNOWN)],
        ['Every', (monitor) => withUnit(monitor.delay, 's')],
        ['Down after', (monitor) => plural(monitor.attempts_before_deactivation, 'failure')], ['Up after', (monitor) => plural(monitor.rise, 'success', 'successes')],
      ],
      fields: [
        { name: 'type', label: 'Type', options: () => MONITORS }, { name: 'pool_id', label: 'Pool', options: pools },
        { name: 'delay', label: 'Every', hint: 'Seconds from one check to the next; 5 if you leave it out', inputmode: 'numeric' },
        { name: 'timeout', label: 'Time-out', hint: 'Seconds that an answer may take', inputmode: 'numeric' },
        { name: 'attempts_before_deactivation', label: 'Down after', hint: 'Failures in a row', inputmode: 'numeric' },
        { name: 'rise', label: 'Up after', hint: 'Successes in a row', inputmode: 'numeric' },
        { name: 'port', label: 'Port', hint: "The member's if you leave it out", inputmode: 'numeric' },
        { name: 'on_down', label: 'When one is down', options: () => [['reset', 'its connections are reset'], ['keep', 'its connections are kept']] },
        { name: 'url_path', label: 'Path', hint: 'HTTP only, as the next three' },
        { name: 'http_method', label: 'Method', options: () => [['', 'GET'], ['HEAD', 'HEAD'], ['OPTIONS', 'OPTIONS']] },
        { name: 'expected_codes', label: 'Expected codes', hint: 'As 200-299' }, { name: 'expected_body', label: 'Expected text', hint: 'That is in the body' },
        { name: 'name', label: 'Name', hint: 'For people' }, id,
      ],
    },
    services: {
      noun: ['service', 'services'], title: 'Services', words: 'The algorithm for each port, where neither VIP nor pool names one.',
      columns: [
        ['Name', (service) => service.service_name], ['Id', (service) => service.id], ['Port', (service) => service.port ?? 'all others'],
        ['Protocol', (service) => service.protocol ?? 'any'], ['Algorithm', (service) => service.algorithm],
      ],
      fields: [
        { name: 'service_name', label: 'Name', hint: 'For people' },
        { name: 'port', label: 'Port', hint: 'The default entry has none', inputmode: 'numeric' },
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
      empty: el('p', { text: `There are no ${noun[1]} yet.` }),
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
    const kind = parameters.get('new');
    if (kind in this.#kinds) {
      history.replaceState(null, '', '#/catalog');
      this.#edit(kind, null);
    }
  }

  update(what) {
    if (what !== 'state') return;
    for (const [kind, table] of Object.entries(this.#tables)) table.update(this.#model.state[kind]);
  }

  async #change(kind, id) {
    try {
      const { body, tag } = await getTagged(itemPath(kind, id));
      this.#edit(kind, body, tag);
    } catch (error) {
      announce(error.message, 'error');
    }
  }

  /** Asks for the algorithms until they are known; forms are of use without them, too. */
  async #askForAlgorithms(failed) {
    try {
      this.#algorithms = await get('wm/malob/algorithms');
    } catch (error) {
      failed(`The algorithms are not known: ${error.message}`);
    }
  }

  async #edit(kind, item, tag = null) {
    if (!this.#algorithms.length) await this.#askForAlgorithms((message) => announce(message, 'error'));
    const { noun, fields } = this.#kinds[kind];
    openForm({
      title: item === null ? `New ${noun[0]}` : `${noun[0]} ${item.id}`,
      fields: fields.filter((field) => !field.only || field.only(item)).map((field) => {
        const options = field.options?.(item) ?? null;
        return {
          ...field, only: null, fixed: null, disabled: Boolean(field.fixed) && item !== null,
          options, suggestions: field.suggestions?.() ?? null,
          value: item === null && options ? options[0]?.[0] : textOf(item?.[field.name]),
        };
      }),
      submit: item === null ? `Add ${noun[0]}` : 'Save',
      onSubmit: async (values) => {
        const changes = changesOf(values, item);
        if (item === null) {
          const made = await post(`${CATALOG}/${kind}/`, changes);
          announce(`${noun[0]} ${made.id} was added.`);
        } else if (Object.keys(changes).length > 0) {
          await put(itemPath(kind, item.id), changes, tag);
          announce(`${noun[0]} ${item.id} was changed.`);
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
        announce(`${noun[0]} ${id} was deleted.`);
      },
    });
  }

  #consequence(kind, id) {
    const open = (members) => members.reduce((sum, member) => sum + (this.#model.memberNumbers.get(member.id)?.active ?? 0), 0);
    const reset = (members) => (open(members) ? `${plural(open(members), 'open connection')} will be reset.` : 'No connection is open.');
    switch (kind) {
      case 'vips': {
        const pool = this.#model.poolOfVip(id);
        return `${pool ? `Its pool ${pool.name} stays, without VIP. ` : ''}${reset(pool ? this.#model.membersOfPool(pool.id) : [])}`;
      }
      case 'pools': return `Its members stay, in no pool. ${reset(this.#model.membersOfPool(id))}`;
      case 'members': return `${reset([this.#model.member(id)].filter(Boolean))} To let them go on, drain it first.`;
      case 'health_monitors': return 'Members of its pool are taken to be up then.';
      default: return 'New connections to its port go by the default entry.';
    }
  }
}
