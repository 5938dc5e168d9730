internal import CoreMetrics
internal import Observation
internal import Outbound
internal import Engine
internal import Possession
internal import Text

/// Counts calls to one mobile operator by outcome, and shows whether its circuit breaker is open (OPS-06).
struct CountedOperator: BreakableOperator {
    static let families = [
        MetricsRegistry.Family("holdfast_operator_calls_total", help: "Questions to mobile operators, by outcome.")
    ]

    private let base: any BreakableOperator
    private let counters: CallCounters

    init(_ base: any BreakableOperator, _ registry: MetricsRegistry) {
        self.base = base
        counters = CallCounters(
            registry, "holdfast_operator_calls_total",
            ["answered", "not_on_network", "timeout", "failed", "circuit_open"],
            [("operator", base.name)])
        registry.collect { text in
            text.gauge(
                "holdfast_operator_circuit_open", "1 while an operator is left alone after failures.",
                base.isAvailable ? 0 : 1, labels: MetricsText.labels([("operator", base.name)]))
        }
    }

    var name: String { base.name }
    var isAvailable: Bool { base.isAvailable }

    func authorizeURL(_ request: OperatorRequest) -> String? { base.authorizeURL(request) }

    func identify(_ grant: OperatorGrant, claimed: PhoneNumber?) async throws(OperatorFault) -> OperatorAnswer {
        do throws(OperatorFault) {
            let answer = try await base.identify(grant, claimed: claimed)
            counters.count("answered")
            return answer
        } catch {
            switch error {
            case .notOnNetwork: counters.count("not_on_network")
            case .timeout: counters.count("timeout")
            case .circuitOpen: counters.count("circuit_open")
            case .failed: counters.count("failed")
            }
            throw error
        }
    }
}

/// Counts calls to the operator's service that finds people by outcome, and shows whether its circuit breaker is open
/// (OPS-06).
struct CountedPersonLookup: PersonFinder {
    static let families = [
        MetricsRegistry.Family(
            "holdfast_person_lookups_total", help: "Questions to the service that finds people, by outcome.")
    ]

    private let base: PersonLookup
    private let counters: CallCounters

    init(_ base: PersonLookup, _ registry: MetricsRegistry) {
        self.base = base
        counters = CallCounters(registry, "holdfast_person_lookups_total", ["found", "unknown", "unavailable"], [])
        registry.collect { text in
            text.gauge(
                "holdfast_person_lookup_circuit_open", "1 while the service that finds people is left alone.",
                base.isAvailable ? 0 : 1)
        }
    }

    func person(
        _ identification: Identification, for client: ClientID
    ) async throws(IdentityFault) -> FoundPerson? {
        do throws(IdentityFault) {
            let person = try await base.person(identification, for: client)
            counters.count(person == nil ? "unknown" : "found")
            return person
        } catch {
            counters.count("unavailable")
            throw error
        }
    }
}

/// Counts calls to the operator's identity service by outcome, and shows whether its circuit breaker is open (OPS-06).
struct CountedIdentityService: IdentitySource {
    static let families = [
        MetricsRegistry.Family("holdfast_identity_calls_total", help: "Questions to the identity service, by outcome.")
    ]

    private let base: IdentityService
    private let counters: CallCounters

    init(_ base: IdentityService, _ registry: MetricsRegistry) {
        self.base = base
        counters = CallCounters(registry, "holdfast_identity_calls_total", ["found", "unknown", "unavailable"], [])
        registry.collect { text in
            text.gauge(
                "holdfast_identity_circuit_open", "1 while the identity service is left alone after failures.",
                base.isAvailable ? 0 : 1)
        }
    }

    func person(_ number: PhoneNumber) async throws(IdentityFault) -> Person? {
        do throws(IdentityFault) {
            let person = try await base.person(number)
            counters.count(person == nil ? "unknown" : "found")
            return person
        } catch {
            counters.count("unavailable")
            throw error
        }
    }
}

/// One counter for each outcome, made at the start.
struct CallCounters: Sendable {
    private let counters: [String: any CounterHandler]

    init(_ registry: MetricsRegistry, _ name: String, _ outcomes: [String], _ labels: [(String, String)]) {
        counters = Dictionary(
            uniqueKeysWithValues: outcomes.map {
                ($0, registry.makeCounter(label: name, dimensions: labels + [("outcome", $0)]))
            })
    }

    func count(_ outcome: String) { counters[outcome]?.increment(by: 1) }
}
