// What keeps the balancer from working, above every view. The controller finds the problems and words the sentences.

import { el, keyed, setAttribute, setText } from './dom.js';
import { plural } from './format.js';

const catalog = (parameters) => `#/catalog?${new URLSearchParams(parameters)}`;

/** What the page can do about a problem, by its reason: a text and where it leads. */
const ACTIONS = {
  load_balancer_down: (id) => ['Change the load balancer', catalog({ change: 'load_balancers', id })],
  vip_down: (id) => ['Change the VIP', catalog({ change: 'vips', id })],
  pool_down: (id) => ['Change the pool', catalog({ change: 'pools', id })],
  address_taken: (id) => ['Change the VIP', catalog({ change: 'vips', id })],
  no_pool: (id) => ['Add a pool', catalog({ new: 'pools', vip_id: id })],
  no_members: (id) => ['Add a member', catalog({ new: 'members', pool_id: id })],
  rule_refused: () => ['Show its buckets', '#/servers'],
  no_masks: () => ['Show its buckets', '#/servers'],
  few_tables: () => ['Show its buckets', '#/servers'],
  tracking_full: () => ['Show its buckets', '#/servers'],
  no_source_address: () => ['Show its buckets', '#/servers'],
  no_tracking: () => ['Show its buckets', '#/servers'],
  behind_router: () => ['Show its members', '#/servers'],
  too_few_sources: () => ['Show its buckets', '#/servers'],
  all_out: () => ['Show the servers', '#/servers'],
  no_vip: (id) => ['Change the pool', catalog({ change: 'pools', id })],
  in_no_pool: (id) => ['Change the member', catalog({ change: 'members', id })],
  not_located: (id) => ['Change the member', catalog({ change: 'members', id })],
  down: (id) => ['Change the member', catalog({ change: 'members', id })],
  no_answer: (id) => ['Change the member', catalog({ change: 'members', id })],
};

/** Reasons whose link says the remedy already. */
const LINK_IS_REMEDY = new Set(['no_pool', 'no_members']);

/** A problem as it is shown: sentences, and a link or null. */
export function shownProblem({ reason, id, problem, remedy }) {
  const [text, href] = ACTIONS[reason]?.(id) ?? [null, null];
  const sentences = LINK_IS_REMEDY.has(reason) ? [problem] : [problem, remedy];
  return { key: `${reason} ${id}`, sentence: sentences.filter(Boolean).join(' '), text, href };
}

/** Fills a part of the page that is hidden while there are no problems. */
export class ProblemsPanel {
  #node;
  #summary = el('summary', {});
  #list = el('ul', {});
  #left = el('p', { class: 'quiet' });
  #status = el('p', { class: 'visually-hidden', role: 'status' });
  #items = new Map();

  constructor(node) {
    this.#node = node;
    node.append(el('details', { open: true }, this.#summary, this.#list, this.#left));
    node.before(this.#status);
  }

  update(problems, leftOut) {
    const shown = new Map(problems.map(shownProblem).map((each) => [each.key, each]));
    const count = shown.size + leftOut;
    const words = count === 0 ? '' : plural(count, 'problem');
    keyed(this.#list, this.#items, [...shown.keys()], () => el('li', {}, el('span', {}), ' ', el('a', {})));
    for (const [key, { sentence, text, href }] of shown) {
      const [span, link] = this.#items.get(key).children;
      setText(span, sentence);
      link.hidden = href === null;
      setText(link, text ?? '');
      setAttribute(link, 'href', href);
    }
    setText(this.#summary, words);
    setText(this.#left, leftOut > 0 ? `${leftOut} more: ./malob status --json lists all of them.` : '');
    this.#left.hidden = leftOut === 0;
    setText(this.#status, words);
    this.#node.hidden = count === 0;
  }
}
