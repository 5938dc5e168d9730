internal import HTTPServer
internal import Engine
internal import Possession
internal import SurfaceKit

/// `POST /otpless/auth/v1/initiate/sna`: begins a silent proof. The phone opens `link` over its mobile data connection;
/// the backend reads the result from `auth/v2/status`.
///
///     {"phoneNumber":"12001004016","expiry":60}  ->  200 {"requestId":"019b...","status":"INIT","link":"https://..."}
struct InitiateSNA: OtplessEndpoint {
    struct Order: Sendable {
        var silent = SilentOrder()
        fileprivate var hasCountry = false
        fileprivate var hasNetwork = false
    }

    struct Begun: Sendable {
        let id: CorrelationID
        let link: String
        let phone: PhoneDetail?
    }

    enum State: String, Sendable { case begun = "INIT" }

    let silent: OtplessSilent

    static let call = Call(
        .post, OtplessPath.current + "/initiate/sna", id: "InitiateSNA", "Begin a silent proof",
        """
        link is for the phone: it has to be opened over its mobile data connection within 60 seconds, by the app and not \
        by a browser. Each call begins another request.
        """,
        body: .json(#"{"phoneNumber":"12001004016","expiry":60,"correlationId":"login-1"}"#), demand: .begins,
        answer: "The request.")
    static let body = Shape(Order()) {
        Member.required("phoneNumber", .text(.phoneNumber), "With country code. The plus may be missing.") {
            $0.silent.number = $1
        }
        Member.optional("mcc", .networkCode(3...3), "No effect: the phone's address tells its operator.") { order, _ in
            order.hasCountry = true
        }
        Member.optional("mnc", .networkCode(2...3), "No effect. It stands beside mcc, or both are missing.") {
            order, _ in
            order.hasNetwork = true
        }
        Member.optional("expiry", .expiry(OtplessRules.lifetimes), "Of the request, in seconds. Else 300.") {
            $0.silent.lifetimeSeconds = $1
        }
        Member.optional("correlationId", .text(.reference), "The caller's own name for it.") {
            $0.silent.reference = $1
        }
        Member.optional("metadata", .metadata, "Comes back in webhooks.") { $0.silent.metadata = $1 }
    }
    static let reply = Reply<Begun>(
        headers: [("Cache-Control", "no-store")],
        example: """
            {"requestId":"019b7907-8d58-7500-8000-000000000001","status":"INIT",\
            "link":"https://verify.example/otpless/silent/AAAAAAAAAAAAAAAAAAAAAA?t=AAAAAAAAAAAAAAAAAAAAAA",\
            "phoneDetail":{"countryCode":"1","country":"US"}}
            """
    ) {
        ReplyMember.always("requestId", .identifier(), "Of the request.") { $0.id }
        ReplyMember.always("status", .choice([State.begun]), "INIT: the link was not opened yet.") { _ in .begun }
        ReplyMember.always("link", .text, "For the phone. A credential: give it to the phone only.") { $0.link }
        ReplyMember.whenThere("phoneDetail", PhoneDetail.output, "By the numbering plan.") { $0.phone }
    }
    static let refusals: [OtplessError] = [.silentUnavailable, .countryClosed]

    func respond(
        to order: Order, of request: Request, from tenant: Tenant
    ) async throws(OtplessError) -> Begun {
        guard order.hasCountry == order.hasNetwork else {
            let (there, missing) = order.hasCountry ? ("mcc", "mnc") : ("mnc", "mcc")
            throw .field(FieldDefect(missing, "is missing beside '\(there)'"))
        }
        let begun = try await silent.begin(order.silent, for: tenant)
        request.note(begun.session.correlationID)
        let phone = begun.session.currentNumber.map { PhoneDetail($0, silent.verifications.engine.network.numbers) }
        return Begun(id: begun.session.correlationID, link: begun.link, phone: phone)
    }
}

extension Input where Value == String {
    /// The country or network part of a mobile network code: digits as a text, or a number.
    fileprivate static func networkCode(_ digits: ClosedRange<Int>) -> Input {
        let text = Schema.text(pattern: "^[0-9]{\(digits.lowerBound),\(digits.upperBound)}$")
        return Input(.any(of: [text, .integer(0...999)])) { (fields, name) throws(FieldDefect) in
            let code: String?
            do throws(FieldDefect) { code = try fields.text(name, .freeText(8)) } catch {
                code = try fields.integer(name).map { String($0) }
            }
            guard let code else { return nil }
            guard code.utf8.count <= digits.upperBound, code.utf8.allSatisfy({ $0 >= 48 && $0 <= 57 }) else {
                throw FieldDefect(name, "must be the \(digits.upperBound) digits of a mobile network at most")
            }
            return code
        }
    }
}
