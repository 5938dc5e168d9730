internal import Glibc

/// The target of this process, read once: libFuzzer has no place to keep it.
private let chosen: FuzzTarget = {
    let name = getenv("HOLDFAST_FUZZ_TARGET").map { String(cString: $0) } ?? ""
    guard let target = FuzzTarget.all.first(where: { $0.name == name }) else {
        for target in FuzzTarget.all { print(target.name, target.maxBytes) }
        exit(name.isEmpty ? 0 : 2)
    }
    return target
}()

/// Chooses the target that `HOLDFAST_FUZZ_TARGET` names. Without one it prints them all, with the longest input of each,
/// and ends.
@_cdecl("holdfast_fuzz_begin")
public func begin() {
    _ = chosen
}

/// Gives the target one input, and a few inputs a second time, made long: for work that grows faster than its input.
@_cdecl("holdfast_fuzz_take")
public func take(_ start: UnsafePointer<UInt8>?, _ count: Int) {
    let bytes = Array(UnsafeBufferPointer(start: start, count: count))
    WorkBound.hold(bytes, chosen.take)
    if let long = WorkBound.stretched(bytes) { WorkBound.hold(long, chosen.take) }
}

/// The bound on the work of one input.
private enum WorkBound {
    /// Nanoseconds of this thread's processor time: far above what any input needs, in a build that counts its edges on
    /// a busy machine, and far below what work that grows with the square of a long input takes.
    private static let baseNanoseconds: UInt64 = 500_000_000
    private static let nanosecondsAByte: UInt64 = 10_000
    /// Long enough that a square shows: of 64 KiB, four thousand million steps where a second is allowed.
    private static let longBytes = 65_536
    /// One input in so many is made long.
    private static let rarity: UInt64 = 128

    static func hold(_ bytes: [UInt8], _ take: ([UInt8]) -> Void) {
        let before = now()
        take(bytes)
        let spent = now() - before
        let bound = baseNanoseconds + nanosecondsAByte * UInt64(bytes.count)
        require(spent <= bound, "\(spent / 1_000_000) ms for \(bytes.count) bytes, at most \(bound / 1_000_000)")
    }

    /// The input with a part of it repeated, so that the whole is long. Which inputs and which part, their bytes decide.
    static func stretched(_ bytes: [UInt8]) -> [UInt8]? {
        guard !bytes.isEmpty else { return nil }
        // FNV-1a, 64 bits.
        let hash = bytes.reduce(0xCBF2_9CE4_8422_2325 as UInt64) { ($0 ^ UInt64($1)) &* 0x100_0000_01B3 }
        guard hash >> 56 % rarity == 0 else { return nil }
        let start = Int(hash >> 24 & 0xFFFF) % bytes.count
        let length = 1 + Int(hash >> 40 & 0xFFFF) % min(64, bytes.count - start)
        let part = bytes[start..<(start + length)]
        var long = Array(bytes[..<start])
        while long.count < longBytes { long += part }
        return long + bytes[(start + length)...]
    }

    private static func now() -> UInt64 {
        var time = timespec()
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
        return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
    }
}
