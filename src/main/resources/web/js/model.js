// What the controller has sent, and what follows from it: edges of both directions, rates, graphs.

import { completeRates, completeState } from './complete.js';
import { nameOf, number } from './format.js';
import { History } from './history.js';

const LINK = { use: 0, latency: 1, capacity: 2, throughput: 3, active: 4 };

const EMPTY = { switches: [], links: [], hosts: [], load_balancers: [], vips: [], pools: [], members: [], services: [], health_monitors: [], members_left_out: 0 };

export const MAC = /^[0-9a-f]{2}(:[0-9a-f]{2}){5}$/i;

/** The end of a link, as a key. */
export function endKey(switchId, port) {
  return `${switchId}/${port}`;
}

/** Listeners get "state" when what is there has changed, and "rates" when its numbers have. */
export class Model extends EventTarget {
  state = EMPTY;
  status = 'connecting';
  /** What keeps the balancer from working; the controller sends the first ones, and how many others there are. */
  problems = [];
  problemsLeftOut = 0;
  refusals = {};
  /** VIPs with many half-open connections: how many, and how many they may have, by id. */
  halfOpen = {};
  /** VIPs that are or may become proactive, with their buckets. */
  placement = [];
  edges = [];
  /** Numbers of members, by id: active, total, perSecond, and all that rates have of them, by its names there. */
  memberNumbers = new Map();
  history = new History();
  #tag = '';
  #edgeOfEnd = new Map();
  #byId = { vips: new Map(), pools: new Map(), members: new Map(), services: new Map() };
  #poolOfVip = new Map();
  #membersOfPool = new Map();
  #vipsAtAddress = new Map();
  #hostOfAddress = new Map();
  #membersAtAddress = new Map();
  #memberAt = [];
  #before = null;

  setStatus(status) {
    this.status = status;
    this.dispatchEvent(new Event('status'));
  }

  setState(tag, sent) {
    const state = completeState(sent);
    this.#tag = tag;
    // numbers come by the member's place in what was sent
    this.#memberAt = state.members;
    state.members = state.members.filter(Boolean);
    this.state = state;
    for (const kind of Object.keys(this.#byId)) {
      this.#byId[kind] = new Map(state[kind].map((item) => [item.id, item]));
    }
    this.#poolOfVip = new Map(state.pools.filter((pool) => pool.vip_id).map((pool) => [pool.vip_id, pool]));
    this.#vipsAtAddress = grouped(state.vips, (vip) => vip.address);
    this.#membersOfPool = grouped(state.members, (member) => member.pool_id);
    this.#hostOfAddress = new Map(state.hosts.flatMap((host) => host.addresses.map((address) => [address, host])));
    this.#membersAtAddress = grouped(state.members, (member) => member.address);
    this.#joinDirections(state.links);
    this.dispatchEvent(new Event('state'));
  }

  /** Two directed links between the same ports are one edge. */
  #joinDirections(links) {
    const edges = new Map();
    this.#edgeOfEnd = new Map();
    links.forEach((link, index) => {
      if (!link) return;
      const { src, dst } = link;
      const from = endKey(src.switch, src.port);
      const to = endKey(dst.switch, dst.port);
      const isForward = from < to;
      const id = isForward ? `${from}-${to}` : `${to}-${from}`;
      if (!edges.has(id)) {
        edges.set(id, {
          id, a: isForward ? src : dst, b: isForward ? dst : src, forward: null, backward: null, numbers: {},
        });
      }
      edges.get(id)[isForward ? 'forward' : 'backward'] = index;
      this.#edgeOfEnd.set(from, edges.get(id));
    });
    this.edges = [...edges.values()];
  }

  /** Takes the controller's graphs of the minutes before. */
  setHistory(sent) {
    this.history.load(sent);
    this.dispatchEvent(new Event('rates'));
  }

