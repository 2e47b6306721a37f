/** Common code of the modules of the controller and of its features. */
package io.malob.module;
