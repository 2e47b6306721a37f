package io.malob.cluster.election;

import io.malob.module.MastershipPolicy;
import java.util.Optional;

/**
 * What a controller says about itself.
 *
 * @param name unique among live controllers
 * @param contact where others reach it
 * @param weight its share of the switches with {@link MastershipPolicy#SPREAD}, relative to others
 * @param policy the one that the cluster must have; empty if any will do
 */
public record ThisNode(
    String name, Contact contact, int weight, Optional<MastershipPolicy> policy) {

  /** The greatest weight. */
  public static final int MAX_WEIGHT = 1_000;
}