  setRates(sent) {
    // numbers of another state do not fit the lists here; the next ones will
    if (sent.state !== this.#tag) return;
    const rates = completeRates(sent);
    for (const edge of this.edges) {
      edge.numbers = edgeNumbers(rates.links[edge.forward], rates.links[edge.backward]);
    }
    this.problems = rates.problems;
    this.problemsLeftOut = rates.problems_left_out;
    this.refusals = rates.refusals;
    this.halfOpen = rates.half_open ?? {};
    this.placement = rates.placement;
    this.#takeMembers(rates);
    this.history.add(rates.traffic);
    this.dispatchEvent(new Event('rates'));
  }

  #takeMembers(rates) {
    const before = this.#before;
    const seconds = before ? (rates.time_ms - before.time) / 1000 : 0;
    const totals = new Map();
    const numbers = new Map();
    const columns = Object.entries(rates.member_values);
    this.#memberAt.forEach((member, index) => {
      const values = Object.fromEntries(columns.map(([name, column]) => [name, column[index] ?? null]));
      const { active_connections: active = null, total_connections: total = null } = values;
      if (!member || total === null) return;
      totals.set(member.id, total);
      const earlier = before?.totals.get(member.id);
      const fresh = earlier === undefined ? 0 : Math.max(0, total - earlier);
      numbers.set(member.id, {
        ...values, active, total, perSecond: seconds > 0 ? fresh / seconds : null,
      });
    });
    this.memberNumbers = numbers;
    this.#before = { time: rates.time_ms, totals };
  }

  /** What to know of VIPs with many half-open connections, a sentence for each. */
  get halfOpenNotices() {
    return Object.entries(this.halfOpen).map(([id, [now, limit]]) => {
      const what = `VIP ${nameOf(this.vip(id)) ?? id} has ${number(now)} half-open connections (max ${number(limit)})`;
      return now < limit ? what : `${what} and drops new ones`;
    });
  }

  placementOf(vipId) { return this.placement.find((each) => each.vip_id === vipId); }

  vip(id) { return this.#byId.vips.get(id); }
  pool(id) { return this.#byId.pools.get(id); }
  member(id) { return this.#byId.members.get(id); }
  service(id) { return this.#byId.services.get(id); }
  poolOfVip(id) { return this.#poolOfVip.get(id); }
  vipsAt(address) { return this.#vipsAtAddress.get(address) ?? []; }
  membersOfPool(id) { return this.#membersOfPool.get(id) ?? []; }

  /** The hosts, as clients can be asked for: by their addresses, or by the MAC of one whose address is not known. */
  get clients() {
    return this.state.hosts.flatMap((host) => (host.addresses.length ? host.addresses : MAC.test(host.mac) ? [host.mac] : []));
  }

  hostAt(address) { return this.#hostOfAddress.get(address); }

  /** The ids of the members at these addresses: the controller knows no other names of hosts. */
  namesAt(addresses) {
    return addresses.flatMap((address) => this.#membersAtAddress.get(address) ?? []).map((member) => member.id).join(', ');
  }

  /** The link that leaves a switch by this port. */
  edgeAt(switchId, port) {
    return this.#edgeOfEnd.get(endKey(switchId, port));
  }

  vipOfMember(member) {
    const pool = member.pool_id ? this.pool(member.pool_id) : undefined;
    return pool?.vip_id ? this.vip(pool.vip_id) : undefined;
  }

  /** The entry of the services table for connections to a VIP; of one without port, there are many. */
  serviceOfVip(vip) {
    if (vip.port === null || vip.port === undefined) return undefined;
    const ofPort = this.state.services.filter((service) => sameNumber(service.port, vip.port));
    return ofPort.find((service) => service.protocol && service.protocol === vip.protocol)
      ?? ofPort.find((service) => !service.protocol) ?? this.service('default');
  }

  /** What places connections to a VIP. */
  algorithmOfVip(vip) {
    return vip.lb_method ?? this.poolOfVip(vip.id)?.lb_method ?? this.serviceOfVip(vip)?.algorithm ?? null;
  }
}

function sameNumber(one, other) {
  return one !== null && one !== undefined && Number(one) === Number(other);
}

function grouped(items, keyOf) {
  const groups = new Map();
  for (const item of items) {
    const key = keyOf(item);
    if (!groups.has(key)) groups.set(key, []);
    groups.get(key).push(item);
  }
  return groups;
}

/** Of both directions, what is worse; the numbers of each are kept. */
function edgeNumbers(forward, backward) {
  const directions = [forward, backward].filter(Boolean);
  const known = (which) => directions.map((line) => line[which]).filter((value) => value !== null && value !== undefined);
  const shares = directions
    .filter((line) => (line[LINK.use] ?? null) !== null && line[LINK.capacity])
    .map((line) => line[LINK.use] / line[LINK.capacity]);
  const largest = (values) => (values.length ? Math.max(...values) : null);
  return {
    use: largest(known(LINK.use)),
    share: largest(shares),
    latency: largest(known(LINK.latency)),
    capacity: known(LINK.capacity).length ? Math.min(...known(LINK.capacity)) : null,
    active: known(LINK.active).reduce((sum, value) => sum + value, 0),
    forward: forward ? directionNumbers(forward) : null,
    backward: backward ? directionNumbers(backward) : null,
  };
}

function directionNumbers(line) {
  return {
    use: line[LINK.use], latency: line[LINK.latency], capacity: line[LINK.capacity],
    throughput: line[LINK.throughput], active: line[LINK.active],
  };
}
