package io.malob.module;

import java.util.Collection;
import net.floodlightcontroller.core.module.FloodlightModuleException;

/** A setting is misspelled, or has a value that it cannot have. The message is for users. */
public final class WrongSettingException extends FloodlightModuleException {
  private static final long serialVersionUID = 1L;

  /** A setting that cannot be as it is. */
  public WrongSettingException(String message) {
    super(message);
  }

  /** The same with what found it out. */
  public WrongSettingException(String message, Throwable cause) {
    super(message, cause);
  }

  /** A setting of which there is no such name. */
  public static WrongSettingException unknown(String name, Collection<String> known) {
    return new WrongSettingException(
        "There is no setting "
            + name
            + NearestName.of(name, known).map(near -> "; did you mean " + near + "?").orElse(""));
  }
}
