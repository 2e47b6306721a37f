/** Estimates from noisy measurements. Pure: the caller passes the time. */
package io.malob.algorithm.estimate;
