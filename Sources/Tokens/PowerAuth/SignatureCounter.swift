import Engine
import Possession

/// The counter of an activation's signatures: a value in a hash chain, and its position. Sealed as 16 and 8 bytes.
struct SignatureCounter: Sendable, Equatable {
    /// "ctrData", 16 bytes.
    let data: [UInt8]
    let number: UInt64

    init(data: [UInt8], number: UInt64 = 0) {
        precondition(data.count == KeyDerivation.keySize, "a counter has 16 bytes")
        self.data = data
        self.number = number
    }

    /// - Throws: `TokenFault` for malformed bytes.
    init(bytes: [UInt8]) throws(TokenFault) {
        guard bytes.count == 24 else { throw TokenFault("no counter") }
        self.init(data: Array(bytes.prefix(16)), number: bytes.suffix(8).reduce(0) { $0 << 8 | UInt64($1) })
    }

    var bytes: [UInt8] { data + number.bigEndianBytes }

    /// The next counter.
    var successor: SignatureCounter {
        SignatureCounter(data: KeyDerivation.fold(SHA256.digest(data)), number: number &+ 1)
    }
}
