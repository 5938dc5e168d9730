import CHoldfastCrypto
import Foundation
import Holdfast

/// A client's signature as a server checks it, by its own code: header, claims, and the thumbprint of the key.
struct CheckedJWS {
    let header: JSON
    let claims: JSON
    let thumbprint: String

    /// - Throws: `Failure`, unless the signature is by the key in the header.
    init(_ text: String) throws {
        let parts = text.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
        guard parts.count == 3, let head = Base64URL.data(parts[0]), let body = Base64URL.data(parts[1]),
            let signature = Base64URL.data(parts[2]), signature.count == HFC_SIGNATURE_BYTES
        else { throw Failure("no JWS: \(text)") }
        header = try JSON(head)
        claims = try JSON(body)
        try same(header["alg"], "ES256", "algorithm")
        guard let jwk = header["jwk"]?.object, jwk.keys.sorted() == ["crv", "kty", "x", "y"],
            let x = jwk["x"]?.string, let y = jwk["y"]?.string,
            let point = Base64URL.data(x).map({ x in
                x + (Base64URL.data(y) ?? Data())
            }), point.count == HFC_POINT_BYTES
        else { throw Failure("the key is no public key of P-256") }
        let digest = sha256(Data("\(parts[0]).\(parts[1])".utf8))
        guard hfc_p256_verify([UInt8](point), [UInt8](digest), [UInt8](signature)) == 1 else {
            throw Failure("the signature does not hold")
        }
        thumbprint = Base64URL.text(sha256(Data(#"{"crv":"P-256","kty":"EC","x":"\#(x)","y":"\#(y)"}"#.utf8)))
    }
}

func sha256(_ bytes: Data) -> Data {
    var digest = [UInt8](repeating: 0, count: HFC_DIGEST_BYTES)
    precondition(hfc_sha256([UInt8](bytes), bytes.count, &digest) == 1)
    return Data(digest)
}

func claims(ofToken text: String) -> JSON {
    let parts = text.split(separator: ".")
    return (parts.count > 1 ? Base64URL.data(String(parts[1])) : nil).flatMap { try? JSON($0) } ?? .null
}
