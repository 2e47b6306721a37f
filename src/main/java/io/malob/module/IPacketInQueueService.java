package io.malob.module;

import java.util.Map;
import net.floodlightcontroller.core.module.IFloodlightService;
import org.projectfloodlight.openflow.protocol.OFPacketIn;
import org.projectfloodlight.openflow.types.DatapathId;

/**
 * Has packet-ins wait in fair queues when more come than can be handled: those of one class do not
 * keep the others waiting. The embedded controller has it, real Floodlight does not.
 */
public interface IPacketInQueueService extends IFloodlightService {
  /** The class whose first goes before all others: few of it come, and they tell the time. */
  int FIRST = 0;

  /** Tells classes of packet-ins apart. */
  interface Classifier {
    /**
     * The class of a packet-in, a small number from {@link #FIRST} on. Called by the threads that
     * read from switches, for each packet-in: must be fast and must not throw for any packet.
     */
    int classOf(OFPacketIn packetIn);
  }

  /** Is told of what is dropped. */
  interface Watcher {
    /**
     * So many packet-ins of a class were dropped since it was told last. Called by the threads that
     * read from switches; must be fast.
     *
     * @param one the last of them
     */
    void dropped(DatapathId switchId, int classNumber, OFPacketIn one, int count);
  }

  /** Sets who is told from now on, once for each few dozen of a switch's class. */
  void setWatcher(Watcher watcher);

  /** Sets what tells classes apart from now on; before that, all are of one. */
  void setClassifier(Classifier classifier);

  /** How many packet-ins were dropped because too many waited, by class. */
  Map<Integer, Long> dropped();
}
