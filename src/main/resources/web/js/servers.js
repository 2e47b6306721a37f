// The servers: what they do, and taking them out of service.

import { itemPath, put } from './api.js';
import { announce, el, setAttribute, setText } from './dom.js';
import { nameOf, number, percent, UNKNOWN, withPort, withUnit } from './format.js';
import { PlacementPanel } from './placement.js';
import { STATES, stateOf } from './states.js';
import { DataTable } from './table.js';
import { SERVER_VALUES } from './values.js';

export class ServersView {
  #model;
  #table;
  #placement;
  #busy = new Set();

  constructor(model) {
    this.#model = model;
    const numbers = (member) => model.memberNumbers.get(member.id);
    const known = (which) => (member) => numbers(member)?.[which] ?? null;
    const measured = ({ name, label, show }) => ({ name: label, number: true, text: (member) => show(known(name)(member)), value: known(name) });
    this.#table = new DataTable({
      caption: 'Servers', noun: ['server', 'servers'], keyOf: (member) => member.id,
      rowClass: (member) => `state-${stateOf(member, numbers(member))}`,
      empty: [el('h3', { text: 'No servers yet' }),
        el('p', {}, 'Servers are the members of pools. ', el('a', { href: '#/catalog?new=members', text: 'Add a member' }))],
      columns: [
        { name: 'Server', text: (member) => member.id, value: (member) => member.id },
        { name: 'Address', text: (member) => withPort(member.address, member.port), value: (member) => member.address },
        { name: 'VIP', text: (member) => nameOf(model.vipOfMember(member)) ?? UNKNOWN, value: (member) => nameOf(model.vipOfMember(member)) },
        {
          name: 'State', text: (member) => STATES[stateOf(member, numbers(member))], value: (member) => stateOf(member, numbers(member)),
          make: () => el('span', { class: 'badge' }),
          update: (badge, member) => {
            const state = stateOf(member, numbers(member));
            setText(badge, STATES[state] ?? state);
            setAttribute(badge, 'data-state', state);
          },
        },
        ...SERVER_VALUES.filter((value) => value.isShare).map((value) => ({
          ...measured(value), make: meter, update: (node, member) => setMeter(node, known(value.name)(member)),
        })),
        { name: 'Open', number: true, text: (member) => number(known('active')(member)), value: known('active') },
        { name: 'New', number: true, text: (member) => withUnit(known('perSecond')(member), '/s'), value: known('perSecond') },
        { name: 'Total', number: true, text: (member) => number(known('total')(member)), value: known('total') },
        ...SERVER_VALUES.filter((value) => !value.isShare).map(measured),
        { name: 'Weight', number: true, text: (member) => number(Number(member.weight)), value: (member) => Number(member.weight) },
        { name: 'Actions', hidden: true, make: (member) => this.#actions(member), update: (node, member) => this.#updateActions(node, member) },
      ],
    });
    this.#placement = new PlacementPanel(model);
    this.node = el('div', {}, el('div', { class: 'card' }, this.#table.node), this.#placement.node);
  }

  #actions(member) {
    return el('div', { class: 'row-actions' },
      el('button', { type: 'button', onclick: (event) => this.#toggle(member.id, event.currentTarget) }),
      el('a', { class: 'button', text: 'Why?' }));
  }

  #updateActions(node, member) {
    const [drain, why] = node.children;
    const isUp = (member.admin_state ?? 'up') === 'up';
    setText(drain, isUp ? 'Drain' : 'Resume');
    setAttribute(drain, 'aria-label', `${isUp ? 'Drain' : 'Resume'} ${member.id}`);
    drain.disabled = this.#busy.has(member.id);
    const vip = this.#model.vipOfMember(member);
    why.hidden = !vip;
    setAttribute(why, 'aria-label', `Why? How the balancer decides about ${member.id}`);
    setAttribute(why, 'href', `#/why?vip=${encodeURIComponent(vip?.id ?? '')}`);
  }

  async #toggle(id) {
    const member = this.#model.member(id);
    const wanted = (member.admin_state ?? 'up') === 'up' ? 'drain' : 'up';
    this.#busy.add(id);
    this.update();
    try {
      await put(itemPath('members', id), { admin_state: wanted });
      announce(wanted === 'drain'
        ? `${id} gets no new connections. Open ones continue.` : `${id} gets new connections again.`);
    } catch (error) {
      announce(`${id}: ${error.message}`, 'error');
    } finally {
      this.#busy.delete(id);
      this.update();
    }
  }

  show() {}

  update() {
    this.#table.update(this.#model.state.members);
    this.#placement.update();
  }
}

function meter() {
  return el('span', { class: 'meter' }, el('span', { class: 'meter-bar', 'aria-hidden': 'true' }, el('i', {})), el('span', {}));
}

function setMeter(node, share) {
  const width = share === null ? 0 : Math.round(share * 100);
  const bar = node.firstChild.firstChild;
  node.firstChild.hidden = share === null;
  if (bar.style.width !== `${width}%`) bar.style.width = `${width}%`;
  setAttribute(bar, 'class', width >= 85 ? 'full' : width >= 60 ? 'high' : null);
  setText(node.lastChild, percent(share));
}
