/**
 * REST resources in one style: a {@link io.malob.resource.Routes table of routes} has a handler for
 * each method of each path, which makes a reply of a call. Independent of the features that are
 * shown; served by the embedded controller's REST server as by Floodlight's.
 */
package io.malob.resource;
