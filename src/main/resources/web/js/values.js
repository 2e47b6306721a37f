// What is measured of servers.

import { milliseconds, percent } from './format.js';

/** By the controller's names: how each value is called and shown. `isShare`: of a whole, so that a bar can show it. */
export const SERVER_VALUES = [
  { name: 'cpu', label: 'CPU', show: percent, isShare: true },
  { name: 'response_ms', label: 'Response time', show: milliseconds },
];
