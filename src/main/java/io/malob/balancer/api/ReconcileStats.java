package io.malob.balancer.api;

/**
 * The results of reconciling the switches' rules with the controller's state, since its start.
 *
 * @param tablesRead how often the rules of a switch were read
 * @param tablesReset how often a switch did not report its rules and was reset
 * @param connectionsAdopted recovered connections from before this controller's start
 * @param connectionsPending connections whose recovery is pending until a switch, a link or a host
 *     is known
 * @param connectionsSlept connections that became dormant because their rules were missing
 * @param connectionsRestored connections whose rules were restored
 * @param rulesRemoved removed rules of no known connection, path or switch setup
 */
public record ReconcileStats(
    long tablesRead,
    long tablesReset,
    long connectionsAdopted,
    long connectionsPending,
    long connectionsSlept,
    long connectionsRestored,
    long rulesRemoved) {}
