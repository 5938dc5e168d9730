@testable import Possession
@testable import Tokens

extension FuzzTarget {
    /// The keyset, without its cipher: what is read is written as the same bytes, has a generation that seals, and gives
    /// the keys of each.
    static let keyset = FuzzTarget("keyset", maxBytes: 1024) { bytes in
        guard let read = try? Keyset(encoded: bytes) else { return }
        require(read.encoded == bytes, "the same after writing")
        let numbers = Set(read.generations.map(\.number))
        require(numbers.count == read.generations.count && !numbers.contains(0), "generations are told apart")
        guard let keys = try? read.sealingKeys(.seal) else { fatalError("does not hold: a generation has a key") }
        require(Set(keys.keys.keys) == numbers && keys.current == read.current.number, "each has its key")
        require(read.keeping([]).generations.count == 1, "the one that seals stays")
    }
}
