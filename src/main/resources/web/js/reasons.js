// The controller's names for reasons, in words.

/** Why a packet to a VIP was rejected (RejectReason of the controller). */
const REJECTIONS = {
  no_vip: 'no VIP with this protocol and port',
  not_allowed: 'client not allowed',
  dropped_at_edge: 'client not allowed, dropped by its switch',
  no_pool: 'the VIP has no pool',
  no_member: 'the pool has no usable member',
  no_route: 'no path to a member',
  no_distinct_member: 'indistinguishable from another connection',
  same_next_hop: 'behind the router of all members',
  no_source_port: 'its switch has no port left',
  vip_full: 'the VIP is at its connection limit',
  members_full: 'all members are at their connection limits',
  addresses_full: 'too many IPv6 addresses are in use',
  no_client: 'the client is not located',
  unknown_connection: 'unknown connection',
  unknown_reply: 'reply of an unknown connection',
  limit: 'the balancer is at its connection limit',
  half_open: 'too many half-open connections',
  queue_full: 'too many pending packets',
  path_failed: 'a path could not be installed',
  rule_refused: 'a switch rejected a rule',
  switch_away: "the client's switch did not return",
  owner_not_reached: "its connection belongs to a controller that is not reached",
  lost_label: 'path label without a connection',
  fragment: 'fragment of a packet',
  routing_header: 'IPv6 with a routing header',
  double_tagged: 'two VLAN tags',
  not_balanced: 'malformed, or not TCP, UDP or ICMP echo',
  spoofed: 'forged address',
  in_doubt: 'a server seems to have moved',
};

/** Why a member of a pool is not usable for a client. */
const EXCLUSIONS = {
  load_balancer_down: 'its load balancer is down',
  vip_down: 'its VIP is down',
  pool_down: 'its pool is down',
  drain: 'draining',
  down: 'down',
  no_weight: 'weight 0',
  backup: 'backup, not needed',
  full: 'at its connection limit',
  checks: 'fails health checks',
  ejected: 'ejected: no answers',
  not_located: 'not located',
  client_itself: 'is the client',
  behind_clients_port: "behind the client's port",
  no_route: 'no path',
};

/** A newer controller may have a reason that this page does not know. */
const wordsOf = (names, reason) => names[reason] ?? reason.replaceAll('_', ' ');

export const rejection = (reason) => wordsOf(REJECTIONS, reason);
export const exclusion = (reason) => wordsOf(EXCLUSIONS, reason);
export const knownRejections = Object.keys(REJECTIONS);
