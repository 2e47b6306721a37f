// What the controller tells once a second: by server-sent events, or, where no stream is to be had, by asking.

import { authorization, url } from './api.js';

const EVENTS = 'wm/malob/events';
const ASK_MILLIS = 2000;
const STREAM_AGAIN_MILLIS = 30000;
const HIDDEN_MILLIS = 5000;
const SILENT_MILLIS = 8000;

/**
 * Calls `onState` with what is there, `onRates` with its numbers, and `onStatus` with
 * "connecting", "live", "asking", "locked" (a token is wanted) or "lost". Says nothing while the page is hidden: a browser has few
 * connections to one controller, and the controller few streams.
 */
export class Feed {
  #handlers;
  #stream = null;
  #timer = 0;
  #hideTimer = 0;
  #heard = 0;
  #stateTag = null;
  #streamAt = 0;
  #status = '';
  #turn = 0;

  constructor(handlers) {
    this.#handlers = handlers;
  }

  /** Once more from the beginning, with another token. */
  again() {
    this.#open();
  }

  start() {
    document.addEventListener('visibilitychange', () => this.#visibility());
    setInterval(() => this.#checkSilence(), 2000);
    this.#open();
  }

  #tell(status) {
    if (status !== this.#status) {
      this.#status = status;
      this.#handlers.onStatus(status);
    }
  }

  #visibility() {
    clearTimeout(this.#hideTimer);
    if (document.hidden) {
      this.#hideTimer = setTimeout(() => this.#close(), HIDDEN_MILLIS);
    } else if (!this.#stream && !this.#timer) {
      this.#open();
    }
  }

  #close() {
    this.#turn++;
    this.#stream?.close();
    this.#stream = null;
    clearTimeout(this.#timer);
    this.#timer = 0;
  }

  #open() {
    this.#close();
    this.#tell('connecting');
    this.#heard = Date.now();
    if (authorization().Authorization) {
      // an event source has no headers to show a token in
      this.#streamAt = Infinity;
      this.#ask();
      return;
    }
    const stream = new EventSource(url(EVENTS));
    this.#stream = stream;
    stream.addEventListener('state', (event) => this.#take(() => this.#handlers.onState(event.lastEventId, JSON.parse(event.data))));
    stream.addEventListener('rates', (event) => this.#take(() => this.#handlers.onRates(JSON.parse(event.data))));
    stream.addEventListener('error', () => {
      if (stream !== this.#stream) return;
      if (stream.readyState === EventSource.CLOSED) {
        // refused: there are as many streams as there can be, or the controller has none
        this.#close();
        this.#streamAt = Date.now() + STREAM_AGAIN_MILLIS;
        this.#ask();
      } else {
        this.#tell('lost');
      }
    });
  }

  #take(handle) {
    this.#heard = Date.now();
    this.#tell('live');
    handle();
  }

  #checkSilence() {
    if (this.#stream && this.#status === 'live' && Date.now() - this.#heard > SILENT_MILLIS) this.#tell('lost');
  }

  async #ask() {
    const turn = this.#turn;
    try {
      const token = authorization();
      const headers = this.#stateTag ? { ...token, 'If-None-Match': this.#stateTag } : token;
      const state = await fetch(url(`${EVENTS}/state`), { headers, cache: 'no-store' });
      if (state.ok) {
        this.#stateTag = state.headers.get('ETag');
        this.#handlers.onState((this.#stateTag ?? '').replaceAll('"', ''), await state.json());
      } else if (state.status === 401) {
        this.#tell('locked');
        this.#close();
        return;
      } else if (state.status !== 304) {
        throw new Error(`status ${state.status}`);
      }
      const rates = await fetch(url(`${EVENTS}/rates`), { headers: token, cache: 'no-store' });
      if (!rates.ok) throw new Error(`status ${rates.status}`);
      this.#handlers.onRates(await rates.json());
      this.#tell('asking');
    } catch {
      this.#tell('lost');
    }
    // closed meanwhile, as the page is hidden
    if (turn !== this.#turn) return;
    if (Date.now() >= this.#streamAt) this.#open();
    else this.#timer = setTimeout(() => this.#ask(), ASK_MILLIS);
  }
}
