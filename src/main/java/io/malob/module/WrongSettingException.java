package io.malob.module;

import java.util.Collection;
import net.floodlightcontroller.core.module.FloodlightModuleException;

/** A setting is misspelled, or has an invalid value. The message is for users. */
public final class WrongSettingException extends FloodlightModuleException {
  private static final long serialVersionUID = 1L;

  /** An invalid setting. */
  public WrongSettingException(String message) {
    super(message);
  }

  /** The same with its cause. */
  public WrongSettingException(String message, Throwable cause) {
    super(message, cause);
  }

  /** An unknown setting. */
  public static WrongSettingException unknown(String name, Collection<String> known) {
    return new WrongSettingException(
        "There is no setting "
            + name
            + NearestName.of(name, known).map(near -> "; did you mean " + near + "?").orElse(""));
  }
}
