internal import Observation
internal import Outbound
internal import Engine
internal import Possession

/// Counts reputation checks of numbers by outcome, and shows whether the circuit breaker of each source is open
/// (OPS-06). The operator's own service has the name `service`.
struct CountedReputation: ReputationOperator, ReputationSource {
    static let families = [
        MetricsRegistry.Family(
            "holdfast_reputation_calls_total", help: "Questions for the standing of numbers, by outcome.")
    ]

    /// A reputation check of a number, by an operator or the own service.
    private typealias Ask =
        @Sendable (ReputationQuery, ContinuousClock.Instant?) async throws(ReputationFault) -> Reputation

    /// A check of a number's SIM, by an operator.
    private typealias AskOfSIM =
        @Sendable (SIMSwapQuestion, PhoneNumber, ContinuousClock.Instant) async throws(ReputationFault) -> SIMSwapAnswer

    let name: String
    private let ask: Ask
    private let askOfSIM: AskOfSIM
    private let isBaseAvailable: @Sendable () -> Bool
    private let counters: CallCounters

    init(_ base: any ReputationOperator, _ registry: MetricsRegistry) {
        self.init(
            base.name, registry, isAvailable: { base.isAvailable },
            { (query, deadline) throws(ReputationFault) in
                try await base.standing(query, by: deadline ?? .now)
            },
            ofSIM: { (question, number, deadline) throws(ReputationFault) in
                try await base.simSwap(question, of: number, by: deadline)
            })
    }

    init(_ base: ReputationService, _ registry: MetricsRegistry) {
        self.init(
            "service", registry, isAvailable: { base.isAvailable },
            { (query, _) throws(ReputationFault) in try await base.standing(query) },
            ofSIM: { (_, _, _) throws(ReputationFault) in throw .notCovered })
    }

    private init(
        _ name: String, _ registry: MetricsRegistry, isAvailable: @escaping @Sendable () -> Bool, _ ask: @escaping Ask,
        ofSIM askOfSIM: @escaping AskOfSIM
    ) {
        self.name = name
        self.ask = ask
        self.askOfSIM = askOfSIM
        isBaseAvailable = isAvailable
        counters = CallCounters(
            registry, "holdfast_reputation_calls_total",
            ["passed", "bad", "not_covered", "timeout", "resting", "failed", "cancelled"], [("operator", name)])
        registry.collect { text in
            text.gauge(
                "holdfast_reputation_circuit_open", "1 while a source of standings is left alone.",
                isAvailable() ? 0 : 1, labels: MetricsText.labels([("operator", name)]))
        }
    }

    var isAvailable: Bool { isBaseAvailable() }

    func standing(_ query: ReputationQuery) async throws(ReputationFault) -> Reputation {
        try await counted(isBad: { !$0.passes }) { () async throws(ReputationFault) in try await ask(query, nil) }
    }

    func standing(
        _ query: ReputationQuery, by deadline: ContinuousClock.Instant
    ) async throws(ReputationFault) -> Reputation {
        try await counted(isBad: { !$0.passes }) { () async throws(ReputationFault) in try await ask(query, deadline) }
    }

    func simSwap(
        _ question: SIMSwapQuestion, of number: PhoneNumber, by deadline: ContinuousClock.Instant
    ) async throws(ReputationFault) -> SIMSwapAnswer {
        try await counted(isBad: { $0 == .swapped(true) }) { () async throws(ReputationFault) in
            try await askOfSIM(question, number, deadline)
        }
    }

    private func counted<Answer: Sendable>(
        isBad: (Answer) -> Bool, _ ask: () async throws(ReputationFault) -> Answer
    ) async throws(ReputationFault) -> Answer {
        do throws(ReputationFault) {
            let answer = try await ask()
            counters.count(isBad(answer) ? "bad" : "passed")
            return answer
        } catch {
            counters.count(error.word)
            throw error
        }
    }
}
