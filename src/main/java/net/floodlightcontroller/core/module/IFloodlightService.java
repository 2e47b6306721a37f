package net.floodlightcontroller.core.module;

/** Marks an interface as a service that one module offers to others. */
public interface IFloodlightService {}
