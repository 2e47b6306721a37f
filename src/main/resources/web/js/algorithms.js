// The algorithms that the controller has, as choices.

/**
 * What a select offers, as [value, text] pairs. `known` is what wm/malob/algorithms lists; `current` is chosen now, and is
 * offered in any case; `none` says what holds without a choice, or is null where there must be one.
 */
export function algorithmOptions(known, current, none) {
  const options = known.map(({ name, description }) => [name, `${name}: ${description}`]);
  if (current && !known.some(({ name }) => name === current)) options.push([current, current]);
  return none === null ? options : [['', none], ...options];
}
