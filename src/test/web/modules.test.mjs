// What the page computes, without a browser: `node --test modules.test.mjs`.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import test from 'node:test';
import { algorithmOptions } from '../../main/resources/web/js/algorithms.js';
import { changesOf, textOf } from '../../main/resources/web/js/changes.js';
import { niceTop } from '../../main/resources/web/js/chart.js';
import { bitRate, bytes, duration, milliseconds, nameOf, number, percent, switchLabel, withPort } from '../../main/resources/web/js/format.js';
import { GRAPHS, History, HISTORY_SECONDS, SeriesGroup } from '../../main/resources/web/js/history.js';
import { layout } from '../../main/resources/web/js/layout.js';
import { Model } from '../../main/resources/web/js/model.js';
import { bucketParts, knownCauses, moveText, placementText } from '../../main/resources/web/js/placement.js';
import { shownProblem } from '../../main/resources/web/js/problems.js';
import { exclusion, knownRejections, rejection } from '../../main/resources/web/js/reasons.js';
import { roleFacts } from '../../main/resources/web/js/roles.js';
import { stateOf } from '../../main/resources/web/js/states.js';
import { timeName } from '../../main/resources/web/js/traffic.js';
import { SERVER_VALUES } from '../../main/resources/web/js/values.js';

const ONE = '00:00:00:00:00:00:00:01';
const TWO = '00:00:00:00:00:00:00:02';

function modelOfTwo(changes = {}) {
  const model = new Model();
  model.setState('tag', {
    switches: [ONE, TWO],
    links: [
      { src: { switch: ONE, port: 3 }, dst: { switch: TWO, port: 4 } },
      { src: { switch: TWO, port: 4 }, dst: { switch: ONE, port: 3 } },
    ],
    hosts: [{ mac: '02:00:00:00:00:01', addresses: ['10.0.0.1'], switch: TWO, port: 9 }],
    vips: [{ id: 'web', name: 'web', protocol: 'tcp', address: '10.0.0.100', port: '80', lb_method: null }],
    pools: [{ id: 'p', name: 'p', vip_id: 'web', lb_method: null }],
    members: [{ id: 'a', address: '10.0.0.1', pool_id: 'p' }, { id: 'b', address: '10.0.0.2', pool_id: 'p' }],
    services: [{ id: 'http', service_name: 'HTTP', port: '80', protocol: null, algorithm: 'SL-PS' }, { id: 'default', service_name: 'Default', port: null, protocol: null, algorithm: 'RR' }], health_monitors: [],
    members_left_out: 0,
    ...changes,
  });
  return model;
}

function rates(time, totals, more = {}) {
  return {
    state: 'tag', time_ms: time, links: [[40, 5, 50, 10, 2], [1, 7, 100, 99, 3]],
    member_values: { active_connections: totals.map(() => 1), total_connections: totals, cpu: totals.map(() => 0.5), located: totals.map(() => true), health: totals.map(() => 'up') },
    refusals: {}, traffic: null, problems: [], problems_left_out: 0, open_connections: 2, dormant_connections: 0, unsent_batches: 0, ...more,
  };
}

const latest = (group, name) => group.series.get(name)?.at(-1)[1];

/** What the controller samples at one moment. */
function sample(seconds, more = {}) {
  return { time_ms: seconds * 1000, requests_per_second: 5, rejections_per_second: 2, requests_by_service: { http: 5 }, connections: { open: 2 }, ...more };
}

test('roles: shown with the layout, unless all switches have four tables', () => {
  const four = { switch: ONE, role: 'any', layout: 'four-tables', source: 'probed' };
  assert.deepEqual(roleFacts([], ONE), []);
  assert.deepEqual(roleFacts([four], ONE), []);
  const core = { switch: TWO, role: 'core', layout: 'labels-only', source: 'forced' };
  assert.deepEqual(roleFacts([four, core], ONE), [['Role', 'any'], ['Layout of rules', 'four-tables']]);
  assert.deepEqual(roleFacts([four, core], TWO), [['Role', 'core'], ['Layout of rules', 'labels-only (forced)']]);
  assert.deepEqual(roleFacts([core], ONE), [['Role', 'unknown']]);
});

