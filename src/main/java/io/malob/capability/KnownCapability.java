package io.malob.capability;

/** A capability, and the switch that has it. */
record KnownCapability(SwitchIdentity identity, SwitchCapability capability) {}
