/// A call that may have come before, and when the reply that was kept then is its answer.
package struct Retry: Sendable, Equatable {
    package enum Answering: Sendable, Equatable {
        /// The caller has named the call: always. Another body under the same name is an error.
        case named
        /// The name is made of the body, and the caller says that it is a first call: never.
        case first
        /// The name is made of the body, and the caller says that it is a repeated call: for a while. Later the same body is
        /// another call.
        case repeated
    }

    /// So long may a caller wait for an answer, and call again.
    private static let repeatTime = Duration.seconds(120)

    package let key: RetryKey
    package let answering: Answering

    package init(_ key: RetryKey, _ answering: Answering = .named) {
        self.key = key
        self.answering = answering
    }

    /// Whether the call is no new one.
    func isAnswered(by earlier: KeptReply, at now: Timestamp) -> Bool {
        do throws(AdmissionRefusal) { return try answer(earlier, at: now) != nil } catch { return true }
    }

    /// The reply that is the answer; `nil`: the call is a new one.
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
