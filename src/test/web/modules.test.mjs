// What the page computes, without a browser: `node --test modules.test.mjs`.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import test from 'node:test';
import { algorithmOptions } from '../../main/resources/web/js/algorithms.js';
import { changesOf, textOf } from '../../main/resources/web/js/changes.js';
import { niceTop } from '../../main/resources/web/js/chart.js';
import { bitRate, duration, milliseconds, number, percent, switchLabel } from '../../main/resources/web/js/format.js';
import { HISTORY_SECONDS, SeriesGroup } from '../../main/resources/web/js/history.js';
import { layout } from '../../main/resources/web/js/layout.js';
import { Model } from '../../main/resources/web/js/model.js';
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
    profiles: [], refusals: {}, open_connections: 2, dormant_connections: 0, unsent_batches: 0, ...more,
  };
}

const latest = (group, name) => group.series.get(name)?.at(-1)[1];

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
    `VIP ${model.vip('v')?.name ?? 'v'} has 130 k of at most 500 k half-open connections`,
    'VIP gone has 500 k of at most 500 k half-open connections: new ones are dropped',
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
  assert.equal(model.history.perSecond, 5);
  assert.equal(latest(model.history.byService, 'HTTP'), 5);
  assert.equal(latest(model.history.byAlgorithm, 'SL-PS'), 5);
});

test('rates: a controller that counts placements is taken at its word', () => {
  const model = modelOfTwo();
  const placements = (count) => ({ placements: [['default', 'LC+SPH', 'placed', count], ['default', 'LC+SPH', 'no_member', 7]] });
  model.setRates(rates(0, [0, 0], placements(3)));
  model.setRates(rates(1000, [10, 0], placements(12)));
  assert.equal(latest(model.history.byService, 'Default'), 9);
  assert.equal(latest(model.history.byAlgorithm, 'LC+SPH'), 9);
  assert.equal(latest(model.history.byService, 'HTTP'), undefined);
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
  assert.equal(model.history.perSecond, 0);
});

test('times: learnt ones only, by service and algorithm', () => {
  const model = modelOfTwo();
  const profile = (service, samples, ms) => ({ vip_id: 'web', service_id: service, ftp_data: false, samples, service_ms: ms });
  const profiles = [profile('http', 30, 4), profile('default', 0, 99)];
  model.setRates(rates(0, [0, 0], { profiles }));
  model.setRates(rates(1000, [0, 0], { profiles }));
  assert.deepEqual([...model.history.serviceTimes.series.keys()], ['web, HTTP']);
  assert.equal(latest(model.history.algorithmTimes, 'SL-PS'), 4);
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
    assert.equal(model.open, EXAMPLE.rates.open_connections, where);
    for (const vip of model.state.vips) model.algorithmOfVip(vip);
    count++;
  }
  assert.ok(count > 100, `${count} documents`);
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
  assert.deepEqual([duration(59), duration(61), duration(7260)], ['59 s', '1 min 1 s', '2 h 1 min']);
});

test('latency: below what can be measured it is said to be below', () => {
  assert.deepEqual([milliseconds(null), milliseconds(0), milliseconds(0.099), milliseconds(0.1), milliseconds(5.2)], ['–', '< 0.1 ms', '< 0.1 ms', '0.10 ms', '5.20 ms']);
});

test('charts: their top is a number that reads well, not below the highest value', () => {
  assert.deepEqual([0, 0.3, 1, 7, 34, 501].map(niceTop), [1, 0.5, 1, 10, 50, 1000]);
});
