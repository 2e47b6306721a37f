// Numbers and names as people read them. What is not known is a dash.

export const UNKNOWN = '–';

/** The name of an object of the catalog; its id if the name is empty; undefined without an object. */
export function nameOf(item) {
  return item?.name || item?.id;
}

/** A number with about three digits. */
export function number(value) {
  if (value === null || value === undefined || Number.isNaN(value)) return UNKNOWN;
  const size = Math.abs(value);
  if (size >= 1e6) return `${trimmed(value / 1e6)} M`;
  if (size >= 1e4) return `${trimmed(value / 1e3)} k`;
  return trimmed(value);
}

function trimmed(value) {
  const size = Math.abs(value);
  const places = size >= 100 || Number.isInteger(value) ? 0 : size >= 10 ? 1 : 2;
  return value.toFixed(places);
}

/** A number with its unit; nothing but a dash if it is not known. */
export function withUnit(value, unit) {
  const text = number(value);
  return text === UNKNOWN ? text : `${text} ${unit}`;
}

export function percent(fraction) {
  return fraction === null || fraction === undefined ? UNKNOWN : `${Math.round(fraction * 100)} %`;
}

/** Bit/s in the unit that suits. */
export function bitRate(mbps) {
  if (mbps === null || mbps === undefined) return UNKNOWN;
  if (mbps >= 1000) return `${number(mbps / 1000)} Gbit/s`;
  if (mbps !== 0 && mbps < 1) return `${number(mbps * 1000)} kbit/s`;
  return `${number(mbps)} Mbit/s`;
}

/** Smaller times are shown as "< 0.1 ms", as the command line does (LATENCY_RESOLUTION_NANOS of the controller). */
const RESOLUTION_MS = 0.1;

/** A latency or any other time in milliseconds. */
export function milliseconds(time) {
  if (time === null || time === undefined) return UNKNOWN;
  return time < RESOLUTION_MS ? `< ${RESOLUTION_MS} ms` : `${number(time)} ms`;
}

/** A number of bytes: 12.3 kB. */
export function bytes(count) {
  const text = number(count);
  return text === UNKNOWN ? text : `${text}${text.includes(' ') ? '' : ' '}B`;
}

/** An address with its port, if there is one. */
export function withPort(address, port) {
  if (port === null || port === undefined || port === '') return address;
  return address.includes(':') ? `[${address}]:${port}` : `${address}:${port}`;
}

/** A datapath id without its leading zeros: 00:00:00:00:00:00:00:0a is a. */
export function switchName(id) {
  return id.replace(/^(00:)+(?=..)/, '').replace(/^0(?=.)/, '');
}

/** How a switch is called in sentences. */
export function switchLabel(id) {
  return `s${switchName(id)}`;
}

export function duration(seconds) {
  if (seconds === null || seconds === undefined) return UNKNOWN;
  if (seconds < 60) return `${Math.round(seconds)} s`;
  if (seconds < 3600) return `${Math.floor(seconds / 60)} min ${Math.round(seconds % 60)} s`;
  return `${Math.floor(seconds / 3600)} h ${Math.floor((seconds % 3600) / 60)} min`;
}

/** "no_vip" as words. */
export function words(name) {
  return name.replaceAll('_', ' ');
}

/** A text with a capital first letter. */
export function capitalized(text) {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

export function plural(count, one, many = `${one}s`) {
  return `${count} ${count === 1 ? one : many}`;
}
