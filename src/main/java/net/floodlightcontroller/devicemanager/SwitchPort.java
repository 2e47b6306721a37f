package net.floodlightcontroller.devicemanager;

import java.util.Objects;
import net.floodlightcontroller.core.types.NodePortTuple;
import org.projectfloodlight.openflow.types.DatapathId;
import org.projectfloodlight.openflow.types.OFPort;

/** A port where a host is attached, with its error, if any. */
public class SwitchPort extends NodePortTuple {
  private final ErrorStatus errorStatus;

  public SwitchPort(DatapathId nodeId, OFPort portId) {
    this(nodeId, portId, null);
  }

  public SwitchPort(DatapathId nodeId, OFPort portId, ErrorStatus errorStatus) {
    super(nodeId, portId);
    this.errorStatus = errorStatus;
  }

  /** The error of this attachment, or null. */
  public ErrorStatus getErrorStatus() {
    return errorStatus;
  }

  @Override
  public int hashCode() {
    return 31 * super.hashCode() + Objects.hashCode(errorStatus);
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof SwitchPort that
        && super.equals(other)
        && errorStatus == that.errorStatus;
  }

  @Override
  public String toString() {
    return errorStatus == null ? super.toString() : super.toString() + " (" + errorStatus + ")";
  }

  /** The errors of attachments. */
  public enum ErrorStatus {
    DUPLICATE_DEVICE("duplicate-device");

    private final String text;

    ErrorStatus(String text) {
      this.text = text;
    }

    /** The status of that name, or null. */
    public static ErrorStatus fromString(String text) {
      for (ErrorStatus status : values()) {
        if (status.text.equals(text)) {
          return status;
        }
      }
      return null;
    }

    @Override
    public String toString() {
      return text;
    }
  }
}
