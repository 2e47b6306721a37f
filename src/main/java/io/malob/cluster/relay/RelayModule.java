package io.malob.cluster.relay;

import io.malob.module.BaseModule;
import io.malob.module.FieldReader;
import io.malob.module.IClusterService;
import io.malob.module.IPeerService;
import io.malob.module.IRelayService;
import io.malob.module.PeerListener;
import io.malob.module.PeerTopic;
import io.malob.module.Repetition;
import io.malob.module.SettingReader;
import io.malob.openflow.ForwardedMessage;
import io.malob.openflow.RuleSender.SwitchConnection;
import java.nio.ByteBuffer;
import java.util.Collection;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import java.util.function.LongSupplier;
import net.floodlightcontroller.core.FloodlightContext;
import net.floodlightcontroller.core.IFloodlightProviderService;
import net.floodlightcontroller.core.IListener.Command;
import net.floodlightcontroller.core.IOFMessageListener;
import net.floodlightcontroller.core.IOFSwitch;
import net.floodlightcontroller.core.internal.IOFSwitchService;
import net.floodlightcontroller.core.module.FloodlightModuleContext;
import net.floodlightcontroller.core.module.IFloodlightService;
import net.floodlightcontroller.threadpool.IThreadPoolService;
import org.jspecify.annotations.Nullable;
import org.projectfloodlight.openflow.protocol.OFMessage;
import org.projectfloodlight.openflow.protocol.OFType;
import org.projectfloodlight.openflow.types.DatapathId;

/**
 * Relays messages for switches between the controllers of a cluster, in both directions. The
 * embedded controller loads it with the cluster's module.
 */
@SuppressWarnings("NullAway.Init") // set by init before any other method is called
public final class RelayModule extends BaseModule implements IRelayService, PeerListener {
  private static final long TICK_MILLIS = 250;

  private final LongSupplier nanoTime;
  private IFloodlightProviderService provider;
  private IOFSwitchService switches;
  private RelaySender sender;
  private RelayReceiver receiver;

  /** For the module loader. */
  public RelayModule() {
    this(System::nanoTime);
  }

  /** With the given clock. */
  public RelayModule(LongSupplier nanoTime) {
    this.nanoTime = nanoTime;
  }

  @Override
  public Collection<Class<? extends IFloodlightService>> getModuleDependencies() {
    return List.of(
        IFloodlightProviderService.class,
        IOFSwitchService.class,
        IThreadPoolService.class,
        IClusterService.class,
        IPeerService.class);
  }

  @Override
  protected void init(FloodlightModuleContext context, SettingReader settings) {
    provider = context.getServiceImpl(IFloodlightProviderService.class);
    switches = context.getServiceImpl(IOFSwitchService.class);
    IPeerService peers = context.getServiceImpl(IPeerService.class);
    sender =
        new RelaySender(switches, context.getServiceImpl(IClusterService.class), peers, nanoTime);
    receiver = new RelayReceiver(switches, peers);
    peers.listen(PeerTopic.RULES, this);
  }

  @Override
  public void startUp(FloodlightModuleContext context) {
    provider.addOFMessageListener(OFType.ERROR, receiver);
    new Repetition(context.getServiceImpl(IThreadPoolService.class).getScheduledExecutor())
        .every(TICK_MILLIS, "checking relayed barriers", sender::tick);
  }

  @Override
  public Optional<SwitchConnection> find(DatapathId switchId) {
    return sender.find(switchId);
  }

  @Override
  public Optional<String> otherMaster(DatapathId switchId) {
    return sender.otherMaster(switchId);
  }

  @Override
  public RelayCounts counts() {
    return new RelayCounts(
        sender.sent.sum(),
        sender.unsent.sum(),
        receiver.written.sum(),
        receiver.refused.sum(),
        receiver.errors.sum());
  }

  @Override
  public void lost(String peer) {
    sender.lost(peer);
  }

  @Override
  public void received(String peer, ByteBuffer message) {
    FieldReader in = new FieldReader(message);
    int kind = in.readByte();
    switch (kind) {
      case RelayFormat.WRITE -> receiver.write(peer, in.readSwitch(), message);
      case RelayFormat.BARRIER -> receiver.barrier(peer, in.readSwitch(), in.readLong());
      case RelayFormat.ANSWER -> sender.answered(peer, in.readLong(), in.readByte() == 1);
      case RelayFormat.REFUSED -> sender.refused(peer, in.readSwitch());
      case RelayFormat.ERROR -> dispatch(in.readSwitch(), message);
      default -> throw new IllegalArgumentException("relayed message of kind " + kind);
    }
  }

  /** Gives a switch's error about a relayed message to this controller's listeners. */
  private void dispatch(DatapathId switchId, ByteBuffer message) {
    @Nullable IOFSwitch sw = switches.getSwitch(switchId);
    OFMessage error = ForwardedMessage.read(message, EnumSet.of(OFType.ERROR));
    if (sw == null) {
      return;
    }
    FloodlightContext context = new FloodlightContext();
    for (IOFMessageListener listener :
        provider.getListeners().getOrDefault(OFType.ERROR, List.of())) {
      if (listener.receive(sw, error, context) == Command.STOP) {
        return;
      }
    }
  }
}
