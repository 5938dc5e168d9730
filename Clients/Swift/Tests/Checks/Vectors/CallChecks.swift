import Foundation
import Holdfast

/// Holds calls to what a vector expects: name, body, signatures, and what is the same or new from call to call.
struct CallChecks {
    private let token: String
    private let claims: JSON
    private var labels: [String: String] = [:]
    private var keyLabels: [String: String] = [:]
    private var proofIDs: Set<String> = []

    init(token: String) {
        self.token = token
        claims = Self.claims(token)
    }

    private static func claims(_ token: String) -> JSON {
        client_checks.claims(ofToken: token)
    }

    mutating func check(_ request: HTTPRequest, _ entry: JSON, trueTime: Double) throws {
        let aud = claims["aud"]?.string ?? ""
        let url = request.url.absoluteString
        let name = url.hasPrefix(aud) ? String(url.dropFirst(aud.count)) : url
        try same("\(request.method) \(name)", entry["call"]?.string ?? "", "call")
        let time = trueTime.rounded(.down)
        try checkProof(request, iat: entry["iat"]?.number ?? time)
        let body = try request.body.map { try JSON($0) }
        try same(request.header("Content-Type"), body == nil ? nil : "application/json", "Content-Type")
        try checkBody(body?.object ?? [:], entry["body"]?.object ?? [:], iat: time)
    }

    private mutating func checkBody(_ body: [String: JSON], _ expected: [String: JSON], iat: Double) throws {
        try same(body.keys.sorted(), expected.keys.sorted(), "members of the body")
        for (name, value) in expected {
            let given = body[name] ?? .null
            switch (name, value) {
            case (_, "$platform"): try same(given, "ios", name)
            case (_, "$text"):
                guard given.string?.isEmpty == false else { throw Failure("\(name) is no text") }
            case ("requestId", .string(let label)):
                guard let id = given.string, UUID(uuidString: id) != nil, id == id.lowercased() else {
                    throw Failure("no UUID: \(given)")
                }
                try Self.check(&labels, label, id)
            case ("proof", .object(let proof)): try checkDeviceProof(given.string ?? "", proof, iat: iat)
            default: try same(given, value, name)
            }
        }
    }

    /// One label, one value, and the other way round.
    private static func check(_ labels: inout [String: String], _ label: String, _ value: String) throws {
        if let known = labels[label] { return try same(value, known, label) }
        if labels.values.contains(value) { throw Failure("\(label) is the one of an earlier label") }
        labels[label] = value
    }

    /// That of the run before is gone.
    mutating func expectAnotherSessionKey() {
        keyLabels["session before"] = keyLabels.removeValue(forKey: "session")
    }

    private mutating func checkProof(_ request: HTTPRequest, iat: Double) throws {
        try same(request.header("Authorization"), "DPoP \(token)", "Authorization")
        let proof = try CheckedJWS(request.header("DPoP") ?? "")
        try same(proof.header["typ"], "dpop+jwt", "type of the proof")
        var given = proof.claims.object ?? [:]
        guard let jti = given.removeValue(forKey: "jti")?.string, proofIDs.insert(jti).inserted else {
            throw Failure("a jti is missing or used twice")
        }
        let url = request.url.absoluteString.prefix { $0 != "?" }
        let expected: [String: JSON] = [
            "htm": .string(request.method), "htu": .string(String(url)), "iat": .number(iat),
            "ath": .string(Base64URL.text(sha256(Data(token.utf8)))), "nonce": claims["nonce"] ?? .null,
        ]
        try same(given, expected, "proof")
        try Self.check(&keyLabels, "session", proof.thumbprint)
    }

    private mutating func checkDeviceProof(_ text: String, _ expected: [String: JSON], iat: Double) throws {
        let proof = try CheckedJWS(text)
        try same(proof.header["typ"], "device-proof+jwt", "type of the device proof")
        let given: [String: JSON] = [
            "aud": claims["aud"] ?? .null, "sub": claims["sub"] ?? .null, "nonce": expected["nonce"] ?? .null,
            "iat": .number(iat), "op": expected["op"] ?? .null,
            "cnf": .object(["jkt": .string(keyLabels["session"] ?? "")]),
        ]
        try same(proof.claims, .object(given), "device proof")
        try Self.check(&keyLabels, expected["key"]?.string ?? "", proof.thumbprint)
    }
}

extension HTTPRequest {
    func header(_ name: String) -> String? { headers[name] }
}
