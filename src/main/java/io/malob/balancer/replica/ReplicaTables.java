package io.malob.balancer.replica;

import io.malob.balancer.admission.ReadSwitches;
import io.malob.balancer.connection.ConnectionTable;
import io.malob.balancer.connection.HalfOpenLimit;
import io.malob.balancer.connection.UnownedSwitches;
import io.malob.openflow.label.LabelTable;

/**
 * The tables whose content controllers send each other.
 *
 * @param unowned the switches that other controllers are masters of
 * @param read the switches of this controller whose rules are known
 */
public record ReplicaTables(
    ConnectionTable connections,
    LabelTable labels,
    HalfOpenLimit halfOpen,
    UnownedSwitches unowned,
    ReadSwitches read) {}
