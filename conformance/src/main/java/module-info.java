// SPDX-License-Identifier: Apache-2.0

/// The attacks: containment cases as data, their runner, and what is behind `writ probe`.
module dev.writ.conformance {
    requires dev.writ.runtime;
    requires org.snakeyaml.engine;
    requires static transitive org.jspecify;

    exports dev.writ.conformance;
    exports dev.writ.conformance.harness;

    uses dev.writ.conformance.harness.Harness;
}
