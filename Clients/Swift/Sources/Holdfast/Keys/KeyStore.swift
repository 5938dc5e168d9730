import Foundation

/// A key, and when it was made by the device's clock, in seconds since 1970.
package struct StoredKey: Sendable {
    package let key: any SigningKey
    package let madeAt: Double
    package let thumbprint: String
    fileprivate let record: Data
}

/// The keys of sessions and of this device, over a vault.
package struct KeyStore: Sendable {
    /// Longer than any session lives.
    private static let sessionSeconds = 20.0 * 60

    private let vault: any KeyVault
    private let maker: any KeyMaker
    /// Whether keys outlive the process, so that a device key makes sense.
    package let isLasting: Bool

    package init(vault: any KeyVault, maker: any KeyMaker, isLasting: Bool) {
        self.vault = vault
        self.maker = maker
        self.isLasting = isLasting
    }

    /// The key of a session, which is made if there is none. Of two processes that make one, both get the first.
    package func session(_ authID: String, now: Double) throws -> StoredKey {
        let name = Self.name("session", authID)
        let found = try vault.read(name)
        if let found, let key = stored(found) { return key }
        let key = try put(name, inPlaceOf: found, isDeviceKey: false, now: now)
        try? purge(now: now)
        return key
    }

    package func forgetSession(_ authID: String) throws {
        try vault.delete(Self.name("session", authID))
    }

    /// The device's key for this server; a key that cannot be used any more is none.
    package func device(_ server: String) -> StoredKey? {
        (try? vault.read(Self.name("device", server))).flatMap(stored)
    }

    package func makeDevice(_ server: String, inPlaceOf old: StoredKey?, now: Double) throws -> StoredKey {
        let name = Self.name("device", server)
        let found = try old?.record ?? vault.read(name)
        // A record that is no key is replaced; a key that another process has just made is taken.
        if old == nil, let found, let key = stored(found) { return key }
        return try put(name, inPlaceOf: found, isDeviceKey: true, now: now)
    }

    private func put(_ name: String, inPlaceOf old: Data?, isDeviceKey: Bool, now: Double) throws -> StoredKey {
        let key = try maker.makeKey(isDeviceKey: isDeviceKey)
        let record = try JSONEncoder().encode(Record(key: key.representation, madeAt: now))
        guard let kept = stored(try vault.put(record, name: name, inPlaceOf: old)) else {
            throw KeyFailure(what: "the key that was put is not the one that is found")
        }
        return kept
    }

    /// Takes away the keys of sessions that are long over.
    private func purge(now: Double) throws {
        for name in try vault.names() where name.hasPrefix("session.") {
            let madeAt = try vault.read(name).flatMap(stored)?.madeAt ?? -.infinity
            if abs(now - madeAt) > Self.sessionSeconds { try vault.delete(name) }
        }
    }

    private struct Record: Codable {
        let key: Data
        let madeAt: Double
    }

    private func stored(_ record: Data?) -> StoredKey? {
        guard let record, let content = try? JSONDecoder().decode(Record.self, from: record),
            let key = try? maker.key(of: content.key)
        else { return nil }
        return StoredKey(key: key, madeAt: content.madeAt, thumbprint: Holdfast.thumbprint(of: key), record: record)
    }

    /// A server's text may have any form; the name in the vault has one.
    private static func name(_ kind: String, _ text: String) -> String {
        let digest = sha256(Data(text.utf8)).map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }
        return "\(kind).\(digest.joined())"
    }
}
