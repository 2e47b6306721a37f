package io.malob.controller.staticentries;

import com.google.common.util.concurrent.MoreExecutors;
import io.malob.json.RejectedException;
import io.malob.module.BaseModule;
import io.malob.module.IStoreService;
import io.malob.module.Repetition;
import io.malob.module.SettingReader;
import io.malob.module.SwitchListener;
import io.malob.module.Unordered;
import io.malob.resource.ResourceRoutable;
import java.io.IOException;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.Executor;
import net.floodlightcontroller.core.FloodlightContext;
import net.floodlightcontroller.core.IFloodlightProviderService;
import net.floodlightcontroller.core.IOFMessageListener;
import net.floodlightcontroller.core.IOFSwitch;
import net.floodlightcontroller.core.internal.IOFSwitchService;
import net.floodlightcontroller.core.module.FloodlightModuleContext;
import net.floodlightcontroller.core.module.FloodlightModuleException;
import net.floodlightcontroller.core.module.IFloodlightService;
import net.floodlightcontroller.restserver.IRestApiService;
import net.floodlightcontroller.threadpool.IThreadPoolService;
import org.projectfloodlight.openflow.protocol.OFFlowRemoved;
import org.projectfloodlight.openflow.protocol.OFMessage;
import org.projectfloodlight.openflow.protocol.OFType;
import org.projectfloodlight.openflow.types.DatapathId;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Rules that operators set by hand, over HTTP under {@code /wm/staticentrypusher}, with
 * Floodlight's names. They are written again when their switch comes back. They are in memory, or
 * in the store that the controllers of a cluster share.
 */
public final class StaticEntriesModule extends BaseModule
    implements SwitchListener, IOFMessageListener, Unordered<OFType> {
  private static final Logger logger = LoggerFactory.getLogger(StaticEntriesModule.class);

  private static final long CATCH_UP_MILLIS = 1_000;

  private StaticEntries entries;
  private Executor serialExecutor;

  /** Called by the module loader. */
  @SuppressWarnings("NullAway.Init") // the rest comes in init
  public StaticEntriesModule() {}

  @Override
  public Collection<Class<? extends IFloodlightService>> getModuleDependencies() {
    return List.of(
        IRestApiService.class,
        IOFSwitchService.class,
        IFloodlightProviderService.class,
        IStoreService.class,
        IThreadPoolService.class);
  }

  @Override
  protected void init(FloodlightModuleContext context, SettingReader settings)
      throws FloodlightModuleException {
    serialExecutor =
        MoreExecutors.newSequentialExecutor(
            context.getServiceImpl(IThreadPoolService.class).getScheduledExecutor());
    try {
      entries =
          new StaticEntries(
              context.getServiceImpl(IOFSwitchService.class),
              context.getServiceImpl(IStoreService.class).inDirectory(""));
    } catch (IOException e) {
      throw new FloodlightModuleException(
          "The static entries cannot be read: " + e.getMessage(), e);
    }
  }

  @Override
  public void startUp(FloodlightModuleContext context) {
    entries.follow();
    context.getServiceImpl(IOFSwitchService.class).addOFSwitchListener(this);
    context
        .getServiceImpl(IFloodlightProviderService.class)
        .addOFMessageListener(OFType.FLOW_REMOVED, this);
    context
        .getServiceImpl(IRestApiService.class)
        .addRestletRoutable(
            new ResourceRoutable("/wm/staticentrypusher", StaticEntryResource.routes(entries)));
    new Repetition(context.getServiceImpl(IThreadPoolService.class).getScheduledExecutor())
        .every(CATCH_UP_MILLIS, "writing static entries", entries::catchUp);
  }

  @Override
  public void switchActivated(DatapathId switchId) {
    entries.rewrite(switchId);
  }

  /** Forgets an entry whose rule has ended. */
  @Override
  public Command receive(IOFSwitch sw, OFMessage message, FloodlightContext context) {
    if (message instanceof OFFlowRemoved removed && entries.mayHaveEnded(removed)) {
      DatapathId switchId = sw.getId();
      // the store may let it wait
      serialExecutor.execute(() -> forget(switchId, removed));
    }
    return Command.CONTINUE;
  }

  private void forget(DatapathId switchId, OFFlowRemoved removed) {
    try {
      entries.forget(switchId, removed);
    } catch (RejectedException e) {
      logger.warn("static_entry_not_forgotten switch={} why=\"{}\"", switchId, e.getMessage());
    }
  }

  @Override
  public String getName() {
    return "staticentries";
  }
}
