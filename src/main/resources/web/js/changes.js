// What of a form goes to the controller. Pure.

/** Of a new item what is filled in; of another one what has changed, null where a field was emptied. */
export function changesOf(values, item) {
  const entries = Object.entries(values);
  if (item === null) return Object.fromEntries(entries.filter(([, value]) => value !== ''));
  return Object.fromEntries(entries
    .filter(([name, value]) => name !== 'id' && value !== String(item[name] ?? ''))
    .map(([name, value]) => [name, value === '' ? null : value]));
}
