package io.malob.module;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.util.Collection;
import java.util.List;
import java.util.Set;
import net.floodlightcontroller.core.module.FloodlightModuleContext;
import net.floodlightcontroller.core.module.FloodlightModuleException;
import net.floodlightcontroller.core.module.IFloodlightService;
import org.junit.jupiter.api.Test;

/** What modules inherit. */
class BaseModuleTest {
  interface Counting extends IFloodlightService {}

  interface Naming extends IFloodlightService {}

  /** A module with two services, an interface that is none, and one setting. */
  private static final class Provider extends BaseModule
      implements Counting, Naming, Comparable<Provider> {
    private static final Setting<Integer> LIMIT = Setting.number("limit", 3, 1, 9);
    private int limit;

    @Override
    public List<Setting<?>> settings() {
      return List.of(LIMIT);
    }

    @Override
    public Collection<Class<? extends IFloodlightService>> getModuleDependencies() {
      return List.of();
    }

    @Override
    protected void init(FloodlightModuleContext context, SettingReader settings)
        throws FloodlightModuleException {
      limit = settings.get(LIMIT);
    }

    @Override
    public void startUp(FloodlightModuleContext context) {}

    @Override
    public int compareTo(Provider other) {
      return 0;
    }
  }

  private final Provider module = new Provider();
  private final FloodlightModuleContext context = new FloodlightModuleContext();

  @Test
  void services_areTheServiceInterfacesOfTheClass() {
    assertEquals(Set.of(Counting.class, Naming.class), Set.copyOf(module.getModuleServices()));
    assertSame(module, module.getServiceImpls().get(Counting.class));
    assertSame(module, module.getServiceImpls().get(Naming.class));
  }

  @Test
  void init_givesTheSettings() throws FloodlightModuleException {
    context.addConfigParam(module, "limit", "7");
    module.init(context);
    assertEquals(7, module.limit);
  }

  @Test
  void init_refusesAnUnknownSetting() {
    context.addConfigParam(module, "limits", "7");
    assertThrows(WrongSettingException.class, () -> module.init(context));
    assertEquals(0, module.limit);
  }
}
