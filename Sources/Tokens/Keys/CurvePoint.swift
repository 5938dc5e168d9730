import Engine
import Possession

/// A point of P-256 from another party, for key agreement.
struct CurvePoint: Sendable {
    let handle: KeyHandle
    /// The same point, independent of the received form.
    let publicKey: PublicKey

    /// Reads a point in compressed or uncompressed form: 33 or 65 bytes (SEC 1 section 2.3.4).
    ///
    /// - Throws: `TokenFault` for any other length or form, including the point at infinity, before any computation on
    ///   the curve; and unless the coordinates are in range and satisfy the curve equation.
    init(encoded: [UInt8]) throws(TokenFault) {
        switch (encoded.first, encoded.count) {
        case (0x02, 33), (0x03, 33), (0x04, 65): break
        default: throw TokenFault("a point has 33 or 65 bytes")
        }
        handle = try KeyHandle(point: encoded)
        publicKey = try handle.publicKey()
    }
}
