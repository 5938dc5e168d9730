import Foundation
import Holdfast

/// The vectors without a script: proofs, values, errors.
func runExamples(in folder: URL, token: JSON, _ report: Report) async throws {
    let proofs = try read("proofs", in: folder)
    guard let text = token["token"]?.string, let read = try? Token(text, servers: []) else { throw Failure("no token") }
    for example in proofs["dpop"]?.array ?? [] {
        await attempt("proofs: \(example["name"]?.string ?? "")", report) {
            let proof = try dpopProof(
                by: try key(of: example, proofs), method: try member("method", example),
                url: try member("url", example),
                iat: try iat(of: example), jti: try member("jti", example), token: read)
            try compare(proof, example)
        }
    }
    for example in proofs["device"]?.array ?? [] {
        await attempt("proofs: device, \(example["name"]?.string ?? "")", report) {
            let session = try key(of: .object(["key": "session"]), proofs)
            let proof = try deviceProof(
                by: try key(of: example, proofs), aud: read.aud, authID: read.authID,
                challenge: try member("challenge", example), iat: try iat(of: example), op: try member("op", example),
                thumbprint: thumbprint(of: session))
            try compare(proof, example)
        }
    }
    try await runValues(in: folder, authID: read.authID, report)
    await attempt("errors: the table is that of the vectors", report) {
        let rows = try client_checks.read("errors", in: folder)["errors"]?.array ?? []
        try same(rows.count, ErrorName.allCases.count, "number of errors")
        for (row, name) in zip(rows, ErrorName.allCases) {
            try same(name.rawValue, row["error"]?.string ?? "", "name")
            try same(Double(name.code), row["code"]?.number ?? 0, "code of \(name)")
            try same(name.developerMessage, row["developer"]?.string ?? "", "developer's sentence of \(name)")
            try same(name.message, row["person"]?.string ?? "", "person's sentence of \(name)")
        }
    }
}

private func runValues(in folder: URL, authID: String, _ report: Report) async throws {
    let values = try read("values", in: folder)
    await attempt("values: codes", report) {
        for value in values["codes"]?.array ?? [] {
            let text = try member("text", value)
            try same(codeIn(text), value["code"]?.string, text)
        }
    }
    await attempt("values: targets of links", report) {
        for value in values["finalTargets"]?.array ?? [] {
            let url = try member("url", value)
            try same(completion(inTarget: url, of: authID), value["asc"]?.bool, url)
        }
    }
    await attempt("values: Retry-After", report) {
        for value in values["retryAfter"]?.array ?? [] {
            let text = try member("text", value)
            let seconds = HTTPResponse(status: 429, headers: ["retry-after": text]).retryAfterSeconds
            // Without a time that can be read it is the first repeat's, 0.5; over 60 nothing is repeated.
            try same(seconds.map { $0 > 60 ? nil : $0 } ?? 0.5, value["seconds"]?.number, text)
        }
    }
}

/// The key of an example, which is public.
private func key(of example: JSON, _ proofs: JSON) throws -> any SigningKey {
    let entry = proofs["keys"]?[try member("key", example)]
    guard let d = entry?["privateJwk"]?["d"]?.string, let bytes = Base64URL.data(d) else { throw Failure("no key") }
    let key = try platformKey(privateBytes: bytes)
    try same(thumbprint(of: key), entry?["thumbprint"]?.string ?? "", "thumbprint")
    return key
}

private func compare(_ proof: String, _ example: JSON) throws {
    for text in [proof, try member("example", example)] {
        let jws = try CheckedJWS(text)
        try same(jws.header, example["header"] ?? .null, "header")
        try same(jws.claims, example["claims"] ?? .null, "claims")
    }
}

private func member(_ name: String, _ value: JSON) throws -> String {
    guard let text = value[name]?.string else { throw Failure("no member \(name)") }
    return text
}

private func iat(of example: JSON) throws -> Int {
    guard let iat = example["iat"]?.number else { throw Failure("no iat") }
    return Int(iat)
}
