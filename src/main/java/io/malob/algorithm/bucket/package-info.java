/** Which member each bucket of a client switch leads to, for proactive placement. */
package io.malob.algorithm.bucket;
