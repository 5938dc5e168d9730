internal import CoreMetrics
package import Engine
package import Possession

/// Results of sessions and messages, counted by bounded labels (OPS-06).
///
/// All counters exist from the start, so that counting is one atomic addition: loops share no lock. Series by country
/// are written only once they are above 0.
package final class SessionFigures: Sendable {
    package static let families = [
        MetricsRegistry.Family("holdfast_sessions_started_total", help: "Sessions, by product and possession type."),
        MetricsRegistry.Family(
            "holdfast_sessions_ended_total", help: "Ends of sessions that were reported to a caller."),
        MetricsRegistry.Family("holdfast_numbers_proven_total", help: "Proven numbers, by what proved them."),
        MetricsRegistry.Family("holdfast_codes_refused_total", help: "Codes that were wrong or late."),
        MetricsRegistry.Family(
            "holdfast_test_numbers_used_total", help: "Uses of test numbers: codes asked for, and codes that passed."),
    ]

    private struct Start: Hashable {
        let product: ProductName
        let flow: SessionRequest.Flow
    }

    private struct End: Hashable {
        let outcome: Session.Outcome
        let flow: SessionRequest.Flow
    }

    private let started: [Start: any CounterHandler]
    private let ended: [End: any CounterHandler]
    private let proven: [String: any CounterHandler]
    private let testNumbers: [TestNumberUse: any CounterHandler]
    private let wrongCodes: any CounterHandler
    private let lateCodes: any CounterHandler
    private let sent = MessageCounters()
    private let refused = MessageCounters()
    private let converted = MessageCounters()

    /// - Parameter products: those whose sessions are counted by name. A start of another product is not counted by
    ///   name.
    package init(_ registry: MetricsRegistry, products: [ProductName]) {
        var started: [Start: any CounterHandler] = [:]
        var ended: [End: any CounterHandler] = [:]
        for flow in SessionRequest.Flow.allCases {
            let kind = ("possession_type", flow.rawValue)
            for product in products {
                started[Start(product: product, flow: flow)] = registry.makeCounter(
                    label: "holdfast_sessions_started_total", dimensions: [("product", product.text), kind])
            }
            for outcome in Session.Outcome.allCases {
                ended[End(outcome: outcome, flow: flow)] = registry.makeCounter(
                    label: "holdfast_sessions_ended_total", dimensions: [("outcome", outcome.label), kind])
            }
        }
        self.started = started
        self.ended = ended
        proven = Dictionary(
            uniqueKeysWithValues: Session.Proof.Method.allCases.map {
                (
                    $0.rawValue,
                    registry.makeCounter(label: "holdfast_numbers_proven_total", dimensions: [("method", $0.label)])
                )
            })
        testNumbers = Dictionary(
            uniqueKeysWithValues: TestNumberUse.allCases.map {
                (
                    $0,
                    registry.makeCounter(label: "holdfast_test_numbers_used_total", dimensions: [("use", $0.rawValue)])
                )
            })
        wrongCodes = registry.makeCounter(label: "holdfast_codes_refused_total", dimensions: [("reason", "wrong")])
        lateCodes = registry.makeCounter(label: "holdfast_codes_refused_total", dimensions: [("reason", "late")])
        registry.collect { [sent, refused, converted] text in
            let messages = "Messages, by what the carrier said and by calling code."
            sent.collect("holdfast_messages_total", messages, [("outcome", "sent")], &text)
            refused.collect("holdfast_messages_total", messages, [("outcome", "refused")], &text)
            converted.collect(
                "holdfast_messages_converted_total", "Codes that passed and links that were approved, by calling code.",
                [], &text)
        }
    }

    @Sendable package func note(_ news: EngineNews) {
        switch news {
        // E-mails have no calling code: `GatewayFigures` counts them.
        case .message(let kind, let target, let isTaken):
            if let number = target.number { (isTaken ? sent : refused).count(kind, number) }
        // Counted by gateway in `GatewayFigures`, and by API client in `LimitLog`.
        case .receipt, .receiptOverdue, .sentAgain, .placeClosed, .placeOpened, .budget, .messageWithoutAddress: break
        case .testNumber(_, let use, _): testNumbers[use]?.increment(by: 1)
        case .change(let change):
            for event in change.events { note(event, change) }
        }
    }

    private func note(_ event: SessionEvent, _ change: Session.News) {
        switch event.kind {
        case .created: started[Start(product: change.product, flow: change.flow)]?.increment(by: 1)
        case .succeeded:
            end(.succeeded, change)
            if let method = event.detail { proven[method]?.increment(by: 1) }
        case .failed: end(.failed, change)
        case .cancelled: end(.cancelled, change)
        case .expired: end(.expired, change)
        case .possessionRequired: end(.possessionRequired, change)
        case .otpMismatch: wrongCodes.increment(by: 1)
        case .otpExpired: lateCodes.increment(by: 1)
        case .otpPassed: if !change.isOfTestNumber, let number = change.number { converted.count(.code, number) }
        case .linkApproved: if let number = change.number { converted.count(.link, number) }
        default: break
        }
    }

    private func end(_ outcome: Session.Outcome, _ change: Session.News) {
        ended[End(outcome: outcome, flow: change.flow)]?.increment(by: 1)
    }
}

/// Counts of messages by kind and calling code.
private final class MessageCounters: Sendable {
    private let codes = CallingCodes.labels.map { _ in CounterCell() }
    private let links = CallingCodes.labels.map { _ in CounterCell() }

    func count(_ kind: Session.MessageKind, _ number: PhoneNumber) {
        let index = CallingCodes.index(of: number.callingCodeValue)
        switch kind {
        case .code: codes[index].increment(by: 1)
        case .link: links[index].increment(by: 1)
        }
    }

    func collect(_ name: String, _ help: String, _ labels: [(String, String)], _ text: inout MetricsText) {
        for (kind, cells) in [("code", codes), ("link", links)] {
            for (cell, country) in zip(cells, CallingCodes.labels) where cell.value > 0 {
                let labels = MetricsText.labels([("kind", kind), ("country", country)] + labels)
                text.counter(name, help, Double(cell.value), labels: labels)
            }
        }
    }
}

extension Session.Outcome {
    fileprivate var label: String { self == .possessionRequired ? "possession_required" : rawValue }
}

extension Session.Proof.Method {
    fileprivate var label: String {
        switch self {
        case .deviceKey: "device_key"
        case .mobileAuth: "mobile_auth"
        case .otp: "otp"
        case .instantLink: "instant_link"
        case .customer: "customer"
        case .assumed: "sandbox"
        }
    }
}
