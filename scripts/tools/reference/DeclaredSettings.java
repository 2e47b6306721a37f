import io.malob.module.BaseModule;
import io.malob.module.Setting;
import java.util.Comparator;
import java.util.ServiceLoader;
import net.floodlightcontroller.core.module.IFloodlightModule;

/** Prints the settings that modules declare, a line each (called by settings.py). */
public final class DeclaredSettings {
  private DeclaredSettings() {}

  public static void main(String[] arguments) {
    ServiceLoader.load(IFloodlightModule.class).stream()
        .map(ServiceLoader.Provider::get)
        .map(BaseModule.class::cast)
        .sorted(Comparator.comparing(module -> module.getClass().getName()))
        .forEach(DeclaredSettings::print);
  }

  private static void print(BaseModule module) {
    for (Setting<?> setting : module.settings()) {
      String name = module.getClass().getName();
      System.out.println(
          String.join(
              "\t",
              name,
              setting.name(),
              setting.defaultText(),
              setting.expected(),
              setting.sentence(),
              setting.deprecated().orElse("")));
    }
  }
}
