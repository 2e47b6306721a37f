package io.malob.metrics;

import io.malob.agent.IAgentService;
import io.malob.balancer.api.IBalancerService;
import io.malob.capability.ISwitchCapabilityService;
import io.malob.latency.ILatencyService;
import io.malob.module.BaseModule;
import io.malob.module.INetworkRefusalService;
import io.malob.module.IPeerService;
import io.malob.module.IRelayService;
import io.malob.monitor.IMonitorService;
import io.malob.resource.ResourceRoutable;
import io.micrometer.core.instrument.binder.MeterBinder;
import io.micrometer.core.instrument.binder.jvm.ClassLoaderMetrics;
import io.micrometer.core.instrument.binder.jvm.JvmGcMetrics;
import io.micrometer.core.instrument.binder.jvm.JvmMemoryMetrics;
import io.micrometer.core.instrument.binder.jvm.JvmThreadMetrics;
import io.micrometer.core.instrument.binder.system.FileDescriptorMetrics;
import io.micrometer.core.instrument.binder.system.ProcessorMetrics;
import io.micrometer.core.instrument.binder.system.UptimeMetrics;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import io.prometheus.metrics.model.registry.MultiCollector;
import io.prometheus.metrics.model.snapshots.MetricSnapshots;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.function.Consumer;
import net.floodlightcontroller.core.IShutdownService;
import net.floodlightcontroller.core.module.FloodlightModuleContext;
import net.floodlightcontroller.core.module.IFloodlightService;
import net.floodlightcontroller.restserver.IRestApiService;
import org.jspecify.annotations.Nullable;

/**
 * Serves metrics for Prometheus at {@code /metrics}: MALOB's own, which are listed in {@link
 * Metric}, and those of the JVM as Micrometer names them.
 *
 * <p>Ours are made from the snapshots and counts of the other modules at each scrape, not kept a
 * second time as Micrometer's meters: so their labels always match the existing items, and need no
 * cleanup after a link or member is removed.
 */
public final class MetricsModule extends BaseModule {

  /** Made by the module loader. */
  public MetricsModule() {}

  @Override
  public Collection<Class<? extends IFloodlightService>> getModuleDependencies() {
    return List.of(
        IRestApiService.class,
        IBalancerService.class,
        IMonitorService.class,
        ILatencyService.class,
        IAgentService.class,
        INetworkRefusalService.class,
        ISwitchCapabilityService.class,
        IShutdownService.class);
  }

  @Override
  public void startUp(FloodlightModuleContext context) {
    IBalancerService balancer = context.getServiceImpl(IBalancerService.class);
    IMonitorService monitor = context.getServiceImpl(IMonitorService.class);
    List<Consumer<Samples>> parts = new ArrayList<>();
    parts.add(new BalancerMetrics(balancer, monitor)::addTo);
    parts.add(
        new NetworkMetrics(
                balancer,
                monitor,
                context.getServiceImpl(ILatencyService.class),
                context.getServiceImpl(IAgentService.class),
                context.getServiceImpl(INetworkRefusalService.class),
                context.getServiceImpl(ISwitchCapabilityService.class))
            ::addTo);
    @Nullable IPeerService peers = context.getServiceImpl(IPeerService.class);
    @Nullable IRelayService relay = context.getServiceImpl(IRelayService.class);
    if (peers != null && relay != null) {
      parts.add(new PeerMetrics(peers, relay)::addTo);
    }
    PrometheusMeterRegistry registry = new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
    JvmGcMetrics collections = new JvmGcMetrics();
    context
        .getServiceImpl(IShutdownService.class)
        .registerShutdownListener(
            () -> {
              collections.close();
              registry.close();
            });
    bind(registry, collections);
    MultiCollector ours = () -> collect(parts);
    registry.getPrometheusRegistry().register(ours);
    context
        .getServiceImpl(IRestApiService.class)
        .addRestletRoutable(new ResourceRoutable("/metrics", Scrape.routes(registry)));
  }

  private static void bind(PrometheusMeterRegistry registry, JvmGcMetrics collections) {
    for (MeterBinder binder :
        List.of(
            collections,
            new JvmMemoryMetrics(),
            new JvmThreadMetrics(),
            new ClassLoaderMetrics(),
            new ProcessorMetrics(),
            new FileDescriptorMetrics(),
            new UptimeMetrics())) {
      binder.bindTo(registry);
    }
  }

  private static MetricSnapshots collect(List<Consumer<Samples>> parts) {
    Samples samples = new Samples();
    parts.forEach(part -> part.accept(samples));
    return samples.all();
  }
}
