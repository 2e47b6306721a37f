package io.malob.balancer.api;

/**
 * What came of comparing the switches' rules with what the controller knows, since its start.
 *
 * @param tablesRead how often the rules of a switch were read
 * @param tablesReset how often a switch did not tell its rules and was started afresh
 * @param connectionsAdopted connections of before this controller's start that go on
 * @param connectionsPending those of them that wait for a switch, a link or a host to be known
 * @param connectionsSlept connections that counted as open although their rules had gone
 * @param connectionsRestored connections whose rules were sent again
 * @param rulesRemoved rules that belonged to nothing
 */
public record ReconcileStats(
    long tablesRead,
    long tablesReset,
    long connectionsAdopted,
    long connectionsPending,
    long connectionsSlept,
    long connectionsRestored,
    long rulesRemoved) {}
