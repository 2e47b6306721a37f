package net.floodlightcontroller.core;

/** Data that the listeners of one message share; none of ours does. */
public class FloodlightContext {}
