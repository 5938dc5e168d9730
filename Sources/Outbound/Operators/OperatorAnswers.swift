internal import Possession
internal import StrictJSON

/// One answer of an operator, not yet interpreted.
struct OperatorResponse: Sendable {
    let call: OperatorCall
    let status: Int
    let body: [UInt8]
}

/// Reads an operator's answers. Errors contain the call, the status and the operator's error code, and nothing else of
/// the answer.
enum OperatorAnswers {
    private static let notOnNetwork = "NUMBER_VERIFICATION.USER_NOT_AUTHENTICATED_BY_MOBILE_NETWORK"
    /// Longest access token, in bytes: it is sent in a header.
    private static let maxTokenBytes = 8192
    /// Longest lifetime of a token that is accepted, in seconds.
    private static let maxTokenSeconds: Int64 = 86_400

    /// RFC 6749 section 5.1. `scope` and `id_token` are ignored: the next call shows what the token allows.
    static func accessToken(in response: OperatorResponse) throws(OperatorFailure) -> String {
        try lastingToken(in: response).text
    }

    /// The same, with its lifetime if the operator states it in whole seconds.
    static func lastingToken(
        in response: OperatorResponse
    ) throws(OperatorFailure) -> (text: String, lifetime: Duration?) {
        guard response.status == 200 else { throw tokenFailure(response) }
        let object = try object(in: response)
        guard let type = object["token_type"]?.string, type.lowercased() == "bearer" else {
            throw .broken("token: 200 with another token_type")
        }
        guard let token = object["access_token"]?.string, (1...maxTokenBytes).contains(token.utf8.count),
            token.utf8.allSatisfy(isTokenCharacter)
        else { throw .broken("token: 200 without a usable access_token") }
        let seconds = object["expires_in"]?.integer.flatMap { (1...maxTokenSeconds).contains($0) ? $0 : nil }
        return (token, seconds.map { .seconds($0) })
    }

    static func number(in response: OperatorResponse) throws(OperatorFailure) -> PhoneNumber {
        guard response.status == 200 else { throw apiFailure(response) }
        guard let text = try object(in: response)["devicePhoneNumber"]?.string,
            let number = PhoneNumber(e164: text)
        else { throw .broken("\(response.call.rawValue): 200 without an E.164 number") }
        return number
    }

    static func verified(in response: OperatorResponse) throws(OperatorFailure) -> Bool {
        guard response.status == 200 else { throw apiFailure(response) }
        guard let isVerified = try object(in: response)["devicePhoneNumberVerified"]?.bool else {
            throw .broken("\(response.call.rawValue): 200 without devicePhoneNumberVerified")
        }
        return isVerified
    }

    static func object(in response: OperatorResponse) throws(OperatorFailure) -> JSONObject {
        do { return try JSONObject.parse(response.body) } catch {
            throw .broken("\(response.call.rawValue): \(response.status) without a JSON object")
        }
    }

    /// RFC 6749 section 5.2. The code comes from outside, and operators refuse a forged one in many ways, some with a
    /// bare 401. So a failure counts against the operator only if it names our own credentials, asks for a pause, or
    /// says that the operator is down.
    static func tokenFailure(_ response: OperatorResponse) -> OperatorFailure {
        let code = (try? JSONObject.parse(response.body))?["error"]?.string
        let reason = reason(response, code)
        let isOurs = response.status == 429 || code == "invalid_client" || code == "unauthorized_client"
        return (400...499).contains(response.status) && !isOurs ? .refused(reason) : .broken(reason)
    }

    /// CAMARA Number Verification 2.1.0, `ErrorInfo`. The token comes from the caller's code, and callers can change
    /// the scope on the way there: a refused token says nothing about the operator.
    static func apiFailure(_ response: OperatorResponse) -> OperatorFailure {
        let code = (try? JSONObject.parse(response.body))?["code"]?.string
        let reason = reason(response, code)
        switch (response.status, code) {
        case (403, notOnNetwork): return .notOnNetwork
        case (429, _): return .broken(reason)
        case (400...499, _): return .refused(reason)
        default: return .broken(reason)
        }
    }

    /// The code, only if it looks like one: letters, `_` and `.`, so that it cannot contain a number.
    private static func reason(_ response: OperatorResponse, _ code: String?) -> String {
        let start = "\(response.call.rawValue): \(response.status)"
        guard let code, (1...80).contains(code.utf8.count), code.utf8.allSatisfy(isCodeCharacter) else { return start }
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
