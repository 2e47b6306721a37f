// What switches can be, and how they hold the rules.

/** Facts about a switch, if any of these switches does not hold its rules in four tables. */
export function roleFacts(switches, id) {
  if (switches.every((each) => each.layout === 'four-tables')) return [];
  const known = switches.find((each) => each.switch === id);
  if (!known) return [['Role', 'unknown']];
  const source = known.source === 'probed' ? '' : ` (${known.source})`;
  return [['Role', known.role], ['Layout of rules', `${known.layout}${source}`]];
}
