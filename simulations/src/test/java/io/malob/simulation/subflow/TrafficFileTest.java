package io.malob.simulation.subflow;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.google.common.collect.ImmutableMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Figures by hand on a square with a diagonal.
 *
 * <pre>
 *   h1, h2 - a ---- b - h3      a-b 10, a-c 4, c-b 6, c-d 10, d-b 10 Mbit/s; hosts 30
 *            |    / |
 *            |   /  |
 *       h4 - c ---- d - h5
 * </pre>
 */
class TrafficFileTest {
  private static final String NETWORK =
      """
      {"switches": {"a": "00:00:00:00:00:00:00:01", "b": "00:00:00:00:00:00:00:02",
                    "c": "00:00:00:00:00:00:00:03", "d": "00:00:00:00:00:00:00:04"},
       "hosts": {"h1": {"switch": "a", "ip": "10.0.0.1/24", "role": "client"},
                 "h2": {"switch": "a", "ip": "10.0.0.2/24", "role": "client"},
                 "h3": {"switch": "b", "ip": "10.0.0.3/24", "role": "server"},
                 "h4": {"switch": "c", "ip": "10.0.0.4/24", "role": "server"},
                 "h5": {"switch": "d", "ip": "10.0.0.5/24", "role": "server"}},
       "links": [{"ends": ["a", "b"], "rate_mbps": 10}, {"ends": ["a", "c"], "rate_mbps": 4},
                 {"ends": ["c", "b"], "rate_mbps": 6}, {"ends": ["c", "d"], "rate_mbps": 10},
                 {"ends": ["d", "b"], "rate_mbps": 10}]}
      """;

  /** By .1 over b, by .11 over c; one branch by datapath ids, as the controller answers. */
  private static final String PLAN =
      """
      {"paths": [
        {"address": "10.0.0.1", "branches": [["a", "b", "d", "c"]]},
        {"address": "10.0.0.11", "branches": [
           ["00:00:00:00:00:00:00:01", "00:00:00:00:00:00:00:03", "00:00:00:00:00:00:00:04"],
           ["a", "c", "b"]]},
        {"address": "10.0.0.4", "branches": [["c", "b", "a", "e"]]}]}
      """;

  private static ImmutableMap<String, Double> modelOf(String plan, String... cells) {
    String document =
        """
        {"access_mbps": 30, "networks": {"square": %s}, "plans": {"p": %s}, "cells": [%s]}
        """
            .formatted(NETWORK, plan, String.join(",", cells));
    try {
      return TrafficFile.read(new ObjectMapper().readTree(document)).modelMbps();
    } catch (JsonProcessingException e) {
      throw new IllegalArgumentException(e);
    }
  }

  private static ImmutableMap<String, Double> model(String... cells) {
    return modelOf(PLAN.replace(", \"e\"", ""), cells);
  }

  private static String cell(String name, String plan, String... sessions) {
    return "{\"cell\": \"%s\", \"network\": \"square\", \"plan\": %s, \"sessions\": [%s]}"
        .formatted(name, plan, String.join(",", sessions));
  }

  private static String session(String from, String to, String... addresses) {
    return "{\"from\": \"%s\", \"to\": \"%s\", \"addresses\": [\"%s\"]}"
        .formatted(from, to, String.join("\",\"", addresses));
  }

  @Test
  void oneTcpFlow_hasTheNarrowestLinkOfItsWay() {
    assertEquals(
        ImmutableMap.of("TCP", 10.0), model(cell("TCP", "null", session("h1", "h5", "10.0.0.1"))));
  }

  @Test
  void forwarding_takesTheSmallerSwitchIdsOfEquallyShortPaths() {
    // a-b-d and a-c-d have two links each: a-b-d it is, and d-b-a on the way back
    assertEquals(
        ImmutableMap.of("there", 10.0, "back", 10.0),
        model(
            cell("there", "null", session("h1", "h5", "10.0.0.1")),
            cell("back", "null", session("h5", "h1", "10.0.0.5"))));
  }

  @Test
  void subflowsWithoutPlan_shareOneWayPerFlow() {
    // three flows of h1 and one of h2 over a-b: 10 Mbit/s together, a quarter each
    assertEquals(
        ImmutableMap.of("MPTCP", 10.0),
        model(
            cell(
                "MPTCP",
                "null",
                session("h1", "h3", "10.0.0.1", "10.0.0.11", "10.0.0.21"),
                session("h2", "h3", "10.0.0.2"))));
  }

  @Test
  void plannedSubflows_goTheirOwnPathsAndLeaveAtTheirEgress() {
    // to b: 10 over a-b, 4 over a-c-b; to c: 10 over a-b-d-c and 4 over a-c
    assertEquals(
        ImmutableMap.of("to b", 14.0, "to c", 14.0),
        model(
            cell("to b", "\"p\"", session("h1", "h3", "10.0.0.1", "10.0.0.11")),
            cell("to c", "\"p\"", session("h1", "h4", "10.0.0.1", "10.0.0.11"))));
  }

  @Test
  void directionsOfALink_areApart() {
    assertEquals(
        ImmutableMap.of("both", 20.0),
        model(
            cell(
                "both", "null", session("h1", "h3", "10.0.0.1"), session("h3", "h1", "10.0.0.3"))));
  }

  @Test
  void sessionWithinASwitch_hasWhatHostsCarry() {
    assertEquals(
        ImmutableMap.of("TCP", 30.0), model(cell("TCP", "null", session("h1", "h2", "10.0.0.1"))));
  }

  @Test
  void host_receivesNoMoreThanItsAccessCarries() {
    // links would bring 10, 6 and 10, and what h3 sends to itself comes in as well
    assertEquals(
        ImmutableMap.of("TCP", 30.0),
        model(
            cell(
                "TCP",
                "null",
                session("h1", "h3", "10.0.0.1"),
                session("h4", "h3", "10.0.0.4"),
                session("h5", "h3", "10.0.0.5"),
                session("h3", "h3", "10.0.0.3"))));
  }

  @Test
  void severalRunsOfACell_areAveraged() {
    assertEquals(
        ImmutableMap.of("TCP", 7.0),
        model(
            cell("TCP", "null", session("h1", "h3", "10.0.0.1")),
            cell("TCP", "null", session("h1", "h4", "10.0.0.1"))));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "h1 | h9 | 10.0.0.1 | \"p\" | there is no host \"h9\"",
        "h1 | h3 | 10.0.0.1 | \"q\" | there is no plan 'q'",
        "h1 | h3 | 10.0.0.2 | \"p\" | the plan has no path from 10.0.0.2 on"
      })
  void wrongCell_isNamed(String from, String to, String address, String plan, String sentence) {
    assertEquals(
        sentence, refusal(() -> model(cell("x", plan, session(from, to, address))), sentence));
  }

  @Test
  void planWithASwitchThatIsNotThere_isNamed() {
    String sentence = "the plan's switch \"e\" is not there";
    assertEquals(
        sentence,
        refusal(
            () -> modelOf(PLAN, cell("x", "\"p\"", session("h1", "h3", "10.0.0.1"))), sentence));
  }

  /** How the refusal begins, as far as the sentence goes. */
  private static String refusal(Runnable action, String sentence) {
    String message =
        String.valueOf(assertThrows(IllegalArgumentException.class, action::run).getMessage());
    return message.substring(0, Math.min(message.length(), sentence.length()));
  }
}
