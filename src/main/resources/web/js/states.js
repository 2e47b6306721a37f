// The states of servers.

export const STATES = {
  up: 'Up', drain: 'Draining', down: 'Down', lost: 'Not located', idle: 'In no pool',
  checking: 'Not checked yet', failing: 'Fails health checks', ejected: 'Ejected: no answers',
};

/** Why a member gets no connections, by its health. An operator's own "down" is another state. */
const KEPT_OUT = { checking: 'checking', down: 'failing', ejected: 'ejected' };

/** The state of a member, as a key of STATES: what an operator wants to know first. */
export function stateOf(member, numbers) {
  const wanted = member.admin_state ?? 'up';
  if (wanted !== 'up') return wanted;
  if (!member.pool_id) return 'idle';
  return KEPT_OUT[numbers?.health] ?? (numbers && !numbers.located ? 'lost' : 'up');
}
