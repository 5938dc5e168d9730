import Possession
internal import Text

/// The text that an app is built with (SDK 1.8 and later): Base64 of version (1), application key, secret, and a list
/// of master public keys; the key of kind 1 is on P-256. Lengths and counts are at most 127 here, so each is one byte.
enum SDKConfiguration {
    private static let version: UInt8 = 1
    private static let p256: UInt8 = 1

    /// - Parameters:
    ///   - applicationKey: 16 bytes.
    ///   - secret: 16 bytes.
    static func text(applicationKey: [UInt8], secret: BriefSecret, masterPublicKey: PublicKey) -> String {
        var bytes: [UInt8] = [version]
        append(applicationKey, to: &bytes)
        append(secret.bytes, to: &bytes)
        bytes += [1, p256]
        append(masterPublicKey.uncompressed, to: &bytes)
        return Base64.encode(bytes)
    }

    private static func append(_ field: [UInt8], to bytes: inout [UInt8]) {
        precondition(field.count < 128, "the length is one byte")
        bytes.append(UInt8(field.count))
        bytes += field
    }
}
