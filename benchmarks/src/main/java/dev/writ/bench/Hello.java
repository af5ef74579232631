// SPDX-License-Identifier: Apache-2.0
package dev.writ.bench;

/// The least that a JVM can do. [RunBench] compares the start of Writ with it.
final class Hello {
    private Hello() {}

    public static void main(String[] words) {
        System.out.println("hello");
    }
}
