/**
 * OpenStack's API for load balancers, Octavia v2, as another form of the catalog: reads show a
 * snapshot, and each write is one edit.
 */
@NullMarked
package io.malob.rest.octavia;

import org.jspecify.annotations.NullMarked;
