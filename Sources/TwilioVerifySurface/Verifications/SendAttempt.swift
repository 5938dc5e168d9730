internal import Possession

/// A message of a verification that no carrier refused.
struct SendAttempt: Sendable {
    /// The UUID version in every session's id.
    private static let version: UInt8 = 0x70

    let sid: SID
    let time: Timestamp
    let channel: VerificationChannel

    /// The attempts of a session from its timeline, oldest first.
    static func all(of session: Session, _ events: [SessionEvent]) -> [SendAttempt] {
        var attempts: [SendAttempt] = []
        let first = session.request.policy.channels.first ?? .sms
        for event in events {
            switch event.kind {
            case .otpSent:
                let channel = event.channel.map { VerificationChannel($0) }
                attempts.append(
                    SendAttempt(
                        sid: sid(of: session.correlationID, ordinal: attempts.count + 1), time: event.at,
                        channel: channel ?? attempts.last?.channel ?? VerificationChannel(first)))
            case .otpSendFailed: _ = attempts.popLast()
            default: break
            }
        }
        return attempts
    }

    /// The SID of an attempt: the verification's digits, with the attempt's number instead of the UUID version.
    private static func sid(of session: CorrelationID, ordinal: Int) -> SID {
        var bytes = session.bytes
        bytes[6] = bytes[6] & 0x0F | UInt8(truncatingIfNeeded: ordinal & 0xF) << 4
        return SID(.attempt, bytes)
    }

    /// The number of an attempt in its verification, counted from 1.
    static func ordinal(of sid: SID) -> Int { Int(sid.bytes[6] >> 4) }

    /// A SID that sorts after all attempts of a verification in a newest-first list.
    static func end(of session: CorrelationID) -> SID { sid(of: session, ordinal: 0) }

    /// The verification of an attempt.
    static func session(of sid: SID) -> CorrelationID {
        var bytes = sid.bytes
        bytes[6] = bytes[6] & 0x0F | version
        return CorrelationID(bytes: bytes)
    }
}
