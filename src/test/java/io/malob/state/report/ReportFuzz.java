package io.malob.state.report;

import io.malob.state.network.ServerValue;
import java.util.Arrays;
import java.util.Map;

/**
 * Does with a datagram what the controller does with agents' reports: it is taken whole, and says
 * what can be, or leaves everything as it was. The first byte tells whose it is, and whether it is
 * signed as it is, so that it gets as far as a report can. In the form that Jazzer calls.
 */
public final class ReportFuzz {
  private static final int OF_LINK = 1;
  private static final int SIGNED = 2;

  /** Begins afresh then, as a valid report with a high number makes all others replays. */
  private static final int ROUND = 1_000;

  private static ReportFixture fixture = new ReportFixture();
  private static int runs;

  private ReportFuzz() {}

  /** Takes one report. */
  public static void fuzzerTestOneInput(byte[] input) {
    if (input.length == 0) {
      return;
    }
    if (++runs % ROUND == 0) {
      fixture = new ReportFixture();
    }
    boolean isOfLink = (input[0] & OF_LINK) != 0;
    byte[] body = Arrays.copyOfRange(input, 1, input.length);
    byte[] report =
        (input[0] & SIGNED) == 0 ? body : ReportFixture.signed(isOfLink ? "n1" : "w1", body);
    Map<String, ReplayGuard.Memory> memory = fixture.intake.memory();
    int before = fixture.taken.size();
    boolean taken =
        fixture.send(report, isOfLink ? ReportFixture.NODE : ReportFixture.SERVER) == null;
    check(fixture.taken.size() == before + (taken ? 1 : 0), "as many reports as were taken");
    if (taken) {
      checkPlausible(fixture.taken.get(before));
    } else {
      check(memory.equals(fixture.intake.memory()), "nothing remembered of what was dropped");
    }
  }

  /** Whether a report that was taken says what can be. */
  static void checkPlausible(Report report) {
    if (report.content() instanceof Report.Server server) {
      double cpu = server.values().getOrDefault(ServerValue.CPU, 0.0);
      check(cpu >= 0 && cpu <= 1, "a share of a processor");
      check(server.values().getOrDefault(ServerValue.RESPONSE, 0.0) >= 0, "a time");
      server
          .connections()
          .forEach((port, count) -> check(port > 0 && count >= 0, "ports and counts"));
    } else if (report.content() instanceof Report.Links links) {
      for (Report.Throughput link : links.links()) {
        double up = link.upBps().orElse(0);
        check(up >= 0 && up <= 1e12, "a rate");
      }
    }
  }

  private static void check(boolean holds, String expected) {
    if (!holds) {
      throw new AssertionError("expected " + expected);
    }
  }
}
