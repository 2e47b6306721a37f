/** Access to the controller's ports: tokens, certificates, the limit on failures. */
package io.malob.controller.access;
