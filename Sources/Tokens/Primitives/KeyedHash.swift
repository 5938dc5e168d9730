import COpenSSL
package import Engine
package import Possession
internal import Text

/// HMAC-SHA-256 under one key (RFC 2104, FIPS 198-1), with contexts prepared beforehand.
package struct KeyedHash: Sendable {
    private let contexts: ContextPool

    package init(key: SecretBytes) {
        contexts = ContextPool(
            make: { () throws(TokenFault) in
                let algorithm = try requireObject(EVP_MAC_fetch(nil, "HMAC", nil), "EVP_MAC_fetch")
                defer { EVP_MAC_free(algorithm) }
                let context = try requireObject(EVP_MAC_CTX_new(algorithm), "EVP_MAC_CTX_new")
                do throws(TokenFault) { try requireSuccess(Self.setKey(key, in: context), "EVP_MAC_init") } catch {
                    EVP_MAC_CTX_free(context)
                    throw error
                }
                return context
            },
            free: { EVP_MAC_CTX_free($0) })
    }

    /// 32 bytes. A prepared context can fail only when memory is exhausted, which ends a Swift process anyway.
    package func digest(_ message: [UInt8]) -> [UInt8] {
        do {
            return try contexts.withContext { (context) throws(TokenFault) -> [UInt8] in
                // Without a key: restarts with the key that is set.
                try requireSuccess(EVP_MAC_init(context, nil, 0, nil), "EVP_MAC_init")
                try requireSuccess(EVP_MAC_update(context, message, message.count), "EVP_MAC_update")
                var digest = [UInt8](repeating: 0, count: 32)
                var length = 0
                try requireSuccess(EVP_MAC_final(context, &digest, &length, 32), "EVP_MAC_final")
                guard length == 32 else { throw TokenFault("HMAC gave another length") }
                return digest
            }
        } catch { preconditionFailure("HMAC-SHA-256: \(error.reason)") }
    }

    /// Digest of several fields, each preceded by its length, so that two different lists never give the same message.
    package func digest(fields: [some Collection<UInt8>]) -> [UInt8] {
        var message: [UInt8] = []
        message.reserveCapacity(128)
        for field in fields { Self.append(field, to: &message) }
        return digest(message)
    }

    private static func append(_ field: some Collection<UInt8>, to message: inout [UInt8]) {
        let length = UInt32(field.count)
        for shift: UInt32 in [24, 16, 8, 0] { message.append(UInt8(truncatingIfNeeded: length >> shift)) }
        message.append(contentsOf: field)
    }

    /// Whether `code` is the digest of `message`, compared in constant time.
    package func authenticates(_ code: [UInt8], of message: [UInt8]) -> Bool {
        let expected = digest(message)
        return code.count == expected.count && CRYPTO_memcmp(code, expected, expected.count) == 0
    }

    private static func setKey(_ key: SecretBytes, in context: OpaquePointer) -> Int32 {
        key.withBytes { copenssl_hmac_sha256_init(context, $0.bindMemory(to: UInt8.self).baseAddress, $0.count) }
    }
}

extension KeyedHash {
    /// The value by which a number or an address is found in storage, which does not contain it in plain form.
    package func blindIndex(_ target: Target) -> [UInt8] {
        digest(Array(target.canonical.utf8))
    }

    /// The value by which a device ID is found: the ID's first 48 bits, which are its creation time (RFC 9562 section
    /// 5.7), and 128 bits of its digest. New rows therefore go to the end of the index, instead of each touching
    /// another page. The message begins with the length of the ID, so it never equals the message of a number or an
    /// address.
    package func blindIndex(_ id: DeviceID) -> [UInt8] {
        let bytes = id.bytes
        return Array(bytes.prefix(6)) + digest(fields: [bytes]).prefix(16)
    }

    /// The 128 bits by which people with a credential are found. The message has three fields, so it never equals the
    /// message of a number, a device ID or a limit.
    package func blindIndex(_ credential: Identification.Entry) -> [UInt8] {
        Array(digest(fields: ["credential".utf8, credential.name.utf8, credential.value.utf8]).prefix(16))
    }

    /// The key of a stored limit count: 128 bits that do not reveal its subject.
    package func limitKey(_ key: LimitKey) -> [UInt8] {
        var message: [UInt8] = []
        message.reserveCapacity(128)
        Self.append(key.counter.rawValue.utf8, to: &message)
        Self.append(key.subject, to: &message)
        return Array(digest(message).prefix(16))
    }
}

extension KeyedDigests {
    /// The engine's digests, each under a separate key if one exists.
    ///
    /// - Throws: `TokenFault` when a key cannot be derived.
    package convenience init(_ master: MasterKey) throws(TokenFault) {
        let otpHash = KeyedHash(key: try master.subkey(.otp))
        let secretHash = KeyedHash(key: try master.subkey(.clientSecret))
        let apiKeyHash = KeyedHash(key: try master.subkey(.apiKey))
        let bodyHash = KeyedHash(key: try master.subkey(.requestBody))
        let codeLinkHash = KeyedHash(key: try master.subkey(.codeLink))
        let receiptHash = KeyedHash(key: try master.subkey(.receipt))
        let resultHash = KeyedHash(key: try master.subkey(.result))
        let stateHash = KeyedHash(key: try master.subkey(.appState))
        let subjectHash = KeyedHash(key: try master.subkey(.resultSubject))
        let identificationHash = KeyedHash(key: try master.subkey(.identification))
        let hookHash = KeyedHash(key: try master.subkey(.hookSecret))
        self.init(
            otp: { OTPDigest(otpHash.digest(fields: [$0.text.utf8, $1.text.utf8, $2.canonical.utf8])) },
            secret: { SecretDigest(secretHash.digest(fields: [$0.utf8, $1.text.utf8])) },
            apiKey: { SecretDigest(apiKeyHash.digest(Array($0.utf8))) },
            body: { BodyDigest(bodyHash.digest($0)) },
            link: { LinkDigest(SHA256.digest($0)) }, ticket: { TicketDigest(SHA256.digest($0)) },
            flow: { FlowDigest(SHA256.digest($0)) }, exchange: { ExchangeDigest(SHA256.digest($0)) },
            challenge: { CodeChallenge(SHA256.digest($0)) },
            codeLink: { Array(codeLinkHash.digest($0.bytes).prefix(16)) },
            receipt: { Array(receiptHash.digest(fields: [$0.bytes, $1.bytes, Array($2.utf8)]).prefix(16)) },
            result: { Array(resultHash.digest(fields: [$0.bytes, Array($1.text.utf8)]).prefix(16)) },
            appState: { Array(stateHash.digest(fields: [$0, Array($1.text.utf8)]).prefix(16)) },
            subject: { Array(subjectHash.digest(fields: [$0.canonical.utf8, $1.text.utf8]).prefix(16)) },
            identification: { said, network, client in
                var fields = said.entries.flatMap { [Array($0.name.utf8), Array($0.value.utf8)] }
                fields.append(Array(client.text.utf8))
                // One field more than without a network: no other entry has this form.
                if let network { fields.append(network.bytes) }
                return Array(identificationHash.digest(fields: fields).prefix(16))
            },
            hook: { hookHash.digest(fields: [$0.bytes, Array($1.text.utf8)]) },
            text: { Base64URL.encode($0) }, bytes: { Base64URL.decode($0) })
    }
}
