package io.malob.rest.problem;

import com.google.common.collect.ImmutableList;
import io.malob.balancer.api.IBalancerService;
import io.malob.module.ClusterView;
import io.malob.module.DuplicateSwitch;
import io.malob.module.IClusterService;
import io.malob.module.IDuplicateSwitchService;
import io.malob.monitor.IMonitorService;
import java.util.Optional;
import java.util.function.Supplier;
import net.floodlightcontroller.core.module.FloodlightModuleContext;
import net.floodlightcontroller.devicemanager.IDeviceService;
import org.jspecify.annotations.Nullable;

/**
 * The services whose state has problems.
 *
 * @param cluster the view of the cluster; empty without one
 * @param duplicates switches with one datapath id
 */
public record ProblemSources(
    IBalancerService balancer,
    IMonitorService monitor,
    IDeviceService devices,
    Supplier<Optional<ClusterView>> cluster,
    Supplier<ImmutableList<DuplicateSwitch>> duplicates) {

  /** The services of a controller; real Floodlight has no cluster and finds no duplicates. */
  public static ProblemSources of(FloodlightModuleContext context) {
    @Nullable IClusterService cluster = context.getServiceImpl(IClusterService.class);
    @Nullable IDuplicateSwitchService duplicates =
        context.getServiceImpl(IDuplicateSwitchService.class);
    return new ProblemSources(
        context.getServiceImpl(IBalancerService.class),
        context.getServiceImpl(IMonitorService.class),
        context.getServiceImpl(IDeviceService.class),
        cluster == null ? Optional::empty : cluster::view,
        duplicates == null ? ImmutableList::of : duplicates::duplicates);
  }
}
