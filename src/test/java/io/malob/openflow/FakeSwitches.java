package io.malob.openflow;

import com.google.common.util.concurrent.Futures;
import com.google.common.util.concurrent.ListenableFuture;
import com.google.common.util.concurrent.SettableFuture;
import io.malob.openflow.RuleSender.SwitchConnection;
import io.malob.openflow.RuleSender.SwitchDirectory;
import io.malob.testing.FakeFlowTable;
import io.malob.testing.SwitchProfile;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import org.projectfloodlight.openflow.protocol.OFFactories;
import org.projectfloodlight.openflow.protocol.OFFactory;
import org.projectfloodlight.openflow.protocol.OFMessage;
import org.projectfloodlight.openflow.protocol.OFVersion;
import org.projectfloodlight.openflow.types.DatapathId;

/**
 * Connected switches that keep what they are sent. Barriers are answered at once, or, after {@link
 * #holdBarriers}, when the test says so.
 */
public final class FakeSwitches implements SwitchDirectory {
  public static final OFFactory FACTORY = OFFactories.getFactory(OFVersion.OF_13);

  private final Map<DatapathId, FakeSwitch> switches = new ConcurrentHashMap<>();
  private final SwitchProfile profile;
  private final List<DatapathId> writes = Collections.synchronizedList(new ArrayList<>());
  private volatile boolean holding;

  /** Switches 1 to n. */
  public FakeSwitches(int count) {
    this(count, SwitchProfile.FOUR_TABLES);
  }

  /** Switches 1 to n of that profile. */
  public FakeSwitches(int count, SwitchProfile profile) {
    this.profile = profile;
    for (int id = 1; id <= count; id++) {
      connect(id);
    }
  }

  /** Sends rules to the switches as their layouts need them. */
  public RuleSender ruleSender() {
    return new RuleSender(
        this,
        new RuleCompiler(
            switchId -> {
              FakeSwitch sw = switches.get(switchId);
              return sw == null ? null : sw.table.profile().layout();
            },
            new LabelGroups()));
  }

  /** One of them. */
  public static final class FakeSwitch implements SwitchConnection {
    private final FakeSwitches all;
    private final DatapathId id;
    private final FakeFlowTable table;
    private final List<OFMessage> messages = new ArrayList<>();
    private final List<SettableFuture<Object>> barriers = new ArrayList<>();
    private boolean accepting = true;

    FakeSwitch(FakeSwitches all, DatapathId id, SwitchProfile profile) {
      this.all = all;
      this.id = id;
      this.table = new FakeFlowTable(profile, () -> 0);
    }

    @Override
    public OFFactory factory() {
      return FACTORY;
    }

    @Override
    public synchronized boolean write(Iterable<OFMessage> batch) {
      if (!accepting) {
        return false;
      }
      all.writes.add(id);
      for (OFMessage message : batch) {
        messages.add(message);
        table.apply(message);
      }
      return true;
    }

    @Override
    public synchronized ListenableFuture<?> barrier() {
      if (!all.holding) {
        return Futures.immediateFuture("done");
      }
      SettableFuture<Object> barrier = SettableFuture.create();
      barriers.add(barrier);
      return barrier;
    }

    /** From now on, nothing is sent to it. */
    public synchronized void refuse() {
      accepting = false;
    }

    /** It takes messages again. */
    public synchronized void accept() {
      accepting = true;
    }

    /** How many barriers it has not answered. */
    public synchronized int openBarriers() {
      return barriers.size();
    }

    /** It answers its oldest barrier. */
    public void answerBarrier() {
      nextBarrier().set("done");
    }

    /** It is lost before it answers its oldest barrier. */
    public void failBarrier() {
      nextBarrier().setException(new IllegalStateException("switch is gone"));
    }

    private synchronized SettableFuture<Object> nextBarrier() {
      return barriers.remove(0);
    }

    /** What it was sent, in order. */
    public synchronized List<OFMessage> messages() {
      return List.copyOf(messages);
    }

    /** Its rules. */
    public FakeFlowTable table() {
      return table;
    }
  }

  @Override
  public Optional<SwitchConnection> find(DatapathId switchId) {
    return Optional.ofNullable(switches.get(switchId));
  }

  /** A switch comes, with empty tables. */
  public void connect(long id) {
    connect(id, profile);
  }

  /** The same for a switch that is unlike the others. */
  public void connect(long id, SwitchProfile itsProfile) {
    DatapathId switchId = DatapathId.of(id);
    switches.put(switchId, new FakeSwitch(this, switchId, itsProfile));
  }

  /** A switch goes. */
  public void disconnect(long id) {
    switches.remove(DatapathId.of(id));
  }

  /** From now on, barriers wait. */
  public void holdBarriers() {
    holding = true;
  }

  /** The switch of that id. */
  public FakeSwitch get(long id) {
    return switches.get(DatapathId.of(id));
  }

  /** The ids of the switches that were written to since the last call, one for each batch. */
  public List<Long> takeWrites() {
    synchronized (writes) {
      List<Long> taken = writes.stream().map(DatapathId::getLong).toList();
      writes.clear();
      return taken;
    }
  }
}
