internal import Synchronization

/// Counts the outcomes of TLS connections.
package final class TLSFigures: Sendable {
    package enum Outcome: String, Sendable, CaseIterable {
        /// A handshake with a signature.
        case full
        /// A resumed handshake of a returning client: without a signature.
        case resumed
        /// The handshake failed: another version, no common cipher, a certificate that was not accepted.
        case failed
        /// The peer disconnected during the handshake, or the time for it ran out.
        case gone
        /// The peer did not speak TLS.
        case noTLS = "no_tls"
        /// After the handshake, a record was damaged, or the connection ended without TLS's own end.
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
