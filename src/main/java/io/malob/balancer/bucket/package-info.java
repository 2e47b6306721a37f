/**
 * The buckets of proactive VIPs, as the packets see them that reach the controller: which member a
 * bucket leads to, and which it led to before. May use {@code api} and {@code view}.
 */
@NullMarked
package io.malob.balancer.bucket;

import org.jspecify.annotations.NullMarked;
