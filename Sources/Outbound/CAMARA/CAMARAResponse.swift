internal import StrictJSON

/// The call of an operator; its name is used in reasons.
enum CAMARACall: String, Sendable {
    case token
    case verify
    case number = "device-phone-number"
    case simSwap = "sim-swap"
    case recycling = "number-recycling"
}

/// One answer of an operator, not yet interpreted. Errors contain the call, the status and the operator's error code,
/// and nothing else of the answer.
struct CAMARAResponse: Sendable {
    /// Longest access token, in bytes: it is sent in a header.
    private static let maxTokenBytes = 8192
    /// Longest lifetime of a token that is accepted, in seconds.
    private static let maxTokenSeconds: Int64 = 86_400

    let call: CAMARACall
    let status: Int
    let body: [UInt8]
    /// How long the operator wants no calls; `nil`: it did not say.
    var retryAfter: Duration?

    /// The access token of a token answer, and its lifetime if the operator states it in whole seconds (RFC 6749
    /// section 5.1). `scope` and `id_token` are ignored: the next call shows what the token allows.
    func token() throws(CAMARAFailure) -> (text: String, lifetime: Duration?) {
        guard status == 200 else { throw tokenFailure }
        let object = try object()
        guard let type = object["token_type"]?.string, type.lowercased() == "bearer" else {
            throw broken("200 with another token_type")
        }
        guard let token = object["access_token"]?.string, (1...Self.maxTokenBytes).contains(token.utf8.count),
            token.utf8.allSatisfy(Self.isTokenCharacter)
        else { throw broken("200 without a usable access_token") }
        let seconds = object["expires_in"]?.integer.flatMap { (1...Self.maxTokenSeconds).contains($0) ? $0 : nil }
        return (token, seconds.map { .seconds($0) })
    }

    /// The body of a successful answer of an API.
    func answer() throws(CAMARAFailure) -> JSONObject {
        guard status == 200 else { throw failure }
        return try object()
    }

    private func object() throws(CAMARAFailure) -> JSONObject {
        do { return try JSONObject.parse(body) } catch { throw broken("\(status) without a JSON object") }
    }

    // MARK: Failures

    /// The failure of an API's answer (CAMARA `ErrorInfo`). The token may come from the caller's
    /// code, and callers can change the scope on the way there: a refused token says nothing about the operator.
    var failure: CAMARAFailure {
        let reason = reason(errorCode)
        return (400...499).contains(status) && status != 429 ? .refused(reason) : .broken(reason)
    }

    /// RFC 6749 section 5.2. The code comes from outside, and operators refuse a forged one in many ways, some with a
    /// bare 401. So a failure counts against the operator only if it names our own credentials, asks for a pause, or
    /// says that the operator is down.
    private var tokenFailure: CAMARAFailure {
        let code = member("error")
        let reason = reason(code)
        let isOurs = status == 429 || code == "invalid_client" || code == "unauthorized_client"
        return (400...499).contains(status) && !isOurs ? .refused(reason) : .broken(reason)
    }

    /// The operator's `code` (CAMARA `ErrorInfo`).
    var errorCode: String? { member("code") }

    private func member(_ name: String) -> String? { (try? JSONObject.parse(body))?[name]?.string }

    /// A failure that counts against the operator.
    func broken(_ what: String) -> CAMARAFailure { .broken("\(call.rawValue): \(what)") }

    /// The code, only if it looks like one: letters, `_` and `.`, so that it cannot contain a number.
    private func reason(_ code: String?) -> String {
        let start = "\(call.rawValue): \(status)"
        guard let code, (1...80).contains(code.utf8.count), code.utf8.allSatisfy(Self.isCodeCharacter) else {
            return start
        }
        return start + " " + code
    }

    private static func isCodeCharacter(_ byte: UInt8) -> Bool {
        switch byte {
        case 65...90, 97...122, UInt8(ascii: "_"), UInt8(ascii: "."): true
        default: false
        }
    }

    /// RFC 6750 section 2.1, `b64token`.
    private static func isTokenCharacter(_ byte: UInt8) -> Bool {
        switch byte {
        case 48...57, 65...90, 97...122: true
        default: "-._~+/=".utf8.contains(byte)
        }
    }
}
