internal import Engine
internal import Possession
internal import StrictJSON
package import Text
internal import Tokens

extension Configuration {
    /// The keys for a sandbox client's apps. They are public knowledge.
    package struct SandboxApplication: Sendable, Equatable {
        /// Base64 of 16 bytes.
        package var key: String
        package var secret: Secret
        /// Base64 of 32 bytes.
        package var masterPrivateKey: Secret

        /// The same keys as bytes.
        var given: GivenApplicationKeys {
            GivenApplicationKeys(
                applicationKey: Base64.decode(key.utf8) ?? [],
                applicationSecret: Base64.decode(secret.text.utf8) ?? [],
                masterPrivateKey: Base64.decode(masterPrivateKey.text.utf8) ?? [])
        }

        /// The members that `check-config` prints.
        var settings: JSONObject {
            [
                "key": .string(key), "secret": .string(secret.description),
                "masterPrivateKey": .string(masterPrivateKey.description),
            ]
        }
    }
}

extension Configuration.SandboxApplication {
    private static let members = ["key", "secret", "masterPrivateKey"]

    /// - Parameter path: the place of the value, for messages.
    init?(_ reader: inout ConfigurationReader, _ value: JSONValue, at path: String) {
        guard let object = value.object else {
            reader.refuse(at: path, "must be an object of: \(Self.members.joined(separator: ", "))")
            return nil
        }
        for name in object.names where !Self.members.contains(name) {
            reader.refuseUnknown(name, under: path, known: Self.members)
        }
        let key = Self.text("key", 16, object, path, &reader)
        let secret = Self.text("secret", 16, object, path, &reader)
        let master = Self.text("masterPrivateKey", 32, object, path, &reader)
        guard let key, let secret, let master else { return nil }
        self.init(key: key, secret: Secret(secret), masterPrivateKey: Secret(master))
        if (try? SigningKey(scalar: given.masterPrivateKey)) == nil {
            reader.refuse(at: "\(path).masterPrivateKey", "must be from 1 to the order of P-256 less 1")
        }
    }

    private static func text(
        _ name: String, _ count: Int, _ object: JSONObject, _ path: String, _ reader: inout ConfigurationReader
    ) -> String? {
        guard let text = object[name]?.string, Base64.decode(text.utf8)?.count == count else {
            reader.refuse(at: "\(path).\(name)", "must be Base64 of \(count) bytes")
            return nil
        }
        return text
    }
}
