import COpenSSL
import Engine
import Possession
internal import Secrets

/// AES-128 (FIPS 197) in modes without authentication. Only for protocols that authenticate by other means.
enum AES128 {
    static let blockSize = 16

    /// One block (ECB).
    ///
    /// - Parameters:
    ///   - key: 16 bytes.
    ///   - block: 16 bytes.
    static func encrypt(block: [UInt8], key: BriefSecret) throws(TokenFault) -> [UInt8] {
        precondition(block.count == blockSize, "one block")
        guard let output = try run(EVP_aes_128_ecb(), key, nil, block, encrypts: true, pads: false) else {
            throw TokenFault("AES-128 failed")
        }
        return output
    }

    /// CBC (NIST SP 800-38A section 6.2).
    ///
    /// - Parameters:
    ///   - key: 16 bytes.
    ///   - iv: 16 bytes.
    ///   - pads: pads the last block (PKCS #7, RFC 5652 section 6.3). Otherwise the text must have whole blocks.
    static func encrypt(
        _ plain: [UInt8], key: BriefSecret, iv: [UInt8], pads: Bool
    ) throws(TokenFault) -> [UInt8] {
        precondition(pads || plain.count % blockSize == 0, "whole blocks")
        guard let output = try run(EVP_aes_128_cbc(), key, iv, plain, encrypts: true, pads: pads) else {
            throw TokenFault("AES-128 failed")
        }
        return output
    }

    /// Decrypts; `nil` unless these are whole blocks with a correct padding if padding is used.
    static func decrypt(
        _ ciphertext: [UInt8], key: BriefSecret, iv: [UInt8], pads: Bool
    ) throws(TokenFault) -> [UInt8]? {
        guard !ciphertext.isEmpty, ciphertext.count % blockSize == 0 else { return nil }
        return try run(EVP_aes_128_cbc(), key, iv, ciphertext, encrypts: false, pads: pads)
    }

    /// - Returns: `nil`: wrong length or wrong padding.
    private static func run(
        _ algorithm: OpaquePointer?, _ key: BriefSecret, _ iv: [UInt8]?, _ input: [UInt8], encrypts: Bool, pads: Bool
    ) throws(TokenFault) -> [UInt8]? {
        guard key.bytes.count == blockSize, iv.map({ $0.count == blockSize }) ?? true, input.count < 1 << 30 else {
            throw TokenFault("AES-128 has keys and blocks of 16 bytes")
        }
        let context = try requireObject(EVP_CIPHER_CTX_new(), "EVP_CIPHER_CTX_new")
        defer { EVP_CIPHER_CTX_free(context) }
        try requireSuccess(
            EVP_CipherInit_ex2(context, algorithm, key.bytes, iv, encrypts ? 1 : 0, nil), "EVP_CipherInit_ex2")
        try requireSuccess(EVP_CIPHER_CTX_set_padding(context, pads ? 1 : 0), "EVP_CIPHER_CTX_set_padding")
        var output = [UInt8](repeating: 0, count: input.count + blockSize)
        var rest = [UInt8](repeating: 0, count: blockSize)
        defer { rest.wipe() }
        var (length, restLength): (Int32, Int32) = (0, 0)
        let isDone =
            EVP_CipherUpdate(context, &output, &length, input, Int32(input.count)) == 1
            && EVP_CipherFinal_ex(context, &rest, &restLength) == 1
        guard isDone else {
            output.wipe()
            ERR_clear_error()
            return nil
        }
        output.replaceSubrange(Int(length)..., with: rest.prefix(Int(restLength)))
        return output
    }
}
