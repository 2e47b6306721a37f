/**
 * REST resources in one style: a {@link io.malob.resource.RouteTable table of routes} has a handler
 * for each method of each path, which converts a call to a reply. Independent of the features;
 * served by the embedded controller's REST server and by Floodlight's.
 */
package io.malob.resource;
