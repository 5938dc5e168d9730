import Possession

/// The signature of a call in PowerAuth 3.1 and later.
enum SignatureCode {
    /// Counter values that are tried: a phone may have signed calls that never arrived.
    static let lookAhead = 20
    /// Bytes of one factor's part.
    static let partSize = 16

    /// The signed bytes: the data of the call and the application's secret as text, with `&` between them.
    static func data(of call: SignedCall, secretText: BriefSecret) -> [UInt8] {
        call.data + [UInt8(ascii: "&")] + secretText.bytes
    }

    /// The last 16 bytes of each factor's code. The codes of the second and third factor also depend on the keys before
    /// them.
    ///
    /// - Parameters:
    ///   - counter: 16 bytes.
    ///   - keys: of the factors, 1 to 3.
    static func signature(of data: [UInt8], counter: [UInt8], keys: [BriefSecret]) -> [UInt8] {
        let derived = keys.map { hmac($0, counter) }
        return derived.indices.flatMap { factor in
            var key = derived[factor]
            for other in 0..<factor { key = hmac(derived[other + 1], key.bytes) }
            return hmac(key, data).bytes.suffix(partSize)
        }
    }

    /// The first counter, starting with this one, for which the signature is right.
    static func match(
        _ signature: [UInt8], of data: [UInt8], from counter: SignatureCounter, keys: [BriefSecret]
    ) -> (skipped: Int, counter: SignatureCounter)? {
        var counter = counter
        for skipped in 0..<lookAhead {
            if constantTimeEqual(signature, Self.signature(of: data, counter: counter.data, keys: keys)) {
                return (skipped, counter)
            }
            counter = counter.successor
        }
        return nil
    }

    private static func hmac(_ key: BriefSecret, _ message: [UInt8]) -> BriefSecret {
        BriefSecret(MessageCode.hmac(.sha256, key: key.bytes, message))
    }
}
