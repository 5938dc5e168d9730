#if canImport(CryptoKit)
    import CryptoKit
    import Foundation

    /// A P-256 key of CryptoKit. The first byte of its representation tells where it lives.
    private enum Place: UInt8 {
        case software = 1
        case secureEnclave = 2
    }

    private struct SoftwareKey: SigningKey {
        let key: P256.Signing.PrivateKey
        var publicKey: Data { key.publicKey.rawRepresentation }
        var representation: Data { Data([Place.software.rawValue]) + key.rawRepresentation }
        func signature(for bytes: Data) throws -> Data { try key.signature(for: bytes).rawRepresentation }
    }

    private struct EnclaveKey: SigningKey {
        let key: SecureEnclave.P256.Signing.PrivateKey
        var publicKey: Data { key.publicKey.rawRepresentation }
        var representation: Data { Data([Place.secureEnclave.rawValue]) + key.dataRepresentation }
        func signature(for bytes: Data) throws -> Data { try key.signature(for: bytes).rawRepresentation }
    }

    struct PlatformKeyMaker: KeyMaker {
        func makeKey(isDeviceKey: Bool) throws -> any SigningKey {
            // The Simulator and old Macs have no Secure Enclave; a process without entitlements may not use it.
            if isDeviceKey, SecureEnclave.isAvailable, let key = try? SecureEnclave.P256.Signing.PrivateKey() {
                return EnclaveKey(key: key)
            }
            return SoftwareKey(key: P256.Signing.PrivateKey())
        }

        func key(of representation: Data) throws -> any SigningKey {
            let rest = representation.dropFirst()
            switch representation.first.flatMap(Place.init(rawValue:)) {
            case .software: return SoftwareKey(key: try P256.Signing.PrivateKey(rawRepresentation: Data(rest)))
            case .secureEnclave:
                return EnclaveKey(key: try SecureEnclave.P256.Signing.PrivateKey(dataRepresentation: Data(rest)))
            case nil: throw KeyFailure(what: "this is no stored key")
            }
        }
    }

    func sha256(_ bytes: Data) -> Data {
        Data(SHA256.hash(data: bytes))
    }
#endif
