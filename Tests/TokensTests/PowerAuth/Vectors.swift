import Foundation

/// The published values in `Tests/Vectors/powerauth.json`, which says where they are from. Members that hold bytes are Base64.
struct Vectors: Decodable {
    struct Message: Decodable {
        let ephemeralPublicKey: Data?
        let temporaryKeyId: String?
        let encryptedData: Data
        let mac: Data
        let nonce: Data
        let timestamp: Int64
    }

    struct Exchange: Decodable {
        let protocolVersion: String
        let sharedInfo1: String
        let applicationKey: String
        let applicationSecret: Data
        let privateKey: Data?
        let publicKey: Data?
        let activationId: String?
        let transportKey: Data?
        let associatedData: Data?
        let envelopeKey: Data
        let sharedSecret: Data?
        let requestSharedInfo2: Data?
        let responseSharedInfo2: Data?
        let request: Message
        let response: Message
        let plainRequest: Data
        let plainResponse: Data
    }

    struct MasterSecret: Decodable {
        let devicePrivateKey: Data?
        let devicePublicKey: Data
        let serverPrivateKey: Data
        let serverPublicKey: Data?
        let masterSecretKey: Data
    }

    struct DerivedKeys: Decodable {
        let masterSecretKey: Data
        let possession: Data
        let knowledge: Data
        let biometry: Data
        let transport: Data
        let vault: Data
    }

    struct StatusIV: Decodable {
        let transport: Data
        let challenge: Data
        let nonce: Data
        let iv: Data
    }

    struct StatusBlob: Decodable {
        let transport: Data
        let challenge: Data
        let nonce: Data
        let ctrData: Data
        let encryptedStatusBlob: Data
        let state: UInt8
        let failedAttempts: UInt8
        let maxFailedAttempts: UInt8
        let counterByte: UInt64
        let ctrDataHash: Data
    }

    struct Signature: Decodable {
        let possession: Data
        let knowledge: Data
        let biometry: Data
        let type: String
        let ctrData: Data
        let data: Data
        let signature: Data
    }

    struct CodeSignature: Decodable {
        let code: String
        let masterPublicKey: Data
        let signature: Data
    }

    struct Configuration: Decodable {
        let configuration: String
        let applicationKey: String
        let applicationSecret: Data
        let masterPublicKey: Data
    }

    let envelopes: [Exchange]
    let masterSecrets: [MasterSecret]
    let derivedKeys: [DerivedKeys]
    let statusIVs: [StatusIV]
    let statusBlobs: [StatusBlob]
    let signatures: [Signature]
    let activationCodeSignatures: [CodeSignature]
    let configurations: [Configuration]

    static func published() throws -> Vectors {
        let file = URL(fileURLWithPath: #filePath).deletingLastPathComponent().path + "/../../Vectors/powerauth.json"
        return try JSONDecoder().decode(Vectors.self, from: Data(contentsOf: URL(fileURLWithPath: file)))
    }
}

extension Data {
    var bytes: [UInt8] { Array(self) }
}
