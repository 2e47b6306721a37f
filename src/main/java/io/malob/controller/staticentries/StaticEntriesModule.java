package io.malob.controller.staticentries;

import io.malob.json.RejectedException;
import io.malob.module.BaseModule;
import io.malob.module.Repetition;
import io.malob.module.SettingReader;
import io.malob.module.Settings;
import io.malob.module.SwitchListener;
import io.malob.module.Unordered;
import io.malob.resource.ResourceRoutable;
import java.util.Collection;
import java.util.List;
import net.floodlightcontroller.core.FloodlightContext;
import net.floodlightcontroller.core.IFloodlightProviderService;
import net.floodlightcontroller.core.IOFMessageListener;
import net.floodlightcontroller.core.IOFSwitch;
import net.floodlightcontroller.core.internal.IOFSwitchService;
import net.floodlightcontroller.core.module.FloodlightModuleContext;
import net.floodlightcontroller.core.module.IFloodlightService;
import net.floodlightcontroller.restserver.IRestApiService;
import net.floodlightcontroller.threadpool.IThreadPoolService;
import org.jspecify.annotations.Nullable;
import org.projectfloodlight.openflow.protocol.OFFlowRemoved;
import org.projectfloodlight.openflow.protocol.OFMessage;
import org.projectfloodlight.openflow.protocol.OFType;
import org.projectfloodlight.openflow.types.DatapathId;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Rules that operators set by hand, over HTTP under {@code /wm/staticentrypusher}, with
 * Floodlight's names. They are kept in memory, and written again when their switch comes back.
 */
@Settings({})
public final class StaticEntriesModule extends BaseModule
    implements SwitchListener, IOFMessageListener, Unordered<OFType> {
  private static final Logger logger = LoggerFactory.getLogger(StaticEntriesModule.class);

  private static final long CATCH_UP_MILLIS = 1_000;

  private @Nullable StaticEntries entries;

  @Override
  public Collection<Class<? extends IFloodlightService>> getModuleDependencies() {
    return List.of(
        IRestApiService.class,
        IOFSwitchService.class,
        IFloodlightProviderService.class,
        IThreadPoolService.class);
  }

  @Override
  protected void init(FloodlightModuleContext context, SettingReader settings) {
    entries = new StaticEntries(context.getServiceImpl(IOFSwitchService.class));
  }

  @Override
  public void startUp(FloodlightModuleContext context) {
    context.getServiceImpl(IOFSwitchService.class).addOFSwitchListener(this);
    context
        .getServiceImpl(IFloodlightProviderService.class)
        .addOFMessageListener(OFType.FLOW_REMOVED, this);
    context
        .getServiceImpl(IRestApiService.class)
        .addRestletRoutable(
            new ResourceRoutable("/wm/staticentrypusher", StaticEntryResource.routes(entries())));
    new Repetition(context.getServiceImpl(IThreadPoolService.class).getScheduledExecutor())
        .every(CATCH_UP_MILLIS, "writing static entries", this::catchUp);
  }

  private void catchUp() {
    try {
      entries().catchUp();
    } catch (RejectedException e) {
      logger.warn("static_entry_not_written why=\"{}\"", e.getMessage());
    }
  }

  private StaticEntries entries() {
    StaticEntries ready = entries;
    if (ready == null) {
      throw new IllegalStateException("not initialised");
    }
    return ready;
  }

  @Override
  public void switchActivated(DatapathId switchId) {
    try {
      entries().rewrite(switchId);
    } catch (RejectedException e) {
      logger.warn("static_entry_not_written switch={} why=\"{}\"", switchId, e.getMessage());
    }
  }

  /** Forgets an entry whose rule has ended. */
  @Override
  public Command receive(IOFSwitch sw, OFMessage message, FloodlightContext context) {
    if (message instanceof OFFlowRemoved removed) {
      try {
        entries().ended(sw.getId(), removed);
      } catch (RejectedException e) {
        logger.warn("static_entry_not_compared switch={} why=\"{}\"", sw.getId(), e.getMessage());
      }
    }
    return Command.CONTINUE;
  }

  @Override
  public String getName() {
    return "staticentries";
  }
}
