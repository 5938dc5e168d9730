package import Possession

/// A call that may be a repeat, and the rule that decides whether the stored reply answers it.
package struct Retry: Sendable, Equatable {
    package enum Answering: Sendable, Equatable {
        /// The caller has named the call: the reply always answers it. Another body under the same name is an error.
        case named
        /// The name is computed from the body, and the caller says that it is a first call: the reply never answers it.
        case first
        /// The name is computed from the body, and the caller says that it is a repeat: the reply answers it for a
        /// while. After that the same body is a new call.
        case repeated
    }

    /// How long after the first call a repeat gets the stored reply.
    private static let repeatTime = Duration.seconds(120)

    package let key: RetryKey
    package let answering: Answering

    package init(_ key: RetryKey, _ answering: Answering = .named) {
        self.key = key
        self.answering = answering
    }

    /// Whether the call is a repeat.
    func isAnswered(by earlier: KeptReply, at now: Timestamp) -> Bool {
        do throws(AdmissionRefusal) { return try answer(earlier, at: now) != nil } catch { return true }
    }

    /// The stored reply that answers the call; `nil`: the call is new.
    /// - Throws: `.retryKeyReused`.
    func answer(_ earlier: KeptReply?, at now: Timestamp) throws(AdmissionRefusal) -> OperationReply? {
        guard let earlier else { return nil }
        switch answering {
        case .named:
            guard earlier.requestBody == key.body else { throw .retryKeyReused }
            return earlier.reply
        case .first: return nil
        case .repeated: return earlier.at.map { now < $0.adding(Self.repeatTime) } == true ? earlier.reply : nil
        }
    }
}
