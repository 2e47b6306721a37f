package io.malob.module;

/**
 * A listener of packet-ins that also gets those of switches of which this controller is a slave, to
 * know links and hosts when it becomes master. It must not send anything to such a switch. All
 * other listeners get packet-ins of a switch only from its master. Real Floodlight does not know
 * this interface.
 */
public interface StandbyListener {}