test('edges: both directions are one, with what is worse of them', () => {
  const model = modelOfTwo();
  model.setRates(rates(0, [0, 0]));
  assert.equal(model.edges.length, 1);
  const { numbers } = model.edgeAt(TWO, 4);
  assert.deepEqual([numbers.use, numbers.share, numbers.latency, numbers.capacity, numbers.active], [40, 0.8, 7, 50, 5]);
  assert.equal(model.edgeAt(ONE, 3), model.edgeAt(TWO, 4));
});

test('edges: what is not known of a link is null, not zero', () => {
  const model = modelOfTwo();
  model.setRates(rates(0, [0, 0], { links: [[null, null, null, null, 0], [null, null, null, null, 0]] }));
  const { numbers } = model.edges[0];
  assert.deepEqual([numbers.use, numbers.share, numbers.latency, numbers.capacity], [null, null, null, null]);
});

test('clients: hosts go by their addresses, and by their MAC while none is known', () => {
  const model = modelOfTwo({ hosts: [
    { mac: '02:00:00:00:00:01', addresses: ['10.0.0.1', '10.0.0.9'], switch: ONE, port: 8 },
    { mac: '02:00:00:00:00:02', addresses: [], switch: TWO, port: 9 },
    { addresses: [], switch: TWO, port: 10 }, // of this one nothing is known that could be asked for
  ] });
  assert.deepEqual(model.clients, ['10.0.0.1', '10.0.0.9', '02:00:00:00:00:02']);
});

test('algorithms: those that the controller has are offered, and the one that is chosen in any case', () => {
  const known = [{ name: 'SL-PS', description: 'soonest' }, { name: 'NEW', description: 'not thought of yet' }];
  const offered = [['SL-PS', 'SL-PS: soonest'], ['NEW', 'NEW: not thought of yet']];
  assert.deepEqual(algorithmOptions(known, undefined, null), offered);
  assert.deepEqual(algorithmOptions(known, 'NEW', "the pool's"), [['', "the pool's"], ...offered]);
  assert.deepEqual(algorithmOptions(known, 'GONE', null), [...offered, ['GONE', 'GONE']]);
  assert.deepEqual(algorithmOptions([], 'SL-PS', null), [['SL-PS', 'SL-PS']]);
});

test('rates: VIPs with many half-open connections are told of, and others not any more', () => {
  const model = modelOfTwo();
  model.setRates(rates(0, [0, 0], { half_open: { v: [130000, 500000], gone: [500000, 500000] } }));
  assert.deepEqual(model.halfOpenNotices, [
    'VIP v has 130 k half-open connections (max 500 k)',
    'VIP gone has 500 k half-open connections (max 500 k) and drops new ones',
  ]);
  model.setRates(rates(1000, [0, 0]));
  assert.deepEqual(model.halfOpenNotices, []);
});

test('rates: what was placed since, by the time between; the first numbers tell nothing', () => {
  const model = modelOfTwo();
  model.setRates(rates(1000, [100, 50]));
  assert.equal(model.memberNumbers.get('a').perSecond, null);
  model.setRates(rates(3000, [110, 50]));
  assert.equal(model.memberNumbers.get('a').perSecond, 5);
});

test('rates: the sample of traffic goes into the graphs', () => {
  const model = modelOfTwo();
  assert.equal(model.history.perSecond, null);
  model.setRates(rates(1000, [0, 0]));
  model.setRates(rates(2000, [0, 0], { traffic: sample(2) }));
  assert.deepEqual([model.history.perSecond, model.history.rejectedPerSecond], [5, 2]);
  assert.equal(latest(model.history.of('requests_by_service'), 'http'), 5);
  assert.equal(latest(model.history.of('connections'), 'open'), 2);
});

