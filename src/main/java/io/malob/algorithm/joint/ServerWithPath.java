package io.malob.algorithm.joint;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import com.google.common.collect.Maps;
import com.google.common.collect.Multimaps;
import io.malob.algorithm.Counting;
import io.malob.algorithm.Explanation;
import io.malob.algorithm.NetworkSnapshot;
import io.malob.algorithm.Placement;
import io.malob.algorithm.Placer;
import io.malob.algorithm.Server;
import io.malob.algorithm.estimate.ServiceProfile;
import io.malob.algorithm.joint.JointRule.RatedPaths;
import java.util.HashMap;
import java.util.Iterator;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.projectfloodlight.openflow.types.DatapathId;

/**
 * Chooses server and paths together, by a {@link JointRule}: the best switch with servers for the
 * client, and of the servers there the one with the fewest connections for its weight.
 */
final class ServerWithPath implements Placer {
  /** The max number of sites that are rated to prepare a snapshot. */
  private static final int MAX_RATED = 20_000;

  private final ImmutableList<Server> servers;
  private final ImmutableList<Site> sites;
  private final ImmutableMap<DatapathId, Site> siteBySwitch;
  private final JointRule rule;
  private volatile Rankings rankings = new Rankings(NetworkSnapshot.EMPTY);

  /**
   * The rankings of one snapshot.
   *
   * @param before those of the snapshot before, for threads that still use it; or null
   */
  private record Rankings(
      NetworkSnapshot network, Map<Key, Ranking> byKey, @Nullable Rankings before) {
    private record Key(DatapathId clientSwitch, ServiceProfile profile) {
      static Key of(Request request) {
        return new Key(request.clientSwitch(), request.profile());
      }
    }

    Rankings(NetworkSnapshot network) {
      this(network, new ConcurrentHashMap<>(), null);
    }

    /** The rankings of the next snapshot, still empty. */
    Rankings followedBy(NetworkSnapshot next) {
      return new Rankings(
          next, new ConcurrentHashMap<>(), new Rankings(network, byKey, /* before= */ null));
    }

    /** The rankings of a snapshot; null if there are none. */
    @Nullable Rankings of(NetworkSnapshot wanted) {
      if (network == wanted) {
        return this;
      }
      return before != null && before.network == wanted ? before : null;
    }
  }

  /** The placer of a rule. */
  ServerWithPath(ImmutableList<Server> servers, JointRule rule, Counting counting) {
    this.servers = servers;
    this.rule = rule;
    this.sites =
        Multimaps.index(servers, server -> server.at().switchId()).asMap().entrySet().stream()
            .sorted(Map.Entry.comparingByKey())
            .map(
                entry -> new Site(entry.getKey(), ImmutableList.copyOf(entry.getValue()), counting))
            .collect(ImmutableList.toImmutableList());
    this.siteBySwitch = Maps.uniqueIndex(sites, Site::switchId);
  }

  @Override
  public Result place(Request request, NetworkSnapshot network) {
    if (sites.isEmpty()) {
      return Refusal.NO_SERVER;
    }
    return place(ranking(request, network), site -> site.pick(request));
  }

  private Result place(Ranking ranking, Function<Site, @Nullable Server> pick) {
    int best = ranking.best();
    @Nullable RatedPaths way = ranking.way(best);
    @Nullable Server server = way == null ? null : pick.apply(sites.get(best));
    return way != null && server != null
        ? new Placement(server, way.request(), way.reply())
        : inOrder(ranking, pick);
  }

  /** One site after the other, the best first: linear, but rare. */
  private Result inOrder(Ranking ranking, Function<Site, @Nullable Server> pick) {
    Refusal refusal = Refusal.NOT_ACCEPTABLE;
    for (int site : ranking.inOrder()) {
      @Nullable RatedPaths way = ranking.way(site);
      @Nullable Server server = pick.apply(sites.get(site));
      if (way != null && server != null) {
        return new Placement(server, way.request(), way.reply());
      }
      refusal = server != null ? Refusal.NO_ROUTE : refusal;
    }
    return refusal;
  }

