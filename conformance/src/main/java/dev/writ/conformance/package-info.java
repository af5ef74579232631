// SPDX-License-Identifier: Apache-2.0
/// What `writ probe` calls. Everything else of the module is behind it.
@NullMarked
package dev.writ.conformance;

import org.jspecify.annotations.NullMarked;
