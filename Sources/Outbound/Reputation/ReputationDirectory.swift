package import Engine
package import Possession

/// Asks the operators whose prefixes match a number, the longest first. A number may have moved to another operator of
/// its country, so an operator that does not know it is followed by the next.
package struct ReputationDirectory: ReputationSource, SIMSwapSource {
    /// The most operators that are asked about one number.
    static let maxAsked = 4

    private struct Entry: Sendable {
        let `operator`: any ReputationOperator
        let prefixes: [String]
    }

    private let entries: [Entry]
    private let timeout: Duration
    private let instant: @Sendable () -> ContinuousClock.Instant

    /// - Parameters:
    ///   - operators: of two with equally long prefixes, the first is asked first.
    ///   - timeout: longest wait for the answers of all.
    ///   - instant: measures it.
    package init(
        _ operators: [(operator: any ReputationOperator, prefixes: [String])], timeout: Duration,
        instant: @escaping @Sendable () -> ContinuousClock.Instant = { ContinuousClock.now }
    ) {
        entries = operators.map { Entry(operator: $0.operator, prefixes: $0.prefixes) }
        self.timeout = timeout
        self.instant = instant
    }

    package func standing(_ query: ReputationQuery) async throws(ReputationFault) -> Reputation {
        try await firstAnswer(about: query.number) { (one, deadline) async throws(ReputationFault) in
            try await one.standing(query, by: deadline)
        }
    }

    package func simSwap(
        _ question: SIMSwapQuestion, of number: PhoneNumber
    ) async throws(ReputationFault) -> SIMSwapAnswer {
        try await firstAnswer(about: number) { (one, deadline) async throws(ReputationFault) in
            try await one.simSwap(question, of: number, by: deadline)
        }
    }

    private func firstAnswer<Answer: Sendable>(
        about number: PhoneNumber,
        _ ask: (any ReputationOperator, ContinuousClock.Instant) async throws(ReputationFault) -> Answer
    ) async throws(ReputationFault) -> Answer {
        let deadline = instant().advanced(by: timeout)
        var fault = ReputationFault.notCovered
        for entry in candidates(for: number) {
            do throws(ReputationFault) { return try await ask(entry, deadline) } catch {
                switch error {
                case .notCovered: continue
                // Another operator may know the number. If none does, this fault is returned.
                case .resting, .failed: if fault == .notCovered { fault = error }
                case .timeout, .cancelled: throw error
                }
            }
        }
        throw fault
    }

    private func candidates(for number: PhoneNumber) -> [any ReputationOperator] {
        let found = entries.enumerated().compactMap { index, entry -> (length: Int, index: Int)? in
            entry.prefixes.filter { number.e164.utf8.starts(with: $0.utf8) }.map(\.utf8.count).max()
                .map { ($0, index) }
        }
        return found.sorted { ($1.length, $0.index) < ($0.length, $1.index) }.prefix(Self.maxAsked)
            .map { entries[$0.index].operator }
    }
}
