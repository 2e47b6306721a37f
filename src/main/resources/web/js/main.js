// The page: which view is shown, and what it is shown with.

import { get, keepToken } from './api.js';
import { announce, el, setText } from './dom.js';
import { Feed } from './feed.js';
import { openForm } from './form.js';
import { Model } from './model.js';
import { CatalogView } from './catalog.js';
import { ConnectionsView } from './connections.js';
import { EndhostView } from './endhost.js';
import { MptcpView } from './mptcp.js';
import { NetworkView } from './network.js';
import { ProblemsPanel } from './problems.js';
import { ServersView } from './servers.js';
import { TrafficView } from './traffic.js';
import { WhyView } from './why.js';

const STATUS = {
  connecting: 'Connecting',
  live: 'Live',
  asking: 'Live, every 2 s',
  locked: 'Token required',
  lost: 'No connection to the controller',
};

const VIEWS = {
  network: ['Network', NetworkView],
  servers: ['Servers', ServersView],
  traffic: ['Traffic', TrafficView],
  connections: ['Connections', ConnectionsView],
  catalog: ['Configuration', CatalogView],
  why: ['Why this server?', WhyView],
  mptcp: ['MPTCP subflows', MptcpView],
  endhost: ['End host', EndhostView],
};

const model = new Model();
const views = new Map();
const main = document.getElementById('main');
const problems = new ProblemsPanel(document.getElementById('problems'));
let shown = null;

/** A view is made when it is first shown. It has `node`, `show(parameters)`, `hide()` and `update(what)`. */
function viewOf(name) {
  if (!views.has(name)) {
    const [title, View] = VIEWS[name];
    const view = new View(model);
    view.title = title;
    view.node = el('div', { class: `view ${name}` }, el('h1', { text: title }), view.node);
    views.set(name, view);
  }
  return views.get(name);
}

function navigate() {
  const [path, query = ''] = location.hash.replace(/^#\/?/, '').split('?');
  const name = path in VIEWS ? path : 'network';
  const view = viewOf(name);
  if (view !== shown) {
    shown?.hide?.();
    main.replaceChildren(view.node);
    const isFirst = shown === null;
    shown = view;
    document.title = `${view.title} – MALOB`;
    for (const link of document.querySelectorAll('#views a')) {
      const isHere = link.hash === `#/${name}`;
      if (isHere) {
        link.setAttribute('aria-current', 'page');
        link.scrollIntoView({ block: 'nearest', inline: 'center' });
      } else link.removeAttribute('aria-current');
    }
    if (!isFirst) {
      scrollTo(0, 0);
      main.focus({ preventScroll: true });
    }
  }
  view.show(new URLSearchParams(query));
  view.update('state');
}

/** Several changes at once are one drawing. A hidden page draws nothing. */
let waiting = null;
function schedule(what) {
  if (waiting === null) {
    waiting = what;
    requestAnimationFrame(() => {
      const why = waiting;
      waiting = null;
      shown?.update(why);
    });
  } else if (what === 'state') {
    waiting = 'state';
  }
}

model.addEventListener('state', () => schedule('state'));
model.addEventListener('rates', () => {
  schedule('rates');
  const notice = document.getElementById('notice');
  const text = model.halfOpenNotices.join('. ');
  setText(notice, text);
  notice.hidden = text === '';
  problems.update(model.problems, model.problemsLeftOut);
});
/** What the graphs have missed: before the page was opened, or while it was hidden or had no connection. */
async function loadHistory() {
  try {
    model.setHistory(await get('wm/malob/history'));
  } catch {
    // then the lines begin now
  }
}

let isFollowing = false;
model.addEventListener('status', () => {
  const wasFollowing = isFollowing;
  isFollowing = model.status === 'live' || model.status === 'asking';
  if (isFollowing && !wasFollowing) loadHistory();
  const status = document.getElementById('status');
  status.dataset.status = model.status;
  setText(status, STATUS[model.status]);
  if (model.status === 'locked') askForToken();
});

/** The token stays in this tab, and goes with it. */
function askForToken() {
  if (document.querySelector('dialog[open]')) return;
  openForm({
    title: 'Sign in',
    intro: 'This controller requires a token. An operator creates one with: malob token add NAME',
    fields: [{ name: 'token', label: 'Token', type: 'password', value: '' }],
    submit: 'Sign in',
    onSubmit: async ({ token }) => {
      keepToken(token.trim());
      try {
        await get('wm/core/controller/switches/json');
      } catch (error) {
        keepToken(null);
        throw error;
      }
      feed.again();
      shown?.show(new URLSearchParams(location.hash.split('?')[1] ?? ''));
    },
  });
}

addEventListener('hashchange', navigate);
addEventListener('unhandledrejection', (event) => announce(String(event.reason?.message ?? event.reason), 'error'));

const feed = new Feed({
  onState: (tag, state) => model.setState(tag, state),
  onRates: (rates) => model.setRates(rates),
  onStatus: (status) => model.setStatus(status),
});
feed.start();
navigate();
