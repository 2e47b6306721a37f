package io.malob.state.catalog;

/** The VIPs, pools, members and services that operators have set up. */
public final class Catalog {}
