package io.malob.balancer.recovery;

import io.malob.balancer.admission.ReadSwitches;
import io.malob.balancer.admission.SwitchOutages;
import io.malob.balancer.connection.HostRuleCache;
import io.malob.state.catalog.CatalogSnapshot;
import java.util.HashSet;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.Predicate;
import org.projectfloodlight.openflow.types.DatapathId;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Prepares and reads switches that connect, and notes outages of those that disconnect. New
 * connections use a switch once its rules have been read, which may take seconds. Known ones use it
 * at once: nearly all switches that reconnect still have their rules. Except for {@link #connected}
 * and {@link #disconnected}, for one thread at a time.
 */
public final class SwitchRecovery {
  private static final Logger LOG = LoggerFactory.getLogger(SwitchRecovery.class);

  private final ReadSwitches readSwitches;
  private final HostRuleCache hostRules;
  private final SwitchPreparation preparation;
  private final ReconcileRounds reconcileRounds;
  private final StateRecovery stateRecovery;
  private final SwitchOutages outages;
  private final Predicate<DatapathId> replicated;
  private final Consumer<DatapathId> whenReset;

  /** Switches that were connected before. */
  private final Set<DatapathId> knownSwitches = new HashSet<>();

  /**
   * Recovers switches.
   *
   * @param replicated whether the connections of a switch are known from its former master
   * @param whenReset called when all rules of a switch have been deleted
   */
  public SwitchRecovery(
      ReadSwitches readSwitches,
      HostRuleCache hostRules,
      SwitchPreparation preparation,
      ReconcileRounds reconcileRounds,
      StateRecovery stateRecovery,
      SwitchOutages outages,
      Predicate<DatapathId> replicated,
      Consumer<DatapathId> whenReset) {
    this.readSwitches = readSwitches;
    this.hostRules = hostRules;
    this.preparation = preparation;
    this.reconcileRounds = reconcileRounds;
    this.stateRecovery = stateRecovery;
    this.outages = outages;
    this.replicated = replicated;
    this.whenReset = whenReset;
  }

  /**
   * A switch has connected: its rules are unknown at once. Called by any thread.
   *
   * @return whether its connections are known from its former master
   */
  public boolean connected(DatapathId switchId) {
    boolean isKnown = replicated.test(switchId);
    readSwitches.begin(switchId, isKnown);
    return isKnown;
  }

  /** A switch has disconnected: its rules are unknown at once. Called by any thread. */
  public void disconnected(DatapathId switchId) {
    readSwitches.gone(switchId);
  }

  /** Begins with a switch that has connected; false if it has disconnected meanwhile. */
  public boolean begin(DatapathId switchId) {
    // an earlier reading may have ended meanwhile, or the switch has disconnected
    if (!readSwitches.reread(switchId)) {
      return false;
    }
    hostRules.reset(switchId);
    return true;
  }

  /** Runs something once it is known which groups a switch has, at once if its layout has none. */
  public void whenGroupsAreKnown(DatapathId switchId, Runnable then) {
    reconcileRounds.readGroups(switchId, then);
  }

  /** Prepares a switch for the present catalog. */
  public void prepare(DatapathId switchId) {
    preparation.prepare(switchId, catalog());
  }

  private CatalogSnapshot catalog() {
    return stateRecovery.parts().views().get().catalog();
  }

  /**
   * Reads the rules of a switch.
   *
   * @param done called when connections can use the switch
   */
  public void read(DatapathId switchId, Runnable done) {
    reconcileRounds.connected(
        switchId,
        known -> {
          take(switchId, known);
          done.run();
        });
  }

  private void take(DatapathId switchId, boolean known) {
    if (!known) {
      LOG.warn("switch_started_afresh switch={} - its connections are interrupted", switchId);
      stateRecovery.parts().teardown().switchReset(switchId);
      preparation.reset(switchId, catalog());
      whenReset.accept(switchId);
    }
    if (!knownSwitches.add(switchId)) {
      outages.back(switchId);
    } else if (stateRecovery.hasBegun()) {
      outages.restarted();
    }
    readSwitches.done(switchId);
  }

  /** Notes the outage of a switch that has disconnected. Its rules may differ when it returns. */
  public void remove(DatapathId switchId) {
    reconcileRounds.gone(switchId);
    if (knownSwitches.contains(switchId)) {
      outages.gone(switchId);
    }
  }
}
