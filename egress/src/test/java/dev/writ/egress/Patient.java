// SPDX-License-Identifier: Apache-2.0
package dev.writ.egress;

import dev.writ.core.broker.Approver;
import dev.writ.core.broker.Request;
import dev.writ.core.policy.Rule;
import java.util.concurrent.CountDownLatch;

/// An operator who leaves every question open until the end.
final class Patient implements Approver {
    private final CountDownLatch end = new CountDownLatch(1);

    @Override
    public Answer ask(Request request, Rule rule) {
        try {
            end.await();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        return new Answer.NotAsked("test");
    }

    void end() {
        end.countDown();
    }
}
