package io.malob.module;

import java.util.Map;
import net.floodlightcontroller.core.module.IFloodlightService;
import org.projectfloodlight.openflow.protocol.OFPacketIn;
import org.projectfloodlight.openflow.types.DatapathId;

/**
 * Fair queues for packet-ins if more arrive than can be handled: one class does not delay the
 * others. Only the embedded controller has this service, not real Floodlight.
 */
public interface IPacketInQueueService extends IFloodlightService {
  /** The class that goes first: its packets are few, and measure time. */
  int FIRST = 0;

  /** Classifies packet-ins. */
  interface Classifier {
    /**
     * The class of a packet-in, a small number from {@link #FIRST} on. Called by the threads that
     * read from switches, for each packet-in: must be fast and must not throw for any packet.
     */
    int classOf(OFPacketIn packetIn);
  }

  /** Listener for drops. */
  interface Watcher {
    /**
     * Reports the number of dropped packet-ins of a class since the last call. Called by the
     * threads that read from switches; must be fast.
     *
     * @param one the last of them
     */
    void dropped(DatapathId switchId, int classNumber, OFPacketIn one, int count);
  }

  /** Sets the listener, which is called once for each few dozen drops of a switch's class. */
  void setWatcher(Watcher watcher);

  /** Sets the classifier; before that, there is one class. */
  void setClassifier(Classifier classifier);

  /** The number of packet-ins that were dropped because of full queues, by class. */
  Map<Integer, Long> dropped();
}
