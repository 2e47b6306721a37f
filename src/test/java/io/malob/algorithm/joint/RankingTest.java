package io.malob.algorithm.joint;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import io.malob.algorithm.Counting;
import io.malob.algorithm.NetworkSnapshot;
import io.malob.algorithm.Placer.Request;
import io.malob.algorithm.Reason;
import io.malob.algorithm.Server;
import io.malob.algorithm.graph.Path;
import io.malob.testing.Servers;
import io.malob.testing.Together;
import java.util.Optional;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicIntegerArray;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.projectfloodlight.openflow.types.DatapathId;

class RankingTest {
  private static final int SITES = 7;
  private static final DatapathId S1 = DatapathId.of(1);

  private final AtomicIntegerArray costs = new AtomicIntegerArray(SITES);
  private volatile Runnable whileRating = () -> {};

  /** Servers cost what {@link #costs} says. */
  private final JointRule byCosts =
      new JointRule() {
        @Override
        public Optional<RatedPaths> best(NetworkSnapshot network, Request request, Server server) {
          int cost = costs.get(server.number());
          Runnable meanwhile = whileRating;
          whileRating = () -> {};
          meanwhile.run();
          Path path = Path.within(S1);
          return Optional.of(new RatedPaths(path, path, cost, 0, 0));
        }

        @Override
        public Reason reason() {
          return new Reason("costs", "none");
        }

        @Override
        public ImmutableMap<String, Double> values(
            NetworkSnapshot network, Request request, Server server, RatedPaths way) {
          return ImmutableMap.of();
        }
      };

  private Ranking ranking() {
    return ranking(SITES);
  }

  private Ranking ranking(int count) {
    ImmutableList<Site> sites =
        IntStream.range(0, count)
            .mapToObj(
                site ->
                    new Site(
                        DatapathId.of(site),
                        ImmutableList.of(Servers.on(site, 1, site)),
                        Counting.PLACED_SINCE))
            .collect(ImmutableList.toImmutableList());
    return new Ranking(byCosts, NetworkSnapshot.EMPTY, Request.from(S1), sites);
  }

  private void setCosts(int... all) {
    IntStream.range(0, SITES).forEach(site -> costs.set(site, all[site]));
  }

  private static int bestAfterARound(Ranking ranking) {
    int found = -1;
    for (int choice = 0; choice < SITES; choice++) {
      found = ranking.best();
    }
    return found;
  }

  @Test
  void best_whenTheBestBecomesWorse_isAnotherAtOnce() {
    setCosts(9, 5, 9, 9, 3, 9, 9);
    Ranking ranking = ranking();
    assertEquals(4, ranking.best());
    costs.set(4, 8);
    assertEquals(1, ranking.best());
  }

  @Test
  void best_whenAnyBecomesBetter_isFoundWithinAsManyChoicesAsThereAreSites() {
    for (int better = 0; better < SITES; better++) {
      setCosts(9, 9, 9, 9, 9, 9, 9);
      Ranking ranking = ranking();
      ranking.best();
      costs.set(better, 1);
      assertEquals(better, bestAfterARound(ranking));
    }
  }

  @Test
  void best_ofFewSites_isFoundAtOnceWhenItBecomesBetter() {
    setCosts(9, 9, 9, 9, 9, 9, 9);
    for (int better = 0; better < 4; better++) {
      Ranking ranking = ranking(4);
      ranking.best();
      costs.set(better, 1);
      assertEquals(better, ranking.best());
      costs.set(better, 9);
    }
  }

  /** One thread has rated a site when another rates it, and is slower to write it down. */
  @Test
  void best_whenRatedTwiceAtOnce_doesNotLoseTheSite() {
    setCosts(1, 5, 5, 5, 5, 5, 5);
    Ranking ranking = ranking();
    whileRating =
        () -> {
          costs.set(0, 9);
          ranking.best(); // rates site 0 in turn, which is no longer the best
          costs.set(0, 1);
        };
    ranking.best();
    assertEquals(0, bestAfterARound(ranking));
  }

  @Test
  void best_byEightThreadsWhileCostsChange_isFoundOnceTheyRest() throws Exception {
    Ranking ranking = ranking();
    Together.run(
        8,
        thread -> {
          for (int i = 0; i < 5_000; i++) {
            costs.set(ThreadLocalRandom.current().nextInt(SITES), 2 + i % 5);
            assertNotNull(ranking.way(ranking.best()));
          }
        });
    for (int site = 0; site < SITES; site++) {
      setCosts(9, 9, 9, 9, 9, 9, 9);
      costs.set(site, 1);
      assertEquals(site, bestAfterARound(ranking));
    }
  }

  @Test
  void trial_whenChosenFrom_saysWhatTheOriginalChoosesNext() {
    setCosts(9, 5, 9, 9, 3, 9, 9);
    Ranking ranking = ranking();
    for (int choice = 0; choice < 50; choice++) {
      costs.set(choice % SITES, choice * 5 % 8);
      assertEquals(
          ranking.trial(NetworkSnapshot.EMPTY).best(), ranking.trial(NetworkSnapshot.EMPTY).best());
      assertEquals(ranking.trial(NetworkSnapshot.EMPTY).best(), ranking.best());
    }
  }
}
