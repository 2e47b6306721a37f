// What of an item is in a form, and what of that goes to the controller. Pure.

/** A value as people edit it: lists with commas, what has parts as name=value. */
export function textOf(value) {
  if (value === null || value === undefined) return '';
  const hasParts = typeof value === 'object' && !Array.isArray(value);
  return hasParts ? Object.entries(value).map(([name, part]) => `${name}=${part}`).join(',') : String(value);
}

/** Of a new item what is filled in; of another one what has changed, null where a field was emptied. */
export function changesOf(values, item) {
  const entries = Object.entries(values);
  if (item === null) return Object.fromEntries(entries.filter(([, value]) => value !== ''));
  return Object.fromEntries(entries
    .filter(([name, value]) => name !== 'id' && value !== textOf(item[name]))
    .map(([name, value]) => [name, value === '' ? null : value]));
}
