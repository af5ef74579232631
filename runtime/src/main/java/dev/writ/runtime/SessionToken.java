// SPDX-License-Identifier: Apache-2.0
package dev.writ.runtime;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.writ.core.audit.AuditEvent;
import dev.writ.core.audit.SessionId;
import dev.writ.core.policy.Policy;
import dev.writ.runtime.policy.TokenBounds;
import dev.writ.trust.token.Possession;
import dev.writ.trust.token.Token;
import dev.writ.trust.token.TokenException;
import dev.writ.trust.token.TokenVerifier;
import dev.writ.trust.token.Use;
import dev.writ.trust.token.Verification;
import dev.writ.trust.token.VerifiedToken;
import java.security.SecureRandom;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/// The token that a session is opened with: it is good, its holder has shown that it is theirs, and
/// from then on it belongs to this session. What it permits is part of the session's policy.
public final class SessionToken {
    private final VerifiedToken token;
    private final SessionId session;
    private final Policy policy;
    private final InstantSource clock;

    private SessionToken(
            VerifiedToken token, SessionId session, Policy policy, InstantSource clock) {
        this.token = token;
        this.session = session;
        this.policy = policy;
        this.clock = clock;
    }

    /// Whoever has the key of a token's holder.
    public interface Holder {
        /// See [Possession].
        byte[] prove(Token token, byte[] nonce, byte[] channel);
    }

    /// Takes a token for a session that is to be opened.
    ///
    /// @param policy the operator's, which holds as well
    /// @throws TokenException if it is good for nothing, or not the holder's
    public static SessionToken present(
            Token token,
            Holder holder,
            TokenVerifier verifier,
            SessionId session,
            Policy policy,
            InstantSource clock) {
        var use = Use.at(clock.instant()).in(session.value());
        var verified =
                switch (verifier.verify(token, use)) {
                    case Verification.Good(var good) -> good;
                    case Verification.Refused(var reason) -> throw new TokenException(reason);
                };
        if (verified.single().isPresent()) {
            throw new TokenException("the token is for one use, not for a session");
        }
        byte[] nonce = new byte[Possession.NONCE_LENGTH];
        new SecureRandom().nextBytes(nonce);
        byte[] channel = session.value().getBytes(UTF_8);
        if (!Possession.isProven(verified, nonce, channel, holder.prove(token, nonce, channel))) {
            throw new TokenException(
                    "the token was given to "
                            + verified.grants().getLast().who()
                            + ", and this is another key");
        }
        return new SessionToken(verified, session, TokenBounds.narrow(policy, verified), clock);
    }

    public SessionId session() {
        return session;
    }

    /// What the operator's policy and every block of the token permit.
    public Policy policy() {
        return policy;
    }

    /// Why it holds no more; empty if it does.
    Optional<String> ended() {
        return token.ended(Use.at(clock.instant()).in(session.value()));
    }

    /// For the record: every block, and who holds it.
    List<AuditEvent> used(Instant at) {
        var events = new ArrayList<AuditEvent>();
        for (int i = 0; i < token.ids().size(); i++) {
            var holder = token.grants().get(i).holder();
            events.add(
                    new AuditEvent.TokenUsed(at, session, token.ids().get(i), holder.toString()));
        }
        return events;
    }

    /// For the record: from now on it holds no more.
    AuditEvent revoked(String why) {
        return new AuditEvent.TokenRevoked(clock.instant(), session, token.ids().getLast(), why);
    }
}
