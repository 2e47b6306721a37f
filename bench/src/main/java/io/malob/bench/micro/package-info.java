/**
 * Micro-benchmarks of single steps of the controller, by JMH. They run in one thread; each reports
 * the mean time of one call.
 */
@NullMarked
package io.malob.bench.micro;

import org.jspecify.annotations.NullMarked;
