internal import Locks
package import Possession
internal import StrictJSON
internal import Text

/// The operator's own service, which answers questions over HTTP. Its answers are not stored.
///
///     POST <url>
///     Content-Type: application/json
///     Holdfast-Signature: t=1767261600,v1=<64 lower-case hex digits>
///
///     {"phoneNumber":"+12001004014"}
///
/// The signature is HMAC-SHA-256 of `<t>.<body>` under the shared secret, byte for byte as they were sent; `t` is the
/// time in Unix seconds, so that the service can refuse requests older than five minutes. After `breakerFailures`
/// consecutive failures it is not called for a while.
package final class SignedService: Sendable {
    /// A keyed hash of a message under the secret shared with the service.
    package typealias Sign = @Sendable (_ message: [UInt8]) -> [UInt8]

    /// Longest answer that is read, in bytes.
    static let maxResponseBytes = 64 * 1024

    private let settings: SignedServiceSettings
    private let send: OutboundSend
    private let sign: Sign
    private let now: Now
    private let instant: @Sendable () -> ContinuousClock.Instant
    private let breaker: Locked<CircuitBreaker>

    /// - Parameters:
    ///   - settings: the URL must have no defect.
    ///   - now: the time in signatures; it must agree with the service's clock.
    ///   - instant: measures the circuit's pause.
    package init(
        _ settings: SignedServiceSettings, send: @escaping OutboundSend, sign: @escaping Sign, now: @escaping Now,
        instant: @escaping @Sendable () -> ContinuousClock.Instant = { ContinuousClock.now }
    ) {
        self.settings = settings
        self.send = send
        self.sign = sign
        self.now = now
        self.instant = instant
        breaker = Locked(CircuitBreaker(threshold: settings.breakerFailures, pause: settings.breakerPause))
    }

    /// False while its circuit is open: a call would be refused.
    package var isAvailable: Bool {
        let now = instant()
        return breaker.withLock { $0.admits(at: now) }
    }

    /// Asks one question.
    /// - Parameter read: reads the response; its error says whether the failure counts against the service.
    func ask<Answer>(
        _ question: JSONObject, read: (OutboundResponse) throws(ServiceFailure) -> Answer
    ) async throws(ServiceFailure) -> Answer {
        let start = instant()
        guard let permit = breaker.withLock({ $0.admit(at: start) }) else { throw .resting }
        do throws(ServiceFailure) {
            let answer = try read(try await post(question.serialized()))
            record(.answered, permit)
            return answer
        } catch {
            record(error.outcome, permit)
            throw error
        }
    }

    private func record(_ outcome: CircuitBreaker.Outcome, _ permit: CircuitBreaker.Permit) {
        let now = instant()
        breaker.withLock { $0.record(outcome, of: permit, at: now) }
    }

    private func post(_ body: [UInt8]) async throws(ServiceFailure) -> OutboundResponse {
        let request = OutboundRequest(
            method: "POST", url: settings.url,
            headers: [
                (name: "Content-Type", value: "application/json"), (name: "Accept", value: "application/json"),
                (name: "Holdfast-Signature", value: signature(of: body)),
            ],
            body: body, timeout: settings.timeout, maxResponseBytes: Self.maxResponseBytes)
        do { return try await send(request) } catch { throw ServiceFailure(error) }
    }

    private func signature(of body: [UInt8]) -> String {
        let time = "\(now().seconds)"
        return "t=\(time),v1=" + Hex.text(sign(Array(time.utf8) + [UInt8(ascii: ".")] + body))
    }
}

/// Why there is no answer, and whether that counts against the service. The reason contains no personal data.
struct ServiceFailure: Error, Sendable, Equatable {
    enum Kind: Sendable, Equatable { case timeout, resting, cancelled, other }

    let reason: String
    let outcome: CircuitBreaker.Outcome
    let kind: Kind

    init(_ reason: String, _ outcome: CircuitBreaker.Outcome, _ kind: Kind = .other) {
        self.reason = reason
        self.outcome = outcome
        self.kind = kind
    }

    /// The service was not called.
    static let resting = ServiceFailure("left alone after failures", .abandoned, .resting)

    init(_ fault: OutboundFault) {
        switch fault {
        case .timeout: self.init("no answer in time", .failed, .timeout)
        case .connect: self.init("no connection", .failed)
        case .tooLarge: self.init("the answer is too large", .failed)
        case .cancelled: self.init("cancelled", .abandoned, .cancelled)
        case .failed(let reason): self.init(reason, .failed)
        }
    }
}
