// A controller that is made up: serves the page, a network of any size and numbers that change each second.
// `node made-up.mjs [switches] [members] [port]` to look at the page without any network. Nothing of it is measured.

import { createServer } from 'node:http';
import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { GRAPHS } from '../../main/resources/web/js/history.js';

const WEB = [new URL('../../main/resources/web/', import.meta.url), new URL('../../../target/classes/web/', import.meta.url)];
const TYPES = { html: 'text/html', css: 'text/css', js: 'text/javascript', mjs: 'text/javascript', svg: 'image/svg+xml' };
const POLICY = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/** The same numbers each time. */
function generator(seed) {
  let state = seed;
  return () => {
    state = (state * 1664525 + 1013904223) % 4294967296;
    return state / 4294967296;
  };
}

const HEALTH = ['up', 'up', 'up', 'up', 'down', 'up', 'checking', 'unchecked', 'ejected'];

const PROBLEMS = [
  { reason: 'no_pool', kind: 'vip', id: 'spare', problem: 'VIP spare has no pool and rejects its clients.', remedy: 'Add a pool to it.', command: './malob pool add ID --vip spare' },
  {
    reason: 'down', kind: 'member', id: 'server-5', problem: 'Member server-5 (10.0.0.5:21) is down: it fails its health checks.',
    remedy: 'Check that the service runs and listens on port 21.', command: null,
  },
];

const MOVES = [['server-1', 'server-4', 3, 'shares'], ['server-7', 'server-1', 21, 'member_drained'], ['server-10', 'server-4', 9, 'member_down']];

const dpid = (number) => number.toString(16).padStart(16, '0').match(/../g).join(':');

function madeUpState(switchCount, memberCount, random) {
  const switches = Array.from({ length: switchCount }, (_, i) => dpid(i + 1));
  const ports = new Map(switches.map((id) => [id, 1]));
  const port = (id) => {
    ports.set(id, ports.get(id) + 1);
    return ports.get(id) - 1;
  };
  const links = [];
  const join = (a, b) => {
    const ends = [{ switch: switches[a], port: port(switches[a]) }, { switch: switches[b], port: port(switches[b]) }];
    links.push({ src: ends[0], dst: ends[1] }, { src: ends[1], dst: ends[0] });
  };
  for (let i = 1; i < switchCount; i++) join(i, Math.max(0, i - 1 - Math.floor(random() * Math.min(i, 4))));
  for (let i = 0; i < switchCount * 0.6; i++) {
    const a = Math.floor(random() * switchCount);
    const b = (a + 2 + Math.floor(random() * 6)) % switchCount;
    if (a !== b) join(a, b);
  }
  const address = (i) => `10.0.${Math.floor(i / 250)}.${1 + (i % 250)}`;
  const hosts = Array.from({ length: memberCount + switchCount }, (_, i) => {
    const at = switches[i % switchCount];
    return { mac: `02:00:00:00:${(i >> 8).toString(16).padStart(2, '0')}:${(i & 255).toString(16).padStart(2, '0')}`, addresses: [address(i)], switch: at, port: port(at) };
  });
  const vips = [['web', 80, 'SL-PS'], ['files', 21, null], ['bio', 6789, null]].map(([id, number, method], i) =>
    ({ id, name: id, protocol: 'tcp', address: `10.9.0.${i + 1}`, port: String(number), lb_method: method, placement: i === 0 ? 'auto' : 'reactive' }));
  const pools = vips.map((vip) => ({ id: `${vip.id}-servers`, name: `${vip.id} servers`, protocol: 'tcp', vip_id: vip.id, lb_method: vip.id === 'bio' ? 'LC+SPH' : null }));
  const members = Array.from({ length: memberCount }, (_, i) => ({
    id: `server-${i + 1}`, address: address(i), port: vips[i % 3].port, pool_id: pools[i % 3].id, weight: '1', admin_state: i % 17 === 5 ? 'drain' : 'up',
  }));
  const services = [['http', 'HTTP', '80', 'SL-PS'], ['ftp', 'FTP', '21', 'HT-PS'], ['bioapp', 'BioApp', '6789', 'CPU+SPL'], ['default', 'Default', null, 'SL-PS']]
    .map(([id, name, number, algorithm]) => ({ id, service_name: name, port: number, protocol: null, algorithm }));
  const health_monitors = pools.slice(0, 1).map((pool) => ({
    id: 'checks', name: 'checks', type: 'TCP', pool_id: pool.id, delay: 5, timeout: 2, rise: 2, attempts_before_deactivation: 3, port: null, on_down: 'reset',
  }));
  const load_balancers = vips.slice(0, 1).map((vip) => ({
    id: 'shop', name: 'shop', address: vip.address, admin_state: 'up', description: 'the shop', tags: ['production'], external_ids: { project_id: '7' },
  }));
  return { switches, links, hosts, load_balancers, vips, pools, members, members_left_out: 0, services, health_monitors };
}

