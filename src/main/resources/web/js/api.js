// Requests to the controller, all of them relative to where the page is.

const ROOT = new URL('../', document.baseURI);
export const CATALOG = 'quantum/v1.0';

/** What the controller, or the way to it, has refused. `field` names the field to blame, or is null. */
export class ApiError extends Error {
  constructor(status, message, field) {
    super(message);
    this.status = status;
    this.field = field;
  }
}

const TOKEN = 'malob-token';

/** Keeps a token for as long as this tab is open; null takes it away. */
export function keepToken(token) {
  if (token === null) sessionStorage.removeItem(TOKEN);
  else sessionStorage.setItem(TOKEN, token);
}

/** The header that shows the token, if there is one. */
export function authorization() {
  const token = globalThis.sessionStorage?.getItem(TOKEN);
  return token ? { Authorization: `Bearer ${token}` } : {};
}

export function url(path) {
  return new URL(path, ROOT).href;
}

async function send(method, path, body, more = {}) {
  const headers = { ...authorization(), ...more };
  let response;
  try {
    response = await fetch(url(path), {
      method,
      cache: 'no-store',
      headers: body === undefined ? headers : { 'Content-Type': 'application/json', ...headers },
      body: body === undefined ? undefined : JSON.stringify(body),
    });
  } catch {
    throw new ApiError(0, 'The controller does not answer.', null);
  }
  const text = await response.text();
  let answer = null;
  try {
    answer = text === '' ? null : JSON.parse(text);
  } catch {
    if (response.ok) throw new ApiError(response.status, 'The answer of the controller is not JSON.', null);
  }
  if (!response.ok) {
    const sentence = answer?.error ?? `The controller answered ${response.status}.`;
    throw new ApiError(response.status, sentence, answer?.field ?? null);
  }
  return { body: answer, tag: response.headers.get('ETag') };
}

export async function get(path, parameters = {}) {
  const query = new URLSearchParams(
    Object.entries(parameters).filter(([, value]) => value !== null && value !== undefined && value !== ''));
  return (await send('GET', query.size ? `${path}?${query}` : path)).body;
}

export async function post(path, body) {
  return (await send('POST', path, body)).body;
}

export async function remove(path) {
  return (await send('DELETE', path)).body;
}

/** Changes fields of an item. With a tag, only if the item has not changed since the controller gave that tag. */
export async function put(path, body, tag = null) {
  return (await send('PUT', path, body, tag ? { 'If-Match': tag } : {})).body;
}

/** One item with the tag of its version, null where the controller gives none. */
export async function getTagged(path) {
  return send('GET', path);
}

/** The path of a VIP, pool, member or service. */
export function itemPath(kind, id) {
  return `${CATALOG}/${kind}/${encodeURIComponent(id)}`;
}
