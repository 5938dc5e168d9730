internal import Engine
internal import Possession
internal import StrictJSON
internal import Text

/// The result of a request that has succeeded: the number or address, when it was proven, and the token that stands for it.
struct ProvenPerson: Sendable {
    let client: ClientID
    let target: Target
    /// The person picked at a played provider; `nil`: no provider was played.
    private let played: SandboxPerson?
    let provenAt: Timestamp
    let way: AuthWay
    let token: String
    /// The same for every request of one client for this number or address; different for every client.
    let userID: String

    /// - Parameter messages: the messages of the session.
    /// - Returns: `nil`: the session has not succeeded.
    init?(_ session: Session, _ messages: [MessageStanding], _ keyed: KeyedDigests, _ played: SandboxPerson? = nil) {
        guard session.outcome == .succeeded, let proof = session.proof else { return nil }
        client = session.clientID
        target = proof.target
        self.played = played
        provenAt = proof.at
        way = AuthWay(session, messages)
        token = OneTapToken.text(of: session.correlationID, for: session.clientID, keyed)
        userID = "MO-" + Hex.text(keyed.subject(proof.target, session.clientID))
    }

    private var number: PhoneNumber? { target.number }

    var digits: String? { number.map { _ in target.plain } }
    var countryCode: String? { number?.countryCode }
    var nationalNumber: String? { number?.nationalNumber }
    var email: String? { target.email?.text ?? played?.email?.text }
    /// The name. Only a provider reports one.
    var name: String? { played?.name }

    /// The proven number or address and the method: JSON in a text, as the libraries expect it.
    var authenticationDetails: String {
        var details: JSONObject = ["auth_state": "verified"]
        if let mode = way.methods.first { details.set("mode", mode) }
        if let countryCode { details.set("country_code", countryCode) }
        if let nationalNumber { details.set("phone_number", nationalNumber) }
        if let email { details.set("email", email) }
        let object: JSONObject = [number == nil ? "email" : "phone": .object(details)]
        return String(decoding: object.serialized(), as: UTF8.self)
    }

    /// The ID token for the client's own backend.
    func idToken(issuer: String) -> IDToken {
        var claims: [(name: String, value: IDToken.Claim)] = [
            ("token", .text(token)), ("authentication_details", .text(authenticationDetails)),
        ]
        if let digits, let countryCode, let nationalNumber {
            claims += [
                ("phone_number", .text(digits)), ("phone_number_verified", .flag(true)),
                ("country_code", .text(countryCode)), ("national_phone_number", .text(nationalNumber)),
            ]
        }
        if let email { claims += [("email", .text(email)), ("email_verified", .flag(true))] }
        if let name { claims.append(("name", .text(name))) }
        return IDToken(issuer: issuer, audience: client, subject: userID, provenAt: provenAt, claims: claims)
    }
}

extension OtplessChannel {
    init(_ carrier: OutgoingMessage.Channel) {
        switch carrier {
        case .sms: self = .sms
        case .whatsapp: self = .whatsapp
        case .viber: self = .viber
        case .voice: self = .voice
        case .email: self = .email
        }
    }
}
