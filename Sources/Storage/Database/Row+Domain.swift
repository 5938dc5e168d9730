internal import Engine
internal import Possession
internal import Records

/// Columns with values of the domain, checked by the domain's own rules.
extension Row {
    mutating func clientID(_ name: StaticString) throws(StorageFault) -> ClientID {
        guard let id = ClientID(try text(name)) else { throw .corrupt(name) }
        return id
    }

    mutating func thumbprint(_ name: StaticString) throws(StorageFault) -> Thumbprint {
        guard let thumbprint = try optionalThumbprint(name) else { throw .corrupt(name) }
        return thumbprint
    }

    mutating func optionalThumbprint(_ name: StaticString) throws(StorageFault) -> Thumbprint? {
        guard let bytes = try optionalBlob(name) else { return nil }
        guard let thumbprint = Thumbprint(bytes) else { throw .corrupt(name) }
        return thumbprint
    }

    mutating func publicKey(_ name: StaticString) throws(StorageFault) -> PublicKey {
        guard let key = try optionalPublicKey(name) else { throw .corrupt(name) }
        return key
    }

    /// Both coordinates in one column.
    mutating func optionalPublicKey(_ name: StaticString) throws(StorageFault) -> PublicKey? {
        guard let bytes = try optionalBlob(name) else { return nil }
        guard bytes.count == 64, let key = PublicKey(x: Array(bytes[..<32]), y: Array(bytes[32...])) else {
            throw .corrupt(name)
        }
        return key
    }
}
