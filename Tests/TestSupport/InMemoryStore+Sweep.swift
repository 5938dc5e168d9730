package import Engine
package import Possession

extension InMemoryStore {
    package func sweep(sessionsBefore: Timestamp, now: Timestamp) async throws(StorageFault) -> Int {
        try withContent { content in
            let old = content.sessions.values.filter { $0.createdAt < sessionsBefore }
            for session in old { content.remove(session) }
            let late = content.sessions.values.filter { session in
                guard case .waiting(let digest, let expiresAt) = session.otp.state else { return false }
                return !digest.bytes.isEmpty && expiresAt <= now
            }
            for session in late { content.sessions[session.correlationID] = session.withoutDigest }
            let ended = content.tallies.filter { $1.end(of: $0, by: Limits.OverSessions()) <= now }
            for key in ended.keys { content.tallies[key] = nil }
            return old.count + late.count + ended.count
        }
    }

    package func sweepUnredeemed(before end: Timestamp, now: Timestamp) async throws(StorageFault) -> Int {
        try withContent { content in
            let found = content.sessions.values.filter {
                $0.createdAt < end && !content.lookedAt.contains($0.correlationID)
            }
            for session in found {
                content.lookedAt.insert(session.correlationID)
                if session.phase == .created, session.readableUntil <= now { content.remove(session) }
            }
            return found.count
        }
    }
}

extension InMemoryStore.Content {
    /// Removes a session with all that hangs on it.
    mutating func remove(_ session: Session) {
        let id = session.correlationID
        sessions[id] = nil
        byAuthID[session.authID] = nil
        byName = byName.mapValues { $0.subtracting([id]) }
        events[id] = nil
        replies = replies.filter { $0.key.session != id }
        messages = messages.filter { $0.value.message.correlationID != id }
        usedProofs[id] = nil
    }
}

extension Session {
    /// No code has the empty digest.
    fileprivate var withoutDigest: Session {
        var state = state
        if let expiresAt = otp.expiresAt {
            state.otp = OTPCheck(
                state: .waiting(OTPDigest([]), expiresAt: expiresAt), codeLength: otp.codeLength,
                attemptsLeft: otp.attemptsLeft)
        }
        return Session(
            correlationID: correlationID, authID: authID, clientID: clientID, createdAt: createdAt,
            expiresAt: expiresAt, request: request, flowDigest: flowDigest, state: state, eventCount: storedEventCount)
    }
}
