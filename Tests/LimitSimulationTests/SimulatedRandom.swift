#if canImport(Glibc)
    internal import Glibc
#else
    internal import Darwin
#endif

/// SplitMix64: small, fast, and the same on every machine. One seed gives one run.
struct SimulatedRandom: RandomNumberGenerator, Sendable {
    private var state: UInt64

    init(seed: UInt64) { state = seed }

    /// A stream of its own, so that what one person draws changes nothing for the next.
    init(seed: UInt64, stream: Int) {
        var mixer = SimulatedRandom(seed: seed ^ (UInt64(truncatingIfNeeded: stream) &* 0xd134_2543_de82_ef95))
        state = mixer.next()
    }

    mutating func next() -> UInt64 {
        state &+= 0x9e37_79b9_7f4a_7c15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xbf58_476d_1ce4_e5b9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94d0_49bb_1331_11eb
        return mixed ^ (mixed >> 31)
    }

    /// In 0 ..< 1.
    mutating func unit() -> Double { Double(next() >> 11) * 0x1p-53 }

    mutating func below(_ count: Int) -> Int { Int(unit() * Double(count)) }

    mutating func happens(_ chance: Double) -> Bool { unit() < chance }

    /// Evenly between two moments or waits.
    mutating func between(_ low: Int64, _ high: Int64) -> Int64 { low + Int64(unit() * Double(high - low)) }

    /// Exponential with mean 1.
    mutating func exponential() -> Double { -log(1 - unit()) }

    /// Normal with mean 0 and deviation 1: the sum of twelve even draws, which is close enough here.
    mutating func normal() -> Double { (0..<12).reduce(-6) { sum, _ in sum + unit() } }
}