class MadeUp {
  constructor(switchCount, memberCount) {
    this.random = generator(7);
    this.state = madeUpState(switchCount, memberCount, this.random);
    this.version = 1;
    this.time = 1e6;
    this.links = this.state.links.map(() => ({ use: this.random() * 60, latency: 1 + this.random() * 20, capacity: this.random() < 0.3 ? 1000 : 100 }));
    this.members = this.state.members.map(() => ({ active: 0, total: 0, cpu: this.random() * 0.7 }));
    this.refusals = { no_vip: 3, unknown_connection: 0 };
    this.samples = [];
    for (let second = 0; second < 400; second++) this.tick();
  }

  tick() {
    this.time += 1000;
    const near = (value, by, most) => Math.min(most, Math.max(0, value + (this.random() - 0.5) * by));
    for (const link of this.links) {
      link.use = near(link.use, link.capacity * 0.15, link.capacity);
      link.latency = near(link.latency, 1, 40);
    }
    this.members.forEach((member, i) => {
      const fresh = Math.floor(this.random() * (3 + (i % 3) * 4));
      member.fresh = fresh;
      member.total += fresh;
      member.active = Math.round(near(member.active, 6, 90));
      member.cpu = near(member.cpu, 0.1, 1);
    });
    const rejected = this.random() < 0.2 ? Math.floor(this.random() * 4) : 0;
    this.refusals.unknown_connection += rejected;
    this.samples = [...this.samples.slice(-599), this.sample(rejected)];
  }

  /** What a controller would have sampled, with not more than 50 lines. */
  sample(rejected) {
    const { members, vips, services } = this.state;
    const sum = (which) => which.reduce((all, [, value]) => all + value, 0);
    const perMember = this.members.map((member, i) => [members[i].id, member.fresh]);
    const perVip = vips.map((vip, i) => [vip.id, sum(perMember.filter((_, at) => at % vips.length === i))]);
    const times = vips.map((vip, i) => [`${vip.id}/${services[i].id}`, 4 + i * 9 + Math.round(this.random() * 2000) / 1000]);
    return {
      time_ms: this.time, requests_per_second: sum(perMember), rejections_per_second: rejected,
      requests_by_service: Object.fromEntries(perVip.map(([, value], i) => [services[i].id, value])),
      requests_by_algorithm: { 'SL-PS': perVip[0][1], 'HT-PS': perVip[1][1], 'LC+SPH': perVip[2][1] },
      requests_by_vip: Object.fromEntries(perVip), requests_by_server: Object.fromEntries(perMember.slice(0, 50)),
      server_ms_by_service: Object.fromEntries(times),
      server_ms_by_algorithm: { 'SL-PS': times[0][1], 'HT-PS': times[1][1], 'LC+SPH': times[2][1] },
      connections: { open: this.open(), ended: 30, dormant: 12 }, rejections: { no_vip: 0, unknown_connection: rejected },
    };
  }

  open() {
    return this.members.reduce((sum, member) => sum + member.active, 0);
  }

  history() {
    const shown = { time_ms: this.samples.map((sample) => sample.time_ms) };
    for (const graph of GRAPHS) {
      const ids = Object.keys(this.samples[0][graph]);
      shown[graph] = Object.fromEntries(ids.map((id) => [id, this.samples.map((sample) => sample[graph][id])]));
    }
    return shown;
  }

  /** Every fifth one only forwards labels. */
  switches() {
    return this.state.switches.map((id, i) => (i % 5 === 3
      ? { switch: id, role: 'core', layout: 'labels-only', source: 'forced', ipv6: false, refused: [], connection_tracking: null, tables: [] }
      : { switch: id, role: 'any', layout: 'four-tables', source: 'probed', ipv6: true, refused: [], connection_tracking: true, tables: [] }));
  }

  /** The first VIP has buckets at three switches, and a fourth one refuses them. */
  placement() {
    const [vip] = this.state.vips;
    const members = this.state.members.filter((member) => member.pool_id === this.state.pools[0].id).slice(0, 12).map((member) => member.id);
    const edges = this.state.switches.slice(0, 4).map((id, at) => {
      const counts = Object.fromEntries(members.map((member, i) => [member, Math.floor(64 / members.length) + ((i + at) % 3)]));
      const refuses = at === 3;
      return {
        switch: id, state: refuses ? 'reactive' : 'proactive', source: refuses ? null : at === 2 ? 'address' : 'port', buckets: refuses ? 0 : 64,
        moving: at === 0 ? 4 : 0, members: refuses ? {} : counts, loads: refuses ? {} : Object.fromEntries(members.map((member) => [member, counts[member] / 69])), shares: refuses ? {} : Object.fromEntries(members.map((member) => [member, 1 / members.length])),
        imbalance: refuses ? 0 : 0.01 + at * 0.07, too_few_sources: at === 2, packets_per_second: refuses ? 0 : 1500 + Math.round(this.random() * 900),
        problem: refuses ? 'a switch refuses a rule: FLOW_MOD_FAILED/TABLE_FULL' : null,
      };
    });
    const recent_moves = MOVES.map(([from, to, buckets, cause], i) => ({ switch: this.state.switches[0], from, to, buckets, cause, seconds_ago: 4.2 + 70 * i }));
    return [{ vip_id: vip.id, mode: 'auto', state: 'proactive', edges, edges_left_out: 0, moves: 33, recent_moves, opened: {} }];
  }

