// The last minutes, a value a second, as long as the page is there.

export const HISTORY_SECONDS = 300;

/** A few series of one kind: name → points [seconds, value], oldest first, none older than the window. */
export class SeriesGroup {
  series = new Map();

  /** Takes one value of each series; those that are not among the values end. */
  add(time, values) {
    for (const [name, value] of values) {
      if (!this.series.has(name)) this.series.set(name, []);
      this.series.get(name).push([time, value]);
    }
    for (const [name, points] of this.series) {
      while (points.length && points[0][0] < time - HISTORY_SECONDS) points.shift();
      if (points.length === 0) this.series.delete(name);
    }
  }
}

function added(sums, name, value) {
  sums.set(name, (sums.get(name) ?? 0) + value);
}

/** Connections a second by VIP, service and algorithm, times, refusals and open connections. */
export class History {
  byVip = new SeriesGroup();
  byService = new SeriesGroup();
  byAlgorithm = new SeriesGroup();
  byServer = new SeriesGroup();
  serviceTimes = new SeriesGroup();
  algorithmTimes = new SeriesGroup();
  refusals = new SeriesGroup();
  open = new SeriesGroup();
  time = 0;
  perSecond = 0;
  refusedPerSecond = 0;

  add(model, rates, before, seconds) {
    this.time = rates.time_ms / 1000;
    const ofVips = this.#addConnections(model);
    const { services, algorithms } = rates.placements
      ? this.#placed(model, rates.placements, before.placements, seconds) : ofVips;
    this.byService.add(this.time, services);
    this.byAlgorithm.add(this.time, algorithms);
    this.#addTimes(model, rates.profiles);
    const refused = new Map();
    let sum = 0;
    for (const [reason, count] of Object.entries(rates.refusals)) {
      const rate = Math.max(0, count - (before.refusals[reason] ?? 0)) / seconds;
      sum += rate;
      if (count > 0) refused.set(reason.replaceAll('_', ' '), rate);
    }
    this.refusedPerSecond = sum;
    this.refusals.add(this.time, refused);
    this.open.add(this.time, new Map([['open', rates.open_connections], ['remembered', rates.dormant_connections]]));
  }

  /** Answers with what services and algorithms have placed, as far as VIPs tell. */
  #addConnections(model) {
    const vips = new Map();
    const services = new Map();
    const algorithms = new Map();
    const servers = new Map();
    let sum = 0;
    for (const vip of model.state.vips) {
      const pool = model.poolOfVip(vip.id);
      let rate = 0;
      for (const member of pool ? model.membersOfPool(pool.id) : []) {
        const perSecond = model.memberNumbers.get(member.id)?.perSecond ?? 0;
        rate += perSecond;
        if (perSecond > 0 || (model.memberNumbers.get(member.id)?.total ?? 0) > 0) servers.set(member.id, perSecond);
      }
      sum += rate;
      vips.set(vip.name ?? vip.id, rate);
      added(services, model.serviceOfVip(vip)?.service_name ?? 'by port', rate);
      added(algorithms, model.algorithmOfVip(vip) ?? 'by port', rate);
    }
    this.perSecond = sum;
    this.byVip.add(this.time, vips);
    this.byServer.add(this.time, servers);
    return { services, algorithms };
  }

  /** Exact counts, [service, algorithm, outcome, count], also where a VIP takes every port. */
  #placed(model, placements, earlier, seconds) {
    const key = (line) => line.slice(0, 3).join(' ');
    const counts = new Map(earlier.map((line) => [key(line), line[3]]));
    const services = new Map();
    const algorithms = new Map();
    for (const line of placements) {
      const [service, algorithm, outcome, count] = line;
      if (outcome !== 'placed') continue;
      const rate = Math.max(0, count - (counts.get(key(line)) ?? 0)) / seconds;
      added(services, model.service(service)?.service_name ?? service, rate);
      added(algorithms, algorithm, rate);
    }
    return { services, algorithms };
  }

  /** The time that servers take for one connection, as it has been learnt from connections that have ended. */
  #addTimes(model, profiles) {
    const services = new Map();
    const algorithms = new Map();
    for (const profile of profiles) {
      const vip = model.vip(profile.vip_id);
      if (!vip || !profile.samples || (profile.service_ms ?? null) === null) continue;
      const service = model.service(profile.service_id)?.service_name ?? profile.service_id;
      const name = `${vip.name ?? vip.id}, ${service}${profile.ftp_data ? ' data' : ''}`;
      services.set(name, profile.service_ms);
      const algorithm = vip.lb_method ?? model.poolOfVip(vip.id)?.lb_method ?? model.service(profile.service_id)?.algorithm;
      if (algorithm) {
        const known = algorithms.get(algorithm) ?? [0, 0];
        algorithms.set(algorithm, [known[0] + profile.service_ms * profile.samples, known[1] + profile.samples]);
      }
    }
    this.serviceTimes.add(this.time, services);
    this.algorithmTimes.add(this.time, new Map([...algorithms].map(([name, [sum, samples]]) => [name, sum / samples])));
  }
}
