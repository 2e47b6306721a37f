package io.malob.testing;

import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import net.floodlightcontroller.core.IOFSwitchListener;
import net.floodlightcontroller.core.PortChangeType;
import org.projectfloodlight.openflow.protocol.OFPortDesc;
import org.projectfloodlight.openflow.types.DatapathId;

/** Writes down what a switch listener is told, one line per event. Safe for use by threads. */
public final class SwitchRecorder implements IOFSwitchListener {
  private final BlockingQueue<String> untold = new LinkedBlockingQueue<>();
  private final List<String> events = new CopyOnWriteArrayList<>();

  /** All events so far, like {@code "added 00:…:01"} or {@code "port 00:…:01/2 DOWN"}. */
  public List<String> events() {
    return List.copyOf(events);
  }

  /** Waits until this event comes, skipping those before it. */
  public void await(String event) throws InterruptedException {
    String next;
    do {
      next = untold.poll(10, TimeUnit.SECONDS);
      if (next == null) {
        throw new AssertionError("expected \"" + event + "\", got " + events);
      }
    } while (!next.equals(event));
  }

  private void record(String event) {
    events.add(event);
    untold.add(event);
  }

  @Override
  public void switchAdded(DatapathId switchId) {
    record("added " + switchId);
  }

  @Override
  public void switchRemoved(DatapathId switchId) {
    record("removed " + switchId);
  }

  @Override
  public void switchActivated(DatapathId switchId) {
    record("activated " + switchId);
  }

  @Override
  public void switchPortChanged(DatapathId switchId, OFPortDesc port, PortChangeType change) {
    record("port " + switchId + "/" + port.getPortNo() + " " + change);
  }

  @Override
  public void switchChanged(DatapathId switchId) {
    record("changed " + switchId);
  }

  @Override
  public void switchDeactivated(DatapathId switchId) {
    record("deactivated " + switchId);
  }
}
