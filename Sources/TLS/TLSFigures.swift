internal import Synchronization

/// Counts what became of connections that were to be encrypted.
package final class TLSFigures: Sendable {
    package enum Outcome: String, Sendable, CaseIterable {
        /// A handshake with a signature.
        case full
        /// A handshake of a client that was here before: without a signature.
        case resumed
        /// The two sides did not agree: another version, no common cipher, a certificate that was not accepted.
        case failed
        /// The peer went away before the end of its handshake, or let the time for it pass.
        case gone
        /// The peer did not speak TLS.
        case noTLS = "no_tls"
        /// After the handshake a record was damaged, or the connection ended without the end of TLS.
        case brokenLater = "broken_later"
    }

    private let fullCount = Atomic<Int>(0)
    private let resumedCount = Atomic<Int>(0)
    private let failedCount = Atomic<Int>(0)
    private let goneCount = Atomic<Int>(0)
    private let noTLSCount = Atomic<Int>(0)
    private let brokenLaterCount = Atomic<Int>(0)

    init() {}

    func count(_ outcome: Outcome) {
        switch outcome {
        case .full: fullCount.add(1, ordering: .relaxed)
        case .resumed: resumedCount.add(1, ordering: .relaxed)
        case .failed: failedCount.add(1, ordering: .relaxed)
        case .gone: goneCount.add(1, ordering: .relaxed)
        case .noTLS: noTLSCount.add(1, ordering: .relaxed)
        case .brokenLater: brokenLaterCount.add(1, ordering: .relaxed)
        }
    }

    /// Connections since the start, by outcome.
    package subscript(outcome: Outcome) -> Int {
        switch outcome {
        case .full: fullCount.load(ordering: .relaxed)
        case .resumed: resumedCount.load(ordering: .relaxed)
        case .failed: failedCount.load(ordering: .relaxed)
        case .gone: goneCount.load(ordering: .relaxed)
        case .noTLS: noTLSCount.load(ordering: .relaxed)
        case .brokenLater: brokenLaterCount.load(ordering: .relaxed)
        }
    }
}
