package io.malob.simulation.model;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.google.common.collect.ImmutableList;
import io.malob.algorithm.Algorithm;
import io.malob.algorithm.Counting;
import java.util.Collections;

/** Small networks and settings for tests. */
final class Labs {
  private Labs() {}

  /**
   * One client between two servers.
   *
   * <pre>
   *   near ---- client ---- wide      near: 40 Mbit/s, 5 ms; wide: 50 Mbit/s, 10 ms
   * </pre>
   */
  static LabNetwork twoServers() {
    return of(
        """
        {"switches": {"client": "00:01", "near": "00:02", "wide": "00:03"},
         "hosts": {
           "c": {"switch": "client", "ip": "10.0.0.1/24", "role": "client"},
           "n": {"switch": "near", "ip": "10.0.0.11/24", "role": "server"},
           "w": {"switch": "wide", "ip": "10.0.0.12/24", "role": "server"}},
         "links": [
           {"ends": ["client", "near"], "rate_mbps": [20, 40], "delay_ms": 5},
           {"ends": ["client", "wide"], "rate_mbps": 50, "delay_ms": [10, 10]}]}
        """);
  }

  static LabNetwork of(String json) {
    try {
      return LabNetwork.read(new ObjectMapper().readTree(json));
    } catch (JsonProcessingException e) {
      throw new IllegalArgumentException(e);
    }
  }

  /** Servers with one processor each. */
  static Setting setting(LabNetwork network, String algorithm, Counting counting, double interval) {
    ImmutableList<Integer> ones =
        ImmutableList.copyOf(Collections.nCopies(network.servers().size(), 1));
    return new Setting(
        network, Algorithm.named(algorithm).orElseThrow(), counting, interval, ones, ones);
  }
}
