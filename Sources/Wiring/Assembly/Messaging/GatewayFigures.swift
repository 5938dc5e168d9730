internal import Locks
internal import Logging
internal import Observation
internal import Outbound
internal import Engine
internal import Possession

/// Counts the results of messages by gateway, and logs what gateways refuse (OPS-06).
///
/// A series appears with its first message. There is one for each gateway and country in use.
final class GatewayFigures: Sendable {
    private static let calls = (
        name: "holdfast_gateway_calls_total", help: "Messages handed to gateways, by outcome."
    )
    private static let time = (
        name: "holdfast_gateway_call_seconds_total", help: "Time spent in calls of gateways, in seconds."
    )
    private static let receipts = (
        name: "holdfast_message_receipts_total", help: "Receipts of messages, by what they say."
    )
    private static let refusedReceipts = (
        name: "holdfast_message_receipts_refused_total",
        help: "Receipts that were not taken, by gateway: the signature is wrong, or it cannot be read."
    )
    private static let overdue = (
        name: "holdfast_message_receipts_overdue_total",
        help: "Messages of which no receipt came in their gateway's time (receipt.withinSeconds)."
    )
    private static let sentAgain = (
        name: "holdfast_messages_sent_again_total",
        help: "Messages that were promised to the next route, by the gateway that did not deliver them."
    )
    private static let converted = (
        name: "holdfast_gateway_messages_converted_total",
        help: "Messages whose code passed or whose link was approved, by the gateway that took them."
    )

    private struct Call: Hashable {
        let gateway: String
        let channel: String
        let country: String
        let outcome: String
    }

    private struct Place: Hashable {
        let gateway: String
        let country: String
        let outcome: String
    }

    private struct Counts {
        var calls: [Call: Int] = [:]
        /// Seconds, by gateway.
        var time: [String: Double] = [:]
        var receipts: [Place: Int] = [:]
        /// Counts by gateway and reason.
        var refusedReceipts: [String: [String: Int]] = [:]
        var overdue: [Place: Int] = [:]
        var sentAgain: [Place: Int] = [:]
        var converted: [Place: Int] = [:]
    }

    private let counts = Locked(Counts())
    private let logger: Logger
    private let country: @Sendable (PhoneNumber) -> String?
    private let routed = Locked<RoutedGateway?>(nil)

    /// - Parameter country: as in `NumberDirectory.country`.
    init(
        _ registry: MetricsRegistry, _ logger: Logger, country: @escaping @Sendable (PhoneNumber) -> String?
    ) {
        self.logger = logger
        self.country = country
        registry.collect { [counts] text in
            GatewayFigures.write(counts.withLock { $0 }, &text)
        }
    }

    /// Shows the circuits of the gateways.
    /// - Parameter sends: the number of sends that run in the background.
    func watch(_ routed: RoutedGateway, _ registry: MetricsRegistry, sends: @escaping @Sendable () -> Int) {
        self.routed.withLock { $0 = routed }
        registry.collect { text in
            text.gauge("holdfast_sends_under_way", "Messages that a carrier is being given.", Double(sends()))
            for circuit in routed.circuits {
                let labels = MetricsText.labels([("gateway", circuit.name)])
                text.gauge(
                    "holdfast_gateway_circuit_open",
                    "1 from the failures for which a gateway is left alone until it answers.",
                    circuit.isOpen ? 1 : 0, labels: labels)
            }
        }
    }

    func note(_ attempt: RoutedGateway.Try) {
        let outcome = attempt.outcome.label
        counts.withLock { counts in
            let call = Call(
                gateway: attempt.gateway, channel: attempt.channel.rawValue, country: attempt.country ?? "none",
                outcome: outcome)
            counts.calls[call, default: 0] += 1
            counts.time[attempt.gateway, default: 0] += attempt.duration.inSeconds
        }
        guard case .failed(let kind) = attempt.outcome else { return }
        var metadata: Logger.Metadata = [
            "correlationId": .string(attempt.session.text), "gateway": .string(attempt.gateway),
            "kind": .string(kind.rawValue), "country": .string(attempt.country ?? "none"),
            "reason": .string(attempt.reason ?? ""),
        ]
        if let code = attempt.code { metadata["code"] = .string(code) }
        switch kind {
        case .account:
            logger.error("a gateway refuses our account: check its credentials, balance and quota", metadata: metadata)
        case .ours: logger.error("a gateway refuses our request: check its settings and texts", metadata: metadata)
        case .busy, .unsure, .route: logger.warning("a gateway did not take a message", metadata: metadata)
        case .number, .refused: logger.info("a gateway refuses a number", metadata: metadata)
        }
    }

