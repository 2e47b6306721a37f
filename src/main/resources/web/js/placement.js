// Proactive VIPs: their state, and the buckets of each member at each client edge.

import { el, keyed, setAttribute, setText } from './dom.js';
import { duration, nameOf, number, percent, switchLabel, UNKNOWN, withUnit } from './format.js';
import { DataTable } from './table.js';

const STATES = { reactive: 'Reactive', changing: 'Changing', proactive: 'Proactive' };

/** The badge of a state looks like one of a server's. */
const LOOKS = { changing: 'checking', proactive: 'up' };

const CAUSES = {
  first_assignment: 'first assignment', found_on_switch: 'found on the switch', shares: 'other shares',
  member_drained: 'member drained', member_down: 'member down',
};

export const knownCauses = Object.keys(CAUSES);

/** Who chooses the members of connections that switches track. */
const TRACKING = { exact: 'Tracked, the controller chooses', shares: 'Tracked, buckets choose' };

/** The max number of members that are named beside a bar, and of moves that are listed. */
const MAX_NAMED = 8;
const MAX_MOVES = 8;

const COLOURS = 8;

/** How a VIP is placed now, in words. `placement`: what the controller tells of it; missing for reactive VIPs. */
export function placementText(vip, placement) {
  const mode = vip.placement ?? 'reactive';
  if (mode === 'reactive' && !placement) return 'Reactive';
  const state = STATES[placement?.state] ?? UNKNOWN;
  const words = placement?.tracking && placement.state === 'proactive' ? TRACKING[placement.tracking] ?? 'Tracked' : state;
  return mode === 'auto' ? `Auto: ${words.toLowerCase()}` : words;
}

/** The members with buckets at an edge, in the order of the pool, so that edges can be compared; those that have left it are last. */
export function bucketParts(edge, memberIds) {
  const places = new Map(memberIds.map((id, i) => [id, i]));
  const total = Object.values(edge.members).reduce((sum, count) => sum + count, 0);
  return Object.entries(edge.members).filter(([, count]) => count > 0)
    .map(([id, count]) => ({ id, count, part: count / total, place: places.get(id) ?? memberIds.length }))
    .sort((one, other) => one.place - other.place);
}

/** A move of buckets as a sentence. */
export function moveText({ from, to, buckets, cause, seconds_ago: ago, switch: at }) {
  const what = `${number(buckets)} ${buckets === 1 ? 'bucket' : 'buckets'}`;
  return `${duration(ago)} ago at ${switchLabel(at)}: ${what} from ${from} to ${to} (${CAUSES[cause] ?? String(cause).replaceAll('_', ' ')})`;
}

/** The cards of all proactive VIPs. */
export class PlacementPanel {
  #model;
  #cards = new Map();
  #parts = new Map();
  node = el('div', {});

  constructor(model) {
    this.#model = model;
  }

  update() {
    const shown = new Map(this.#model.placement.map((each) => [each.vip_id, each]));
    keyed(this.node, this.#parts, [...shown.keys()], (id) => {
      this.#cards.set(id, new PlacementCard(this.#model, id));
      return this.#cards.get(id).node;
    });
    for (const id of this.#cards.keys()) {
      if (shown.has(id)) this.#cards.get(id).update(shown.get(id));
      else this.#cards.delete(id);
    }
  }
}

class PlacementCard {
  #model;
  #id;
  #memberIds = [];
  #title = el('h2', {});
  #badge = el('span', { class: 'badge' });
  #about = el('p', { class: 'quiet' });
  #table;
  #moves = el('ul', { class: 'moves' });
  #lines = new Map();
  #recent = el('div', {}, el('h3', { text: 'Latest moves' }), this.#moves);

