package import Engine
package import Possession
internal import Secrets

extension PowerAuthProtocol {
    package func activate(
        _ id: ActivationID, devicePublicKey: [UInt8]
    ) throws(DeviceProtocolError) -> NewActivation {
        guard let point = try? CurvePoint(encoded: devicePublicKey) else { throw .refused }
        return try withFault { () throws(TokenFault) in
            let serverKey = try SigningKey.generate()
            let keys = try ActivationKeys(serverKey.handle, agreeing: point)
            let counter = SignatureCounter(data: try random(KeyDerivation.keySize))
            return NewActivation(
                secrets: ActivationSecrets(
                    keys: try seal(keys.bytes, .activation, of: id.bytes), counter: try seal(counter, of: id)),
                serverPublicKey: serverKey.publicKey.uncompressed, counterData: counter.data)
        }
    }

    package func statusBlob(
        of id: ActivationID, _ secrets: ActivationSecrets, _ status: ActivationStatus, challenge: [UInt8]
    ) throws(DeviceProtocolError) -> StatusBlob {
        guard challenge.count == StatusBlobCipher.nonceSize else { throw .refused }
        return try withFault { () throws(TokenFault) in
            let transportKey = try keys(of: id, secrets).transportKey()
            let nonce = try random(StatusBlobCipher.nonceSize)
            let plain = try StatusBlobCipher.plain(
                status, try counter(of: id, secrets), transportKey: transportKey,
                random: try random(StatusBlobCipher.randomSize))
            return StatusBlob(
                encrypted: try StatusBlobCipher.encrypt(
                    plain, transportKey: transportKey, challenge: challenge, nonce: nonce),
                nonce: nonce)
        }
    }

    package func statusBlobOfNobody() throws(TokenFault) -> StatusBlob {
        StatusBlob(
            encrypted: try random(StatusBlobCipher.size), nonce: try random(StatusBlobCipher.nonceSize))
    }

    package func vaultKey(of id: ActivationID, _ secrets: ActivationSecrets) throws(TokenFault) -> [UInt8] {
        let keys = try keys(of: id, secrets)
        return try AES128.encrypt(
            try keys.vaultKey().bytes, key: try keys.transportKey(), iv: [UInt8](repeating: 0, count: AES128.blockSize),
            pads: true)
    }

    func seal(_ counter: SignatureCounter, of id: ActivationID) throws(TokenFault) -> [UInt8] {
        try seal(counter.bytes, .counter, of: id.bytes)
    }
}