test('rates: problems are those of the controller', () => {
  const model = modelOfTwo();
  model.setRates(rates(0, [0, 0], { problems: [{ reason: 'down', id: 'a', problem: 'Member a is down.' }, { id: 'x' }, null], problems_left_out: 3 }));
  assert.deepEqual(model.problems.map((each) => each.id), ['a']);
  assert.equal(model.problemsLeftOut, 3);
});

test('rates: what is measured of members is taken by its name, whatever the controller has', () => {
  const model = modelOfTwo();
  const sent = rates(0, [3, 4]);
  model.setRates({ ...sent, member_values: { ...sent.member_values, not_thought_of_yet: [null, 7] } });
  const { perSecond, active, total, ...values } = model.memberNumbers.get('b');
  assert.deepEqual([perSecond, active, total], [null, 1, 4]);
  assert.deepEqual(values, { active_connections: 1, total_connections: 4, cpu: 0.5, located: true, health: 'up', not_thought_of_yet: 7 });
  assert.equal(model.memberNumbers.get('a').not_thought_of_yet, null);
});

test('values: all that agents measure of servers is shown, and nothing else', () => {
  const source = readFileSync(new URL('../../main/java/io/malob/state/network/ServerValue.java', import.meta.url), 'utf8');
  const measured = [...source.matchAll(/^ {2}[A-Z_]+\("([a-z_]+)"/gm)].map(([, field]) => field);
  assert.ok(measured.length >= 2);
  assert.deepEqual(SERVER_VALUES.map((value) => value.name), measured);
  assert.deepEqual(SERVER_VALUES.map((value) => value.show(null)), measured.map(() => '–'));
});

test('rates: those of another state are not taken', () => {
  const model = modelOfTwo();
  model.setRates({ ...rates(0, [1, 1]), state: 'other' });
  assert.equal(model.memberNumbers.size, 0);
});

test('rates: a counter that begins again, and a member that is new, give nothing', () => {
  const model = modelOfTwo();
  model.setRates(rates(0, [100]));
  model.setRates(rates(1000, [3, 70]));
  assert.deepEqual(['a', 'b'].map((id) => model.memberNumbers.get(id).perSecond), [0, 0]);
});

test('times: lines have the names of VIP and service', () => {
  const model = modelOfTwo({ vips: [{ id: 'web', name: 'Shop', address: '10.0.0.100', port: '80' }] });
  assert.deepEqual(['web/http', 'web/http/data', 'gone/other', 'SL-PS'].map((id) => timeName(model, id)),
    ['Shop, HTTP', 'Shop, HTTP data', 'gone, other', 'SL-PS']);
});

test('algorithm of a VIP: its own, the pool\'s, the service\'s; of one without port, none', () => {
  const vip = { id: 'web', name: 'web', protocol: 'tcp', address: '10.0.0.100', port: '80', lb_method: null };
  assert.equal(modelOfTwo().algorithmOfVip(vip), 'SL-PS');
  assert.equal(modelOfTwo().algorithmOfVip({ ...vip, port: '81' }), 'RR');
  assert.equal(modelOfTwo().algorithmOfVip({ ...vip, port: null }), null);
  assert.equal(modelOfTwo().algorithmOfVip({ ...vip, lb_method: 'LC+SPH' }), 'LC+SPH');
  assert.equal(modelOfTwo({ pools: [{ id: 'p', vip_id: 'web', lb_method: 'WRR+SPH' }] }).algorithmOfVip(vip), 'WRR+SPH');
});

test('history: no longer than its window, and a series that has ended goes', () => {
  const group = new SeriesGroup();
  for (let time = 0; time <= HISTORY_SECONDS + 50; time++) group.add(time, new Map(time < 10 ? [['early', 1], ['all', 2]] : [['all', 2]]));
  assert.deepEqual([...group.series.keys()], ['all']);
  assert.equal(group.series.get('all').length, HISTORY_SECONDS + 1);
});

test('history: what the controller kept is there at once, and samples follow it', () => {
  const history = new History();
  history.load({ time_ms: [1000, 2000, 3000], requests_by_service: { http: [null, 4, 6], gone: [null, null, null] } });
  assert.deepEqual(history.of('requests_by_service').series.get('http'), [[2, 4], [3, 6]]);
  assert.deepEqual([...history.of('requests_by_service').series.keys()], ['http']);
  assert.equal(history.time, 3);
  for (const seconds of [2, 3, 4]) history.add(sample(seconds));
  assert.deepEqual(history.of('requests_by_service').series.get('http'), [[2, 4], [3, 6], [4, 5]]);
});

test('history: loaded again after a pause, the gap is filled and nothing is there twice', () => {
  const history = new History();
  history.add(sample(1));
  history.load({ time_ms: [1000, 2000, 3000], requests_by_service: { http: [5, 7, 8] } });
  assert.deepEqual(history.of('requests_by_service').series.get('http'), [[1, 5], [2, 7], [3, 8]]);
});

test('history: samples of a controller that has restarted elsewhere begin anew', () => {
  const history = new History();
  history.load({ time_ms: [500000], requests_by_service: { http: [9] } });
  history.add(sample(3));
  assert.deepEqual(history.of('requests_by_service').series.get('http'), [[3, 5]]);
});

test('history: whatever is missing in an answer, the rest is taken', () => {
  for (const sent of [null, {}, { time_ms: null }, { time_ms: [1000], connections: null }, { time_ms: [1000], connections: { open: null } }]) {
    const history = new History();
    history.load(sent);
    assert.equal(history.of('connections').series.size, 0);
  }
});

test('history: the graphs are those of the controller', () => {
  const source = readFileSync(new URL('../../main/java/io/malob/rest/live/TrafficGraph.java', import.meta.url), 'utf8');
  assert.deepEqual(GRAPHS, [...source.matchAll(/^ {2}([A-Z_]+)[,;]/gm)].map(([, name]) => name.toLowerCase()));
});

test('reasons: each reason of the controller has words, and a new one its name', () => {
  const source = readFileSync(new URL('../../main/java/io/malob/balancer/api/RejectReason.java', import.meta.url), 'utf8');
  assert.deepEqual(knownRejections, [...source.matchAll(/^ {2}([A-Z_]+)[,;]/gm)].map(([, name]) => name.toLowerCase()));
  assert.equal(rejection('no_pool'), 'the VIP has no pool');
  assert.deepEqual([rejection('not_thought_of'), exclusion('not_thought_of')], ['not thought of', 'not thought of']);
});

test('problems: each reason of the controller leads somewhere, but for those of switches, of bonds and of a cluster', () => {
  const source = readFileSync(new URL('../../main/java/io/malob/rest/problem/Problem.java', import.meta.url), 'utf8');
  const reasons = [...source.matchAll(/^ {4}([A-Z_]+)\(/gm)].map(([, name]) => name.toLowerCase());
  assert.ok(reasons.length >= 12);
  const shown = reasons.map((reason) => shownProblem({ reason, id: 'a b', problem: 'One.', remedy: 'Two.' }));
  assert.deepEqual(shown.filter(({ href }) => href === null).map(({ key }) => key),
    ['no_switch a b', 'duplicate_switch a b', 'bond_over_switches a b', 'bond_not_named a b', 'etcd_silent a b', 'name_taken a b', 'etcd_behind a b', 'etcd_space a b', 'peer_not_reached a b', 'not_served a b', 'several_masters a b']);
  assert.deepEqual(shown.filter(({ sentence }) => sentence !== 'One. Two.').map(({ key, sentence }) => [key, sentence]), [['no_pool a b', 'One.'], ['no_members a b', 'One.']]);
  assert.equal(shownProblem({ reason: 'no_members', id: 'p' }).href, '#/catalog?new=members&pool_id=p');
  assert.equal(shownProblem({ reason: 'not_thought_of', id: 'p', problem: 'One.' }).sentence, 'One.');
});

test('placement: it is that of the controller, by VIP, whatever is missing', () => {
  const model = modelOfTwo();
  model.setRates(rates(0, [0, 0]));
  assert.deepEqual(model.placement, []);
  model.setRates(rates(0, [0, 0], { placement: [{ vip_id: 'web', state: 'changing', edges: [{ switch: ONE }, { state: 'proactive' }] }, { state: 'proactive' }] }));
  assert.equal(model.placementOf('web').state, 'changing');
  assert.deepEqual(model.placementOf('web').edges, [{ switch: ONE, members: {}, loads: {}, shares: {} }]);
  assert.equal(model.placementOf('other'), undefined);
});

test('placement: the state of a VIP in words', () => {
  assert.deepEqual([
    placementText({}), placementText({ placement: 'proactive' }), placementText({ placement: 'proactive' }, { state: 'proactive' }),
    placementText({ placement: 'auto' }, { state: 'reactive' }), placementText({ placement: 'reactive' }, { state: 'changing' }),
    placementText({ placement: 'tracked' }, { state: 'proactive', tracking: 'exact' }),
    placementText({ placement: 'auto' }, { state: 'proactive', tracking: 'shares' }), placementText({ placement: 'tracked' }, { state: 'proactive', tracking: 'new' }),
  ], ['Reactive', '–', 'Proactive', 'Auto: reactive', 'Changing', 'Tracked, the controller chooses', 'Auto: tracked, buckets choose', 'Tracked']);
});

test('placement: the bar of an edge has all members with buckets, in the order of the pool', () => {
  const parts = bucketParts({ members: { gone: 4, a: 12, b: 48, c: 0 } }, ['b', 'c', 'a']);
  assert.deepEqual(parts, [
    { id: 'b', count: 48, part: 0.75, place: 0 }, { id: 'a', count: 12, part: 0.1875, place: 2 }, { id: 'gone', count: 4, part: 0.0625, place: 3 },
  ]);
  assert.deepEqual(bucketParts({ members: {} }, ['a']), []);
});

test('placement: a move is a sentence, and each cause of the controller has words', () => {
  const move = { switch: ONE, from: 'a', to: 'b', buckets: 1, cause: 'member_down', seconds_ago: 65 };
  assert.equal(moveText(move), '1 min 5 s ago at s1: 1 bucket from a to b (member down)');
  const source = readFileSync(new URL('../../main/java/io/malob/balancer/bucket/Bucket.java', import.meta.url), 'utf8');
  const causes = [...source.matchAll(/^ {4}[A-Z]+\("([a-z_]+)"\)/gm)].map(([, name]) => name);
  assert.deepEqual(knownCauses, causes);
  assert.ok(causes.length >= 5);
  assert.ok(moveText({ ...move, cause: 'not_thought_of' }).endsWith('(not thought of)'));
});

test('servers: their state is the operator\'s, or else what keeps them from connections', () => {
  const state = (member, numbers) => stateOf({ pool_id: 'p', ...member }, { located: true, health: 'up', ...numbers });
  assert.deepEqual([
    state({}, {}), state({ admin_state: 'drain' }, { health: 'down' }), state({}, { health: 'down' }), state({}, { health: 'ejected' }),
    state({}, { health: 'checking', located: false }), state({}, { health: 'unchecked', located: false }), state({ pool_id: null }, {}),
  ], ['up', 'drain', 'failing', 'ejected', 'checking', 'lost', 'idle']);
});

test('hosts: those with members have the names of these', () => {
  const model = modelOfTwo({ members: [{ id: 'a', address: '10.0.0.1', pool_id: 'p' }, { id: 'b', address: '10.0.0.1', pool_id: 'p' }] });
  assert.deepEqual([model.namesAt(['10.0.0.1']), model.namesAt(['10.0.0.9', '10.0.0.1']), model.namesAt(['10.0.0.9'])], ['a, b', 'a, b', '']);
});

/** The document with one field of it, or one item of a list, taken away; each in turn. */
function* withoutOne(document) {
  const places = Array.isArray(document) ? document.map((_, i) => i) : Object.keys(document);
  for (const place of places) {
    const copy = structuredClone(document);
    if (Array.isArray(copy)) copy.splice(place, 1);
    else delete copy[place];
    yield [copy, String(place)];
    const nulled = structuredClone(document);
    nulled[place] = null;
    yield [nulled, `${place} is null`];
    const inner = document[place];
    if (inner && typeof inner === 'object') {
      for (const [changed, where] of withoutOne(inner)) {
        const whole = structuredClone(document);
        whole[place] = changed;
        yield [whole, `${place}.${where}`];
      }
    }
  }
}

const EXAMPLE = JSON.parse(readFileSync(new URL('example.json', import.meta.url)));

test('state: whatever field is missing, the rest is there, with its numbers', () => {
  const whole = new Model();
  whole.setState('tag', EXAMPLE.state);
  let count = 0;
  for (const [state, where] of withoutOne(EXAMPLE.state)) {
    const model = new Model();
    model.setState('tag', state);
    for (const time of [0, 1000]) model.setRates({ ...EXAMPLE.rates, state: 'tag', time_ms: time });
    assert.ok(model.edges.length >= (where.startsWith('links') ? 0 : whole.edges.length), where);
    assert.ok(model.state.hosts.length >= (where === 'hosts' || where === 'hosts is null' ? 0 : EXAMPLE.state.hosts.length - 1), where);
    for (const host of model.state.hosts) assert.ok(host.mac && host.name && Array.isArray(host.addresses), where);
    assert.equal(model.history.openConnections, EXAMPLE.rates.traffic.connections.open, where);
    for (const vip of model.state.vips) model.algorithmOfVip(vip);
    count++;
  }
  assert.ok(count > 100, `${count} documents`);
});

test('load balancers: each has the VIPs with its address; one without id is not shown', () => {
  const model = modelOfTwo({ load_balancers: [{ id: 'lb', name: 'lb', address: '10.0.0.100' }, { name: 'none' }] });
  assert.deepEqual(model.state.load_balancers.map((balancer) => balancer.id), ['lb']);
  assert.deepEqual(model.vipsAt('10.0.0.100').map((vip) => vip.id), ['web']);
  assert.deepEqual(model.vipsAt('10.0.0.101'), []);
  assert.deepEqual(modelOfTwo().state.load_balancers, []);
});

test('rates: whatever is missing, the rest is taken', () => {
  for (const [rates, where] of withoutOne(EXAMPLE.rates)) {
    const model = new Model();
    model.setState('tag', EXAMPLE.state);
    let told = 0;
    model.addEventListener('rates', () => { told++; });
    for (const time of [0, 1000]) model.setRates({ ...rates, state: 'tag', ...(where.startsWith('time_ms') ? {} : { time_ms: time }) });
    assert.equal(told, 2, where);
  }
});

test('state: what Floodlight sent of hosts, a switch only, does not keep links from being shown', () => {
  const model = modelOfTwo({ hosts: [{ switch: ONE }, { mac: '02:00:00:00:00:07', addresses: [], switch: ONE, port: 1 }] });
  assert.equal(model.edges.length, 1);
  assert.deepEqual(model.state.hosts.map((host) => host.name), ['02:00:00:00:00:07']);
});

test('members: one without id does not shift the numbers of the next', () => {
  const model = modelOfTwo({ members: [{ address: '10.0.0.1', pool_id: 'p' }, { id: 'b', address: '10.0.0.2', pool_id: 'p' }] });
  model.setRates(rates(0, [100, 7]));
  assert.equal(model.memberNumbers.get('b').total, 7);
});

test('layout: a line is a line, wide or tall, and the same each time', () => {
  const line = (tall) => layout(['a', 'b', 'c'], [['a', 'b'], ['b', 'c']], [['h', 'c']], 0.5, tall);
  const wide = line(false);
  const extent = (places, which) => Math.max(...[...places.values()].map((place) => place[which])) - Math.min(...[...places.values()].map((place) => place[which]));
  assert.ok(extent(wide, 'x') > 4 * extent(wide, 'y'), JSON.stringify([...wide]));
  assert.ok(extent(line(true), 'y') > 4 * extent(line(true), 'x'));
  assert.deepEqual([...line(false)], [...wide]);
});

test('layout: nothing lies on anything else, also in parts that are not connected', () => {
  const ids = Array.from({ length: 40 }, (_, i) => `s${i}`);
  const places = [...layout(ids, ids.slice(1, 30).map((id, i) => [id, ids[i >> 1]]), ids.map((id) => [`h${id}`, id]), 0.5, false).values()];
  for (let i = 1; i < places.length; i++) {
    for (let j = 0; j < i; j++) assert.ok(Math.hypot(places[i].x - places[j].x, places[i].y - places[j].y) > 0.2, `${i} and ${j}`);
  }
});

test('changes: of a new item what is filled in, of another one what differs', () => {
  assert.deepEqual(changesOf({ id: '', port: '80', name: '' }, null), { port: '80' });
  const item = { id: 'x', port: 80, name: 'web', lb_method: 'RR' };
  assert.deepEqual(changesOf({ id: 'x', port: '80', name: 'shop', lb_method: '' }, item), { name: 'shop', lb_method: null });
});

test('changes: values with parts are edited as texts, and told as changed only if they are', () => {
  const item = { allowed_sources: ['10.0.0.0/8', '10.1.2.3/32'], session_persistence: { type: 'SOURCE_IP', timeout: 60 }, backup: true, port: null };
  const shown = Object.fromEntries(Object.entries(item).map(([name, value]) => [name, textOf(value)]));
  assert.deepEqual(shown, { allowed_sources: '10.0.0.0/8,10.1.2.3/32', session_persistence: 'type=SOURCE_IP,timeout=60', backup: 'true', port: '' });
  assert.deepEqual(changesOf(shown, item), {});
  assert.deepEqual(changesOf({ ...shown, backup: 'false', session_persistence: '' }, item), { backup: 'false', session_persistence: null });
});

test('texts: what is not known is a dash', () => {
  assert.deepEqual([number(null), percent(undefined), bitRate(null), duration(null)], ['–', '–', '–', '–']);
  assert.deepEqual([number(0), number(3.14159), number(12345), number(2.5e6)], ['0', '3.14', '12.3 k', '2.50 M']);
  assert.deepEqual([bitRate(0.25), bitRate(45.5), bitRate(10000)], ['250 kbit/s', '45.5 Mbit/s', '10 Gbit/s']);
  assert.deepEqual([switchLabel(ONE), switchLabel('00:00:00:00:00:00:00:0a'), switchLabel('00:00:00:00:00:00:01:0a')], ['s1', 'sa', 's1:0a']);
  assert.deepEqual([nameOf({ id: 'v', name: 'web' }), nameOf({ id: 'v', name: '' }), nameOf(undefined)], ['web', 'v', undefined]);
  assert.deepEqual([duration(59), duration(61), duration(7260)], ['59 s', '1 min 1 s', '2 h 1 min']);
});

test('texts: bytes, and addresses with and without a port', () => {
  assert.deepEqual([bytes(null), bytes(500), bytes(12345)], ['–', '500 B', '12.3 kB']);
  assert.deepEqual([withPort('10.0.0.1', 80), withPort('10.0.0.1', null), withPort('10.0.0.1', 0)], ['10.0.0.1:80', '10.0.0.1', '10.0.0.1:0']);
  assert.deepEqual([withPort('2001:db8::1', 80), withPort('2001:db8::1', null)], ['[2001:db8::1]:80', '2001:db8::1']);
});

test('times: below what can be measured they are said to be below', () => {
  assert.deepEqual([milliseconds(null), milliseconds(0), milliseconds(0.099), milliseconds(0.1), milliseconds(5.2)], ['–', '< 0.1 ms', '< 0.1 ms', '0.10 ms', '5.20 ms']);
});

test('charts: their top is a number that reads well, not below the highest value', () => {
  assert.deepEqual([0, 0.3, 1, 7, 34, 501].map(niceTop), [1, 0.5, 1, 10, 50, 1000]);
});
