/// The last acknowledged commit, as `holdfast.commits` stores it: the number of commits, and the log position of the
/// last one.
struct Witness: Equatable {
    /// Counts writes of the file: of the two slots, the one with the higher number is valid.
    var sequence: UInt64 = 0
    /// The number of the last commit that was durable.
    var commits = 0
    /// Its position; `.none`: all commits are in the database file.
    var log = LogPosition.none
    /// The mark inside the database, including all of `log`.
    var stored = CommitMark.none
    /// Number of commits that the database file must have without its log: fewer means that it is an older file.
    var commitsInFile = 0
    /// The last log that was completely moved to the database file. If a power loss leaves a rest of it, the rest is
    /// not needed.
    var moved = MovedLog.none
}

/// File format of a witness: two slots, a page apart, written in turn.
///
///     slot: mark, sequence, commits, salts, frames, checksum, commits in the log, stored commits, stored chain,
///           commits in the file, salts and frames of the log that was moved, and a checksum over these; words of
///           64 bits, least significant byte first
///
/// A slot that a crash left incomplete is ignored; the other slot has the previous state.
enum WitnessForm {
    private static let mark: UInt64 = 0x3273_7469_6D6D_6F63  // "commits2"
    /// The earlier format, without the moved log.
    private static let firstMark: UInt64 = 0x3173_7469_6D6D_6F63  // "commits1"
    private static let words = 13
    private static let firstWords = 11
    static let slotBytes = words * 8
    static let slotGap = 4096
    static let fileBytes = 2 * slotGap

    static func offset(_ sequence: UInt64) -> Int { Int(sequence & 1) * slotGap }

    static func bytes(_ witness: Witness) -> [UInt8] {
        let values: [UInt64] = [
            mark, witness.sequence, UInt64(witness.commits), witness.log.salts, UInt64(witness.log.frames),
            witness.log.checksum, UInt64(witness.log.commits), UInt64(witness.stored.commits), witness.stored.chain,
            UInt64(witness.commitsInFile), witness.moved.salts, UInt64(witness.moved.frames),
        ]
        var sum = Mixing()
        for value in values { sum.add(value) }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(slotBytes)
        for value in values + [sum.value] {
            for shift in 0..<8 { bytes.append(UInt8(truncatingIfNeeded: value >> (8 * shift))) }
        }
        return bytes
    }

    /// The later of the intact slots; `nil`: neither is intact.
    static func witness(_ file: [UInt8]) -> Witness? {
        let slots = [0, slotGap].compactMap { offset -> Witness? in
            guard file.count >= offset + slotBytes else { return nil }
            return slot(file[offset..<offset + slotBytes])
        }
        return slots.max { $0.sequence < $1.sequence }
    }

    private static func slot(_ bytes: ArraySlice<UInt8>) -> Witness? {
        var values = (0..<words).map { index in
            bytes.dropFirst(index * 8).prefix(8).reversed().reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
        }
        if values[0] == firstMark {
            // Its checksum directly follows the commits in the file.
            let sum = values[firstWords - 1]
            values = values.prefix(firstWords - 1) + [0, 0, sum]
        }
        var sum = Mixing()
        for value in values[0] == firstMark ? values.prefix(firstWords - 1) : values.dropLast() { sum.add(value) }
        let counts = [2, 4, 6, 7, 9, 11].compactMap { Int(exactly: values[$0]) }.filter { $0 <= CommitMark.most }
        guard values[0] == mark || values[0] == firstMark, values[words - 1] == sum.value, counts.count == 6 else {
            return nil
        }
        return Witness(
            sequence: values[1], commits: counts[0],
            log: LogPosition(salts: values[3], frames: counts[1], checksum: values[5], commits: counts[2]),
            stored: CommitMark(commits: counts[3], chain: values[8]), commitsInFile: counts[4],
            moved: MovedLog(salts: values[10], frames: counts[5]))
    }
}
