// Lines over the last minutes: the controller takes a sample each second, and keeps those of the last ten minutes.

export const HISTORY_SECONDS = 600;

/** Samples of a controller that has restarted may be dated earlier; those that are only late are not so much earlier. */
const RESTART_SECONDS = 10;

/** The graphs, by the controller's names. */
export const GRAPHS = [
  'requests_by_service', 'requests_by_algorithm', 'requests_by_vip', 'requests_by_server',
  'server_ms_by_service', 'server_ms_by_algorithm', 'connections', 'rejections',
];

const isNumber = (value) => typeof value === 'number' && Number.isFinite(value);

/** The lines of one graph: name → points [seconds, value], oldest first, none older than the window. */
export class SeriesGroup {
  series = new Map();

  /** Adds one value of each line; lines that are not among the values end. */
  add(time, values) {
    for (const [name, value] of values) {
      if (!isNumber(value)) continue;
      if (!this.series.has(name)) this.series.set(name, []);
      this.series.get(name).push([time, value]);
    }
    this.#forget(time);
  }

  /** Replaces all lines: for each name, one value per time, or null. */
  load(times, lines) {
    this.series = new Map(Object.entries(lines).map(([name, values]) => [
      name, times.map((time, i) => [time, values?.[i]]).filter(([time, value]) => isNumber(time) && isNumber(value)),
    ]));
    this.#forget(times.at(-1) ?? 0);
  }

  #forget(time) {
    for (const [name, points] of this.series) {
      while (points.length && points[0][0] < time - HISTORY_SECONDS) points.shift();
      if (points.length === 0) this.series.delete(name);
    }
  }
}

/** All graphs of traffic. What is not known yet is null. */
export class History {
  time = 0;
  perSecond = null;
  rejectedPerSecond = null;
  openConnections = null;
  #groups = new Map(GRAPHS.map((name) => [name, new SeriesGroup()]));

  /** The lines of a graph. */
  of(graph) {
    return this.#groups.get(graph);
  }

  /** Takes the controller's history; samples that have come since are added again by add(). */
  load(sent) {
    const times = (Array.isArray(sent?.time_ms) ? sent.time_ms : []).map((millis) => millis / 1000);
    for (const [name, group] of this.#groups) group.load(times, sent?.[name] ?? {});
    this.time = times.at(-1) ?? 0;
  }

  /** Takes one sample, unless it is here already. */
  add(sample) {
    if (!isNumber(sample?.time_ms)) return;
    const time = sample.time_ms / 1000;
    this.perSecond = sample.requests_per_second ?? null;
    this.rejectedPerSecond = sample.rejections_per_second ?? null;
    this.openConnections = sample.connections?.open ?? null;
    if (time < this.time - RESTART_SECONDS) this.load({});
    if (time <= this.time) return;
    this.time = time;
    for (const [name, group] of this.#groups) group.add(time, Object.entries(sample[name] ?? {}));
  }
}
