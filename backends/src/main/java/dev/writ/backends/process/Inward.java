// SPDX-License-Identifier: Apache-2.0
package dev.writ.backends.process;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import dev.writ.core.capability.Action;
import dev.writ.core.capability.Host;
import dev.writ.core.capability.Scheme;
import dev.writ.core.policy.Passage;
import dev.writ.kernel.Errno;
import dev.writ.kernel.FileCalls;
import dev.writ.kernel.Listening;
import dev.writ.kernel.Notifications.Notification;
import dev.writ.kernel.Pidfd;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;

/// connect(2) to a port that the session listens on itself: as with a pipe, that is its own matter,
/// unless a rule speaks of it.
///
/// A number says nothing about who listens there: others may share the port, and in a moment it may
/// be somebody else's. So all who listen there have to be known, before and after, and the one that
/// is meant is held meanwhile: as long as it listens, its port is not given away. The connection is
/// made in between, or not at all.
record Inward(Worker worker, Judge judge, Tree tree) {
    private static final int MOST_PROCESSES = 256;
    private static final int MOST_DESCRIPTORS = 1024;
    private static final long MILLISECOND = 1_000_000;

    /// Answers `call` if it is about the session alone: `to` is where it listens, or where only it
    /// might and nobody does.
    boolean connects(Notification call, int socket, Endpoint wanted, int family) {
        var to = wanted.orLoopback();
        if (!to.isThisMachine()
                || (ports().at(to.port(), tree.session).isEmpty()
                        && !new Accepting(judge, tree).isPossible(to))
                || isRuled(to)) {
            return false;
        }
        var handshake = new Handshake(worker);
        long patience = worker.sockets.patienceToSend(socket);
        long began = System.nanoTime();
        while (true) {
            worker.requireWaiting(call);
            var there = listening(to);
            if (!areOwn(there)) {
                return false;
            }
            var own = ports().at(to.port(), tree.session);
            int listener = hold(own, there.orElseThrow(), to);
            if (listener < 0) {
                throw new Failed(Errno.ECONNREFUSED);
            }
            var result = handshake.attempt(socket, to.bytes(family));
            if (!isStillAlone(listener, to, there.orElseThrow())) {
                handshake.undo(socket); // which one it reached, nobody can say
                return false;
            }
            // ORDER: before the program goes on, which may close it and listen there anew.
            worker.release(listener);
            if (result.isPresent()) {
                worker.answer(call, result.getAsInt());
                return true;
            }
            if (!worker.patient) {
                throw new NotNow();
            }
            // More wait to be accepted than the session wants to have waiting.
            if (!handshake.isWaitedFor(socket) || !isInTime(began, patience)) {
                throw new Failed(Errno.ECONNREFUSED);
            }
            worker.requireUndisturbed(call);
        }
    }

    private static boolean isInTime(long began, long patience) {
        return patience == 0 || System.nanoTime() - began < patience * MILLISECOND;
    }

    /// Whether `listener`, which is held, still listens at `to`, and nobody but the session does:
    /// who shuts it down gives its port away. Who was of the session at the first look stays so,
    /// even if all that it had to do was to accept, and it has ended.
    private boolean isStillAlone(int listener, Endpoint to, List<Listening> before) {
        var there = listening(to).orElse(List.of());
        long cookie = worker.sockets.cookie(listener);
        return there.stream().anyMatch(l -> l.cookie() == cookie)
                && there.stream().allMatch(l -> before.contains(l) || isOwn(l));
    }

    private OwnPorts ports() {
        return tree.sockets.ports;
    }

    /// Whether a rule says what may happen there.
    private boolean isRuled(Endpoint to) {
        var host = new Host.Literal(to.ip());
        return !judge.isUnmatched(new Action.Connect(Scheme.TCP, host, to.port()))
                || judge.passage(host, to.port()) != Passage.CLOSED;
    }

    private Optional<List<Listening>> listening(Endpoint at) {
        return Listening.at(worker.kernel, worker.sockets, at.port());
    }

    private boolean areOwn(Optional<List<Listening>> listening) {
        return listening.filter(all -> all.stream().allMatch(this::isOwn)).isPresent();
    }

    private boolean isOwn(Listening listener) {
        return ports().contains(listener.cookie(), tree.session);
    }

    /// A handle on the one of `own` that a connection to `to` reaches.
    private int hold(List<OwnPorts.Listener> own, List<Listening> listening, Endpoint to) {
        for (var listener : own) {
            for (var there : listening) {
                int handle = there.cookie() == listener.cookie() ? handle(listener, there) : -1;
                if (handle >= 0 && isAt(worker.keep(handle), to)) {
                    return handle;
                }
            }
        }
        return -1;
    }

    private int handle(OwnPorts.Listener listener, Listening there) {
        int known = copy(listener);
        if (known >= 0) {
            return known;
        }
        var found = search(listener, there.inode());
        found.ifPresent(ports()::put);
        return found.map(this::copy).orElse(-1);
    }

    /// A copy of the socket, if it is where it was last.
    private int copy(OwnPorts.Listener listener) {
        if (!listener.maker().members.contains(listener.process())) {
            return -1;
        }
        int copy = Pidfd.descriptor(worker.kernel, listener.process(), listener.descriptor());
        if (copy >= 0 && worker.sockets.cookie(copy) != listener.cookie()) {
            worker.files.close(copy);
            return -1;
        }
        return copy;
    }

    /// Who has the socket now: those who began to listen may have left it to others.
    private Optional<OwnPorts.Listener> search(OwnPorts.Listener listener, long inode) {
        byte[] socket = Walker.bytes("socket:[" + inode + "]");
        var processes = new HashSet<Integer>();
        for (int task : listener.maker().members) {
            int process = Tasks.process(worker, task);
            if (process > 0 && processes.size() < MOST_PROCESSES && processes.add(process)) {
                int descriptor = search(process, socket);
                if (descriptor >= 0) {
                    return Optional.of(listener.heldBy(process, descriptor));
                }
            }
        }
        return Optional.empty();
    }

    private int search(int process, byte[] socket) {
        var files = worker.files;
        byte[] name = Walker.bytes("/proc/" + process + "/fd");
        int folder = files.open(FileCalls.AT_FDCWD, name, FileCalls.O_DIRECTORY, 0);
        if (folder < 0) {
            return -1;
        }
        int looks = 0;
        for (var names = files.names(folder);
                !names.isEmpty() && looks < MOST_DESCRIPTORS;
                names = files.names(folder)) {
            for (byte[] number : names) {
                if (Arrays.equals(files.readLink(folder, number), socket)) {
                    files.close(folder);
                    return Places.number(new String(number, ISO_8859_1));
                }
            }
            looks += names.size();
        }
        files.close(folder);
        return -1;
    }

    /// Whether a connection to `to` reaches `listener`.
    private boolean isAt(int listener, Endpoint to) {
        var at = Endpoint.of(worker.sockets.name(listener));
        boolean both = at.ip().isV6() && !worker.sockets.isV6Only(listener);
        return at.port() == to.port()
                && (at.ip().equals(to.ip())
                        || (at.isWildcard() && (both || at.ip().isV6() == to.ip().isV6())));
    }
}