    /// - Parameter gateway: must be in the configuration; the address of the receipt has been verified.
    func noteRefusedReceipt(_ gateway: String, _ reason: String) {
        counts.withLock { $0.refusedReceipts[gateway, default: [:]][reason, default: 0] += 1 }
    }

    func note(_ news: EngineNews) {
        switch news {
        case .receipt(let end, let gateway, let country):
            let place = Place(gateway: gateway, country: country ?? "none", outcome: end.rawValue)
            counts.withLock { $0.receipts[place, default: 0] += 1 }
        case .change(let change):
            guard change.events.contains(where: { $0.kind == .otpPassed || $0.kind == .linkApproved }),
                let gateway = routed.withLock({ $0 })?.lastGateway(of: change.correlationID)
            else { return }
            let place = Place(gateway: gateway, country: change.number.flatMap(country) ?? "none", outcome: "")
            counts.withLock { $0.converted[place, default: 0] += 1 }
        case .receiptOverdue(let gateway, let country, let session):
            let place = Place(gateway: gateway, country: country ?? "none", outcome: "")
            counts.withLock { $0.overdue[place, default: 0] += 1 }
            logger.warning(
                "a gateway took a message and has said nothing of it in its time",
                metadata: [
                    "correlationId": .string(session.text), "gateway": .string(gateway),
                    "country": .string(country ?? "none"),
                ])
        case .sentAgain(let gateway, let country):
            let place = Place(gateway: gateway, country: country ?? "none", outcome: "")
            counts.withLock { $0.sentAgain[place, default: 0] += 1 }
        case .message, .placeClosed, .placeOpened, .budget, .messageWithoutAddress, .testNumber: break
        }
    }

    private static func write(_ counts: Counts, _ text: inout MetricsText) {
        for (call, count) in counts.calls.sorted(by: {
            ($0.key.gateway, $0.key.country) < ($1.key.gateway, $1.key.country)
        }) {
            text.counter(
                calls.name, calls.help, Double(count),
                labels: MetricsText.labels([
                    ("gateway", call.gateway), ("channel", call.channel), ("country", call.country),
                    ("outcome", call.outcome),
                ]))
        }
        for (gateway, seconds) in counts.time.sorted(by: { $0.key < $1.key }) {
            text.counter(
                time.name, time.help, seconds, labels: MetricsText.labels([("gateway", gateway)]))
        }
        for (place, count) in counts.receipts.sorted(by: {
            ($0.key.gateway, $0.key.country) < ($1.key.gateway, $1.key.country)
        }) {
            text.counter(
                receipts.name, receipts.help, Double(count),
                labels: MetricsText.labels([
                    ("gateway", place.gateway), ("country", place.country), ("outcome", place.outcome),
                ]))
        }
        for (gateway, reasons) in counts.refusedReceipts.sorted(by: { $0.key < $1.key }) {
            for (reason, count) in reasons.sorted(by: { $0.key < $1.key }) {
                text.counter(
                    refusedReceipts.name, refusedReceipts.help, Double(count),
                    labels: MetricsText.labels([("gateway", gateway), ("reason", reason)]))
            }
        }
        for (family, places) in [
            (overdue, counts.overdue), (sentAgain, counts.sentAgain), (converted, counts.converted),
        ] {
            for (place, count) in places.sorted(by: {
                ($0.key.gateway, $0.key.country) < ($1.key.gateway, $1.key.country)
            }) {
                text.counter(
                    family.name, family.help, Double(count),
                    labels: MetricsText.labels([("gateway", place.gateway), ("country", place.country)]))
            }
        }
    }
}

extension Duration {
    fileprivate var inSeconds: Double { Double(components.seconds) + Double(components.attoseconds) / 1e18 }
}
