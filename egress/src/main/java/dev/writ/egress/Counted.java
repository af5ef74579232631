// SPDX-License-Identifier: Apache-2.0
package dev.writ.egress;

/// What knows how much went to a server and came back.
interface Counted {
    long up();

    long down();
}
