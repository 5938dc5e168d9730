internal import Locks
package import Possession
internal import StrictJSON
internal import Text

/// The people that the operator's own HTTP service knows. Nothing of what it says is kept.
///
///     POST <url>
///     Content-Type: application/json
///     Holdfast-Signature: t=1767261600,v1=<64 lower-case hex digits>
///
///     {"phoneNumber":"+12001004014"}
///
/// The signature is HMAC-SHA-256 of `<t>.<body>` under the shared secret, byte for byte as they were sent; `t` is
/// the time in Unix seconds, so that the service can refuse whatever is older than five minutes. The service answers:
///
///     200 {"firstName":"Lorant","lastName":"Nerger","dob":"1984-12-10","ssn":"327601423","emailAddresses":["a@b.c"],
///          "addresses":[{"address":"1 Main St","city":"C","region":"TX","postalCode":"78285"}]}
///     404 nobody is known under that number; the body is not looked at
///
/// `IdentityAnswer` has the rules of the person. Any other status (a redirect, too), a body of more than 64 KiB, one
/// that breaks the rules, and silence for longer than the timeout: the service is unavailable for this call. After so
/// many failures in a row it is left alone for a while.
package final class IdentityService: IdentitySource {
    /// A keyed hash of a message under the secret that the service shares.
    package typealias Sign = @Sendable (_ message: [UInt8]) -> [UInt8]

    /// Of an answer, in bytes.
    static let maxResponseBytes = 64 * 1024

    private let settings: IdentityServiceSettings
    private let send: OutboundSend
    private let sign: Sign
    private let now: Now
    private let instant: @Sendable () -> ContinuousClock.Instant
    private let breaker: Locked<CircuitBreaker>

    /// - Parameters:
    ///   - settings: with a URL that has no defect.
    ///   - now: stands in signatures: the service's clock and this one must agree.
    ///   - instant: measures the circuit's pause.
    package init(
        _ settings: IdentityServiceSettings, send: @escaping OutboundSend, sign: @escaping Sign, now: @escaping Now,
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

    package func person(_ number: PhoneNumber) async throws(IdentityFault) -> Person? {
        let start = instant()
        guard let permit = breaker.withLock({ $0.admit(at: start) }) else {
            throw .unavailable(reason: "identity service: left alone after failures")
        }
        do throws(IdentityFailure) {
            let answer = try IdentityAnswer(try await ask(number), about: number)
            record(.answered, permit)
            return answer.person
        } catch {
            record(error.outcome, permit)
            throw .unavailable(reason: "identity service: " + error.reason)
        }
    }

    private func record(_ outcome: CircuitBreaker.Outcome, _ permit: CircuitBreaker.Permit) {
        let now = instant()
        breaker.withLock { $0.record(outcome, of: permit, at: now) }
    }

    private func ask(_ number: PhoneNumber) async throws(IdentityFailure) -> OutboundResponse {
        let object: JSONObject = ["phoneNumber": .string(number.e164)]
        let body = object.serialized()
        let request = OutboundRequest(
            method: "POST", url: settings.url,
            headers: [
                (name: "Content-Type", value: "application/json"), (name: "Accept", value: "application/json"),
                (name: "Holdfast-Signature", value: signature(of: body)),
            ],
            body: body, timeout: settings.timeout, maxResponseBytes: Self.maxResponseBytes)
        do { return try await send(request) } catch { throw IdentityFailure(error) }
    }

    private func signature(of body: [UInt8]) -> String {
        let time = "\(now().seconds)"
        return "t=\(time),v1=" + Hex.text(sign(Array(time.utf8) + [UInt8(ascii: ".")] + body))
    }
}

/// Why there is no answer, and whether that speaks against the service. The reason holds nothing of the person.
struct IdentityFailure: Error, Sendable, Equatable {
    let reason: String
    let outcome: CircuitBreaker.Outcome

    init(_ reason: String, _ outcome: CircuitBreaker.Outcome) {
        self.reason = reason
        self.outcome = outcome
    }

    init(_ fault: OutboundFault) {
        switch fault {
        case .timeout: self.init("no answer in time", .failed)
        case .connect: self.init("no connection", .failed)
        case .tooLarge: self.init("the answer is too large", .failed)
        case .cancelled: self.init("cancelled", .abandoned)
        case .failed(let reason): self.init(reason, .failed)
        }
    }
}