  /**
   * Renews the rankings that were used since the last call, within a short time; others are renewed
   * on demand. This rates sites by known paths.
   */
  @Override
  public void prepare(NetworkSnapshot network) {
    Rankings current = rankings;
    int left = MAX_RATED;
    if (current.network == network) {
      for (Iterator<Ranking> each = current.byKey.values().iterator(); each.hasNext(); ) {
        Ranking ranking = each.next();
        if (left > 0 && ranking.takeUsed()) {
          ranking.rateAll();
          left -= sites.size();
        } else {
          each.remove();
        }
      }
      return;
    }
    Rankings next = current.followedBy(network);
    for (Map.Entry<Rankings.Key, Ranking> each : current.byKey.entrySet()) {
      if (left > 0 && each.getValue().takeUsed()) {
        next.byKey.put(each.getKey(), each.getValue().in(network));
        left -= sites.size();
      }
    }
    rankings = next;
  }

  private Ranking ranking(Request request, NetworkSnapshot network) {
    @Nullable Rankings current = rankings.of(network);
    if (current == null) {
      current = rankings.followedBy(network);
      rankings = current;
    }
    Rankings.Key key = Rankings.Key.of(request);
    @Nullable Ranking known = current.byKey.get(key);
    if (known != null) {
      return known;
    }
    Ranking rated = new Ranking(rule, network, request, sites);
    @Nullable Ranking other = current.byKey.putIfAbsent(key, rated);
    return other == null ? rated : other;
  }

  /** A copy of the ranking for a request, for a trial. */
  private Ranking trial(Request request, NetworkSnapshot network) {
    @Nullable Rankings current = rankings.of(network);
    NetworkSnapshot trial = network.trial();
    @Nullable Ranking known = current == null ? null : current.byKey.get(Rankings.Key.of(request));
    return known == null ? new Ranking(rule, trial, request, sites) : known.trial(trial);
  }

  @Override
  public Result placeOn(Server server, Request request, NetworkSnapshot network) {
    Optional<RatedPaths> way = rule.best(network, request, server);
    return way.isPresent()
        ? new Placement(server, way.get().request(), way.get().reply())
        : Refusal.NO_ROUTE;
  }

  @Override
  public void loadChanged(Server server) {
    @Nullable Site site = siteBySwitch.get(server.at().switchId());
    if (site != null) {
      site.loadChanged(server);
    }
  }

  @Override
  public void sharesChanged() {
    sites.forEach(Site::sharesChanged);
  }

  @Override
  public Explanation explain(Request request, NetworkSnapshot network) {
    if (sites.isEmpty()) {
      return new Explanation(Refusal.NO_SERVER, rule.reason(), rule.reason(), ImmutableList.of());
    }
    Ranking ranking = trial(request, network);
    Result result = place(ranking, site -> site.wouldPick(request));
    Map<DatapathId, @Nullable RatedPaths> ways = new HashMap<>();
    for (int site = 0; site < sites.size(); site++) {
      ways.put(sites.get(site).switchId(), ranking.way(site));
    }
    ImmutableList.Builder<Explanation.Candidate> candidates = ImmutableList.builder();
    for (Server server : servers) {
      // as rated for the choice, possibly a moment ago
      Optional<RatedPaths> way = Optional.ofNullable(ways.get(server.at().switchId()));
      candidates.add(
          new Explanation.Candidate(
              server,
              way.map(found -> new Explanation.Paths(found.request(), found.reply())),
              way.map(found -> rule.values(network, request, server, found))
                  .orElse(ImmutableMap.of()),
              request.acceptable().test(server)));
    }
    return new Explanation(result, rule.reason(), rule.reason(), candidates.build());
  }
}