  constructor(model, id) {
    this.#model = model;
    this.#id = id;
    this.#table = new DataTable({
      caption: `Buckets of VIP ${id}`, noun: ['client edge', 'client edges'], keyOf: (edge) => edge.switch, search: false,
      empty: el('p', { text: 'No switch with clients of the VIP yet.' }),
      columns: [
        { name: 'Client edge', text: (edge) => switchLabel(edge.switch), value: (edge) => edge.switch },
        {
          name: 'State', text: (edge) => STATES[edge.state], value: (edge) => edge.state,
          make: () => el('span', { class: 'badge' }), update: (badge, edge) => setState(badge, edge.state),
        },
        { name: 'Buckets by member (part of the traffic)', make: makeBar, update: (node, edge) => updateBar(node, edge, this.#memberIds) },
        { name: 'By', text: (edge) => edge.source ?? UNKNOWN, value: (edge) => edge.source },
        { name: 'Packets', number: true, text: (edge) => withUnit(edge.packets_per_second, '/s'), value: (edge) => edge.packets_per_second },
        { name: 'Uneven', number: true, text: (edge) => percent(edge.imbalance), value: (edge) => edge.imbalance },
      ],
    });
    this.node = el('section', { class: 'card' },
      el('div', { class: 'section-head' }, this.#title, this.#badge), this.#about, this.#table.node, this.#recent);
  }

  update(placement) {
    const pool = this.#model.poolOfVip(this.#id);
    this.#memberIds = pool ? this.#model.membersOfPool(pool.id).map((member) => member.id) : [];
    setText(this.#title, `Placement of VIP ${nameOf(this.#model.vip(this.#id)) ?? this.#id}`);
    setState(this.#badge, placement.state);
    setText(this.#about, `${placement.tracking ? `Switches remember connections; ${placement.tracking === 'exact' ? 'the controller chooses each member' : 'buckets choose members'}. ` : ''}${number(placement.moves)} buckets have moved so far.`
      + `${placement.edges_left_out ? ` ${placement.edges_left_out} more client edges are not shown.` : ''}`);
    this.#table.update(placement.edges);
    const moves = placement.recent_moves.slice(0, MAX_MOVES);
    keyed(this.#moves, this.#lines, moves.map((_, i) => i), () => el('li', {}));
    moves.forEach((move, i) => setText(this.#lines.get(i), moveText(move)));
    this.#recent.hidden = moves.length === 0;
  }
}

function setState(badge, state) {
  setText(badge, STATES[state] ?? UNKNOWN);
  setAttribute(badge, 'data-state', LOOKS[state] ?? null);
}

function makeBar() {
  return el('div', { class: 'buckets' },
    el('div', { class: 'buckets-bar', 'aria-hidden': 'true' }), el('span', { class: 'quiet' }), ' ', el('span', { class: 'badge', 'data-state': 'checking' }),
    el('p', { class: 'field-error' }));
}

function updateBar(node, edge, memberIds) {
  const [bar, text, moving, problem] = node.children;
  const parts = bucketParts(edge, memberIds);
  bar.hidden = parts.length === 0;
  while (bar.children.length > parts.length) bar.lastChild.remove();
  while (bar.children.length < parts.length) bar.append(el('i', {}));
  parts.forEach(({ id, count, part, place }, i) => {
    const segment = bar.children[i];
    setAttribute(segment, 'class', `c${place % COLOURS}`);
    setAttribute(segment, 'title', `${id}: ${count}`);
    segment.style.width = `${100 * part}%`;
  });
  const named = parts.slice(0, MAX_NAMED).map(({ id, count }) => `${id} ${count}${share(edge, id)}`).join(', ');
  setText(text, parts.length === 0 ? 'none' : parts.length > MAX_NAMED ? `${named} and ${parts.length - MAX_NAMED} more` : named);
  setText(moving, `${edge.moving} moving`);
  moving.hidden = !edge.moving;
  setText(problem, edge.problem ?? (edge.too_few_sources ? 'too few clients to meet the shares' : ''));
}

function share(edge, id) {
  return id in edge.shares ? ` (${percent(edge.loads[id])}, share ${percent(edge.shares[id])})` : '';
}