  rates() {
    const round = (value) => Math.round(value * 1000) / 1000;
    return {
      state: String(this.version), time_ms: this.time,
      links: this.links.map((link) => [round(link.use), round(link.latency), link.capacity, round(link.capacity - link.use), Math.round(link.use / 3)]),
      member_values: {
        active_connections: this.members.map((member) => member.active), total_connections: this.members.map((member) => member.total),
        foreign_connections: this.members.map(() => 0), located: this.members.map((_, i) => i % 29 !== 11), health: this.members.map((_, i) => HEALTH[i % HEALTH.length]),
        cpu: this.members.map((member) => round(member.cpu)), response_ms: this.members.map((member) => round(2 + member.cpu * 30)),
      },
      refusals: this.refusals, open_connections: this.open(), dormant_connections: 12, unsent_batches: 0,
      placement: this.placement(), traffic: this.samples.at(-1), problems: PROBLEMS, problems_left_out: 0,
    };
  }
}

async function file(response, name) {
  for (const folder of WEB) {
    try {
      const bytes = await readFile(fileURLToPath(new URL(name, folder)));
      response.writeHead(200, { 'Content-Type': TYPES[name.split('.').pop()] ?? 'text/plain', 'Content-Security-Policy': POLICY });
      response.end(bytes);
      return;
    } catch { /* the next folder may have it */ }
  }
  response.writeHead(404).end();
}

function json(response, body, status = 200) {
  response.writeHead(status, { 'Content-Type': 'application/json' }).end(JSON.stringify(body));
}

/** Starts it; answers with its address and how to end it. */
export function serve(switchCount, memberCount, port = 0) {
  const madeUp = new MadeUp(switchCount, memberCount);
  const streams = new Set();
  const event = (name, data) => `event: ${name}\nid: ${madeUp.version}\ndata: ${JSON.stringify(data)}\n\n`;
  const timer = setInterval(() => {
    madeUp.tick();
    const text = event('rates', madeUp.rates());
    for (const stream of streams) stream.write(text);
  }, 1000);
  const server = createServer((request, response) => {
    const { pathname } = new URL(request.url, 'http://here');
    if (pathname === '/wm/malob/events') {
      response.writeHead(200, { 'Content-Type': 'text/event-stream' });
      response.write(event('state', madeUp.state) + event('rates', madeUp.rates()));
      streams.add(response);
      response.on('close', () => streams.delete(response));
    } else if (pathname === '/wm/malob/connections') {
      json(response, { connections: [], next: null });
    } else if (pathname === '/wm/malob/switches') {
      json(response, madeUp.switches());
    } else if (pathname === '/wm/malob/history') {
      json(response, madeUp.history());
    } else if (pathname === '/wm/malob/algorithms') {
      json(response, [{ name: 'SL-PS', description: 'soonest' }, { name: 'LC+SPH', description: 'fewest connections, fewest links' }]);
    } else if (pathname === '/wm/malob/mptcp/status') {
      json(response, { state: 'none', trouble: null, replans: 0, plan: null });
    } else if (pathname === '/wm/malob/endhost') {
      json(response, { configured: false, connected: false });
    } else if (request.method === 'PUT' && pathname.startsWith('/quantum/v1.0/members/')) {
      const member = madeUp.state.members.find((each) => pathname.endsWith(`/${each.id}`));
      member.admin_state = member.admin_state === 'up' ? 'drain' : 'up';
      madeUp.version++;
      for (const stream of streams) stream.write(event('state', madeUp.state));
      json(response, member);
    } else if (pathname.startsWith('/quantum/')) {
      json(response, { error: 'address must be an IPv4 or IPv6 address such as 10.0.0.100 or 2001:db8::100, not ""', field: 'address' }, 400);
    } else if (pathname.startsWith('/ui/')) {
      file(response, pathname === '/ui/' ? 'index.html' : pathname.slice('/ui/'.length));
    } else {
      response.writeHead(302, { Location: '/ui/' }).end();
    }
  });
  return new Promise((resolve) => {
    server.listen(port, '127.0.0.1', () => resolve({
      url: `http://127.0.0.1:${server.address().port}/ui/`,
      close: () => { clearInterval(timer); server.closeAllConnections(); server.close(); },
    }));
  });
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const [switches = '9', members = '12', port = '8088'] = process.argv.slice(2);
  const { url } = await serve(Number(switches), Number(members), Number(port));
  console.log(url);
}
