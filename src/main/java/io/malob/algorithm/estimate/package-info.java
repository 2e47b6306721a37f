/** Estimates from measurements that are disturbed. Pure: the caller says what time it is. */
package io.malob.algorithm.estimate;
