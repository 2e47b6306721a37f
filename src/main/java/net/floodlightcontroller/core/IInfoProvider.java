package net.floodlightcontroller.core;

import java.util.Map;

/** A source of facts about the controller. */
public interface IInfoProvider {
  /** The facts under this name; null or empty if there are none. */
  Map<String, Object> getInfo(String name);
}
