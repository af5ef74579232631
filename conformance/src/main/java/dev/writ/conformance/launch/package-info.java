// SPDX-License-Identifier: Apache-2.0
/// How a probe gets into a sandbox: a command line around the probe's own.
@NullMarked
package dev.writ.conformance.launch;

import org.jspecify.annotations.NullMarked;
