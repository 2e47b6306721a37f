// Makes whole what the controller has sent: a field that is missing must not keep all others from being shown. What has no id
// or no place cannot be shown and goes, except from lists that numbers go by: there the place stays, with null.

const LISTS = ['switches', 'links', 'hosts', 'load_balancers', 'vips', 'pools', 'members', 'services', 'health_monitors'];

const list = (value) => (Array.isArray(value) ? value : []);
const objects = (value) => list(value).filter((item) => item && typeof item === 'object');
const isKnown = (value) => value !== undefined && value !== null;

function isEnd(end) {
  return Boolean(end) && isKnown(end.switch) && isKnown(end.port);
}

/** A host has a key and a name: its first address, or else its MAC address. */
function completeHost(host) {
  const addresses = list(host.addresses).filter(isKnown);
  const key = host.mac ?? addresses[0] ?? (isKnown(host.port) ? `${host.switch}/${host.port}` : null);
  return { ...host, mac: key, addresses, name: addresses[0] ?? key };
}

/** All lists of a state; each host can be told from others; members and links that are not whole are null. */
export function completeState(sent) {
  const state = { ...sent };
  for (const name of LISTS) state[name] = list(state[name]);
  state.switches = state.switches.filter(isKnown);
  state.links = state.links.map((link) => (isEnd(link?.src) && isEnd(link?.dst) ? link : null));
  state.hosts = objects(state.hosts).filter((host) => isKnown(host.switch)).map(completeHost).filter((host) => isKnown(host.mac));
  for (const name of ['load_balancers', 'vips', 'pools', 'services', 'health_monitors']) {
    state[name] = objects(state[name]).filter((item) => isKnown(item.id));
  }
  state.members = state.members.map((member) => (isKnown(member?.id) ? member : null));
  state.members_left_out ??= 0;
  return state;
}

/** A VIP with buckets, and its edges, each with its switch. */
function completePlacement(vip) {
  return {
    ...vip,
    edges: objects(vip.edges).filter((edge) => isKnown(edge.switch)).map((edge) => ({ ...edge, members: edge.members ?? {}, loads: edge.loads ?? {}, shares: edge.shares ?? {} })),
    recent_moves: objects(vip.recent_moves).filter((move) => isKnown(move.switch)),
  };
}

/** All numbers of one moment; what is not known is null, or none. */
export function completeRates(sent) {
  return {
    ...sent,
    time_ms: sent.time_ms ?? Date.now(),
    links: list(sent.links).map((line) => (Array.isArray(line) ? line : null)),
    member_values: Object.fromEntries(Object.entries(sent.member_values ?? {}).filter(([, column]) => Array.isArray(column))),
    traffic: sent.traffic ?? null,
    placement: objects(sent.placement).filter((vip) => isKnown(vip.vip_id)).map(completePlacement),
    problems: objects(sent.problems).filter((each) => isKnown(each.problem)),
    problems_left_out: sent.problems_left_out ?? 0,
    refusals: sent.refusals ?? {},
  };
}
