import Foundation

/// The claims of an auth token that a client goes by. The signature is the server's matter.
package struct Token: Sendable {
    package let text: String
    /// The base URL of all calls.
    package let aud: String
    package let authID: String
    package let nonce: String
    /// Seconds since 1970, by the server's clock.
    package let iat: Double

    private struct Claims: Decodable {
        let aud, sub, nonce: String
        let iat: Double
    }

    /// - Parameter servers: those that the app expects; empty: any.
    /// - Throws: for a text that is no token, and for a server that must not be called.
    package init(_ text: String, servers: [String]) throws(Refused) {
        guard !text.isEmpty else { throw Refused(name: .tokenMissing) }
        let parts = text.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count >= 2, let bytes = Base64URL.data(String(parts[1])) else {
            throw Refused(name: .tokenMalformed)
        }
        guard let claims = try? JSONDecoder().decode(Claims.self, from: bytes), !claims.aud.isEmpty,
            !claims.sub.isEmpty, !claims.nonce.isEmpty, claims.iat.isFinite
        else { throw Refused(name: .tokenMalformed, detail: "It has no aud, sub, nonce or iat.") }
        guard isSafe(claims.aud), let origin = origin(of: claims.aud) else {
            throw Refused(name: .serverNotExpected, detail: "Its aud is neither https nor on this machine.")
        }
        guard servers.isEmpty || servers.contains(where: { Holdfast.origin(of: $0) == origin }) else {
            throw Refused(
                name: .serverNotExpected, detail: "Its aud is on \(origin), which the app's servers do not name.")
        }
        self.text = text
        aud = claims.aud.hasSuffix("/") ? String(claims.aud.dropLast()) : claims.aud
        authID = claims.sub
        nonce = claims.nonce
        iat = claims.iat
    }

    /// Why a token cannot be used.
    package struct Refused: Error {
        let name: ErrorName
        /// Further facts for the developer.
        var detail: String?
    }
}

/// https, or this machine.
package func isSafe(_ text: String) -> Bool {
    guard let components = URLComponents(string: text), URL(string: text) != nil, let host = components.host,
        !host.isEmpty, components.user == nil, components.password == nil
    else { return false }
    switch components.scheme?.lowercased() {
    case "https": return true
    case "http": return isLoopback(host.lowercased())
    default: return false
    }
}

private func isLoopback(_ host: String) -> Bool {
    if ["localhost", "::1", "[::1]"].contains(host) { return true }
    let parts = host.split(separator: ".", omittingEmptySubsequences: false)
    return parts.count == 4 && parts[0] == "127" && parts.allSatisfy { UInt8($0) != nil }
}

private func origin(of text: String) -> String? {
    guard let components = URLComponents(string: text), let scheme = components.scheme?.lowercased(),
        let host = components.host?.lowercased()
    else { return nil }
    return "\(scheme)://\(host):\(components.port ?? (scheme == "https" ? 443 : 80))"
}

/// Result in the URL by which the app was opened: whether the check is through. `nil` if the URL is not meant for this run,
/// or has no result.
package func completion(inTarget text: String, of authID: String) -> Bool? {
    guard let items = URLComponents(string: text)?.queryItems else { return nil }
    func only(_ name: String) -> String? {
        let values = items.filter { $0.name == name }
        return values.count == 1 ? values[0].value : nil
    }
    guard only("authId") == authID else { return nil }
    switch only("asc") {
    case "true": return true
    case "false": return false
    default: return nil
    }
}
