// The drawing of the network.

import cytoscape from '../lib/cytoscape.esm.min.mjs';
import { milliseconds, nameOf, number, switchLabel } from './format.js';
import { layout } from './layout.js';

/** More hosts than that are drawn as one node for each switch. */
const MOST_HOSTS = 150;
/** More lines from VIPs to servers than that are drawn for what is chosen only. */
const MOST_SERVES = 40;
const MOST_VIPS = 40;
/** How long links are drawn, by how much room there is, and how much of that hosts are away. */
const STEPS = { least: 120, most: 250 };
const LEAF = 0.55;

const USE = ['--use-unknown', '--use-0', '--use-1', '--use-2', '--use-3', '--use-4', '--use-some'];

/** Less than that, in Mbit/s, is what a network says to itself. */
const LEAST_USE = 0.1;

/** Which of the colours a link has: 0 not known, 1 idle to 5 full, 6 in use without a capacity to compare with. */
export function useLevel({ share, use }) {
  if (share === null || share === undefined) return use > LEAST_USE ? 6 : 0;
  if (share < 0.05) return 1;
  if (share < 0.3) return 2;
  if (share < 0.6) return 3;
  return share < 0.85 ? 4 : 5;
}

/** Wide links are wide; ten times the capacity adds three pixels. */
export function linkWidth(capacityMbps) {
  if (!capacityMbps) return 3;
  return Math.min(11, Math.max(2, 3 * Math.log10(capacityMbps)));
}

function edgeLabel({ latency }) {
  return latency === null || latency === undefined ? '' : milliseconds(latency);
}

function styles() {
  const colours = getComputedStyle(document.documentElement);
  const colour = (name) => colours.getPropertyValue(name).trim();
  const text = {
    label: 'data(label)', color: colour('--text'), 'font-family': 'system-ui, sans-serif', 'font-size': 15,
    'min-zoomed-font-size': 7, 'text-wrap': 'wrap', 'text-outline-color': colour('--surface'), 'text-outline-width': 3,
  };
  const levels = USE.map((name, level) => ({ selector: `edge[level = ${level}]`, style: { 'line-color': colour(name) } }));
  return [
    { selector: 'node', style: { ...text, 'overlay-opacity': 0 } },
    {
      selector: 'node.switch',
      style: {
        shape: 'round-rectangle', width: 44, height: 30, 'background-color': colour('--switch'), color: colour('--on-switch'),
        'text-valign': 'center', 'text-outline-width': 0, 'font-weight': 600,
      },
    },
    {
      selector: 'node.host',
      style: {
        width: 18, height: 18, 'background-color': colour('--surface'), 'border-width': 3, 'border-color': colour('--host'),
        'text-valign': 'bottom', 'text-margin-y': 4, 'font-size': 13,
      },
    },
    { selector: 'node.host.member', style: { 'background-color': colour('--host') } },
    { selector: 'node.host.draining', style: { 'background-color': colour('--warn'), 'border-color': colour('--warn') } },
    { selector: 'node.many', style: { width: 30, height: 22, shape: 'round-rectangle' } },
    {
      selector: 'node.vip',
      style: {
        shape: 'round-hexagon', width: 40, height: 30, 'background-color': colour('--vip'), 'text-valign': 'bottom',
        'text-margin-y': 5, 'font-size': 14, 'font-weight': 600,
      },
    },
    {
      selector: 'edge',
      style: {
        ...text, width: 'data(width)', 'curve-style': 'bezier', 'control-point-step-size': 40, 'font-size': 13,
        color: colour('--quiet'), 'overlay-opacity': 0,
      },
    },
    ...levels,
    { selector: 'edge.access', style: { width: 1.5, 'line-color': colour('--line'), label: '' } },
    { selector: 'edge.serves', style: { width: 1.5, 'line-color': colour('--vip'), 'line-style': 'dotted', opacity: 0.4, label: '' } },
    { selector: 'edge.serves.many', style: { opacity: 0 } },
    { selector: '.faded', style: { opacity: 0.25 } },
    {
      selector: 'edge.on',
      style: { 'underlay-color': colour('--path'), 'underlay-opacity': 0.55, 'underlay-padding': 5, opacity: 1, 'z-index': 9 },
    },
    { selector: 'node.on', style: { 'underlay-color': colour('--path'), 'underlay-opacity': 0.45, 'underlay-padding': 6, 'underlay-shape': 'ellipse' } },
    { selector: 'node:selected, edge:selected', style: { 'underlay-color': colour('--focus'), 'underlay-opacity': 0.5, 'underlay-padding': 5 } },
  ];
}

/** Draws the model into a container. `onPick` gets {kind, id}, or null when nothing is chosen. */
export class NetworkGraph {
  #model;
  #cy;
  #shape = '';
  #step = STEPS.least;
  #elements = new Map();

  constructor(model, container, onPick) {
    this.#model = model;
    this.#cy = cytoscape({
      container, style: styles(), minZoom: 0.1, maxZoom: 3, autoungrabify: false, boxSelectionEnabled: false,
      userPanningEnabled: true, pixelRatio: 'auto', textureOnViewport: true, hideEdgesOnViewport: false,
    });
    this.#cy.on('select', (event) => onPick({ kind: event.target.data('kind'), id: event.target.id() }));
    this.#cy.on('unselect', () => onPick(null));
    matchMedia('(prefers-color-scheme: dark)').addEventListener('change', () => this.#cy.style(styles()));
    // a finger that scrolls the page is not to be caught by the drawing
    const coarse = matchMedia('(pointer: coarse)');
    this.#cy.userPanningEnabled(!coarse.matches);
    this.#cy.userZoomingEnabled(false);
  }

  fit() {
    this.#cy.resize();
    this.#cy.fit(undefined, 16);
    if (this.#cy.zoom() > 1) {
      this.#cy.zoom(1);
      this.#cy.center();
    }
  }

  zoom(factor) {
    this.#cy.zoom({ level: this.#cy.zoom() * factor, renderedPosition: { x: this.#cy.width() / 2, y: this.#cy.height() / 2 } });
  }

  pick(id) {
    this.#cy.elements().unselect();
    this.#cy.getElementById(id).select();
  }

  /** Makes the elements those of the model; what stays keeps its place. */
  setState() {
    const wanted = this.#wantedElements();
    const shape = [...wanted.keys()].join(' ');
    if (shape === this.#shape) {
      this.#cy.batch(() => wanted.forEach((element, id) => this.#refresh(this.#cy.getElementById(id), element)));
      this.#elements = wanted;
      return;
    }
    this.#shape = shape;
    const fresh = [];
    this.#cy.batch(() => {
      this.#cy.elements().forEach((element) => {
        if (!wanted.has(element.id())) element.remove();
      });
      for (const [id, element] of wanted) {
        const there = this.#cy.getElementById(id);
        if (there.nonempty()) this.#refresh(there, element);
        else fresh.push(element);
      }
      this.#cy.add(fresh.filter((element) => element.group === 'nodes'));
      this.#cy.add(fresh.filter((element) => element.group === 'edges'));
    });
    this.#elements = wanted;
    if (fresh.some((element) => element.group === 'nodes')) this.#arrange(fresh);
  }

  #refresh(there, { data, classes }) {
    for (const [name, value] of Object.entries(data)) {
      if (name !== 'id' && name !== 'source' && name !== 'target' && there.data(name) !== value && name !== 'width' && name !== 'level') {
        there.data(name, value);
      }
    }
    for (const name of ['member', 'draining', 'many']) there.toggleClass(name, classes.split(' ').includes(name));
  }

  #wantedElements() {
    const wanted = new Map();
    const node = (kind, id, label, classes = kind) =>
      wanted.set(id, { group: 'nodes', data: { id, kind, label }, classes });
    const edge = (kind, id, source, target) =>
      wanted.set(id, { group: 'edges', data: { id, kind, source, target, label: '', width: 3, level: 0 }, classes: kind });
    const { switches, hosts, vips } = this.#model.state;
    switches.forEach((id) => node('switch', id, switchLabel(id)));
    for (const { id, a, b } of this.#model.edges) {
      if (wanted.has(a.switch) && wanted.has(b.switch)) edge('link', id, a.switch, b.switch);
    }
    const placeOf = hosts.length <= MOST_HOSTS ? this.#hostNodes(node, edge, wanted) : this.#hostGroups(node, edge, wanted);
    for (const vip of vips.slice(0, MOST_VIPS)) this.#vipNode(vip, node, edge, placeOf);
    const serves = [...wanted.values()].filter((element) => element.data.kind === 'serves');
    if (serves.length > MOST_SERVES) serves.forEach((element) => { element.classes = 'serves many'; });
    return wanted;
  }

  #hostNodes(node, edge, wanted) {
    const members = new Map(this.#model.state.members.map((member) => [member.address, member]));
    for (const host of this.#model.state.hosts) {
      if (!wanted.has(host.switch)) continue;
      const id = `host ${host.mac}`;
      const member = host.addresses.map((address) => members.get(address)).find(Boolean);
      const state = member ? ` member${member.admin_state && member.admin_state !== 'up' ? ' draining' : ''}` : '';
      const names = this.#model.namesAt(host.addresses);
      node('host', id, names ? `${names}\n${host.name}` : host.name, `host${state}`);
      edge('access', `access ${host.mac}`, host.switch, id);
    }
    return (host) => `host ${host.mac}`;
  }

  #hostGroups(node, edge, wanted) {
    const counts = new Map();
    for (const host of this.#model.state.hosts) counts.set(host.switch, (counts.get(host.switch) ?? 0) + 1);
    for (const [switchId, count] of counts) {
      if (!wanted.has(switchId)) continue;
      node('many', `hosts ${switchId}`, `${count} hosts`, 'host many');
      edge('access', `access ${switchId}`, switchId, `hosts ${switchId}`);
    }
    return (host) => `hosts ${host.switch}`;
  }

  #vipNode(vip, node, edge, placeOf) {
    const id = `vip ${vip.id}`;
    node('vip', id, vip.port === null ? nameOf(vip) : `${nameOf(vip)} :${vip.port}`);
    const pool = this.#model.poolOfVip(vip.id);
    const places = new Set();
    for (const member of pool ? this.#model.membersOfPool(pool.id) : []) {
      const host = this.#model.hostAt(member.address);
      if (host) places.add(placeOf(host));
    }
    [...places].slice(0, 60).forEach((place) => edge('serves', `serves ${vip.id} ${place}`, id, place));
  }

  /** All anew if there is a new switch or much else that is new; otherwise only what is new gets a place. */
  #arrange(fresh) {
    const leaves = fresh.filter((element) => element.data.kind === 'host' || element.data.kind === 'many');
    if (fresh.some((element) => element.data.kind === 'switch') || leaves.length > 3) this.#placeAll();
    else leaves.forEach((element) => this.#placeLeaf(this.#cy.getElementById(element.data.id)));
    this.#placeVips();
    this.fit();
  }

  #placeAll() {
    const ids = (nodes) => nodes.map((node) => node.id());
    const hosts = this.#cy.nodes('.host');
    const places = layout(
      ids(this.#cy.nodes('.switch')),
      this.#cy.edges('.link').map((edge) => [edge.source().id(), edge.target().id()]),
      hosts.map((host) => [host.id(), host.neighborhood('node.switch').id()]),
      LEAF, this.#cy.height() > this.#cy.width());
    this.#step = this.#stepFor([...places.values()]);
    for (const [id, { x, y }] of places) this.#cy.getElementById(id).position({ x: x * this.#step, y: y * this.#step });
  }

  /** So long that the drawing fills its place at its natural size. */
  #stepFor(points) {
    const extent = (which) => Math.max(...points.map((point) => point[which])) - Math.min(...points.map((point) => point[which]));
    const fitting = Math.min((this.#cy.width() - 240) / extent('x'), (this.#cy.height() - 110) / extent('y'));
    return Math.min(STEPS.most, Math.max(STEPS.least, fitting || STEPS.least));
  }

  /** Where its switch has most room. */
  #placeLeaf(leaf) {
    const owner = leaf.neighborhood('node.switch');
    const at = owner.position();
    const angles = owner.neighborhood('node').difference(leaf).not('.vip')
      .map((other) => Math.atan2(other.position('y') - at.y, other.position('x') - at.x)).sort((a, b) => a - b);
    const angle = widestGap(angles);
    leaf.position({ x: at.x + LEAF * this.#step * Math.cos(angle), y: at.y + LEAF * this.#step * Math.sin(angle) });
  }

  /** A row above the network or, if there is more room beside it, a column. */
  #placeVips() {
    const others = this.#cy.nodes('.switch, .host');
    const box = others.nonempty() ? others.boundingBox({ includeLabels: false }) : { x1: 0, x2: 0, y1: 0, y2: 0, w: 1, h: 1 };
    const vips = this.#cy.nodes('.vip');
    const isBeside = this.#cy.width() / this.#cy.height() > box.w / box.h;
    const [length, least] = isBeside ? [box.h, 80] : [box.w, 130];
    const gap = Math.max(least, Math.min(2 * least, length / Math.max(1, vips.length)));
    vips.forEach((node, i) => {
      const along = gap * (i - (vips.length - 1) / 2);
      node.position(isBeside
        ? { x: box.x1 - 110, y: (box.y1 + box.y2) / 2 + along } : { x: (box.x1 + box.x2) / 2 + along, y: box.y1 - 80 });
    });
  }

  /** Colours, widths and labels of links; only those that differ are changed. */
  setRates() {
    this.#cy.batch(() => {
      for (const { id, numbers } of this.#model.edges) {
        const edge = this.#cy.getElementById(id);
        if (edge.empty()) continue;
        const next = { level: useLevel(numbers), width: linkWidth(numbers.capacity), label: edgeLabel(numbers) };
        for (const [name, value] of Object.entries(next)) {
          if (edge.data(name) !== value) edge.data(name, value);
        }
      }
    });
  }

  /** Marks these elements and fades all others; with none, everything is as always. */
  highlight(ids) {
    this.#cy.batch(() => {
      const on = this.#cy.collection([...ids].map((id) => this.#cy.getElementById(id)).filter((found) => found.nonempty()));
      this.#cy.elements().removeClass('on').toggleClass('faded', on.nonempty());
      on.removeClass('faded').addClass('on');
      on.connectedNodes().removeClass('faded');
      on.filter('.vip').connectedEdges().removeClass('faded');
    });
  }

  /** For tests and for measuring. */
  get size() {
    return { nodes: this.#cy.nodes().length, edges: this.#cy.edges().length };
  }
}

/** The direction in the middle of the widest gap between these, which are sorted. */
function widestGap(angles) {
  if (angles.length === 0) return Math.PI / 2;
  let best = { size: -1, angle: 0 };
  angles.forEach((angle, i) => {
    const next = i + 1 < angles.length ? angles[i + 1] : angles[0] + 2 * Math.PI;
    if (next - angle > best.size + 1e-9) best = { size: next - angle, angle: (angle + next) / 2 };
  });
  return best.angle;
}
