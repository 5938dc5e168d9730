import Possession
import Testing

@testable import SQLiteStorage
@testable import Storage

@Suite struct WitnessTests {
    private static func witness(_ sequence: UInt64) -> Witness {
        Witness(
            sequence: sequence, commits: 70 + Int(sequence),
            log: LogPosition(
                salts: .max, frames: 12, checksum: 0x1234_5678_9ABC_DEF0, commits: 5),
            stored: CommitMark(commits: 69, chain: 1 << 63), commitsInFile: 60,
            moved: MovedLog(salts: 1 << 62, frames: 9))
    }

    private static func file(_ witnesses: [Witness]) -> [UInt8] {
        var file = [UInt8](repeating: 0, count: WitnessForm.fileBytes)
        for witness in witnesses {
            let start = WitnessForm.offset(witness.sequence)
            file.replaceSubrange(start..<start + WitnessForm.slotBytes, with: WitnessForm.bytes(witness))
        }
        return file
    }

    @Test func `reads what was written, and of two slots the later one`() {
        #expect(WitnessForm.witness(Self.file([Self.witness(4)])) == Self.witness(4))
        #expect(WitnessForm.witness(Self.file([Self.witness(4), Self.witness(5)])) == Self.witness(5))
        #expect(WitnessForm.witness(Self.file([Self.witness(6), Self.witness(5)])) == Self.witness(6))
    }

    @Test func `reads the form of before, which names no log that was moved`() throws {
        var old = Self.witness(5)
        old.moved = .none
        // The words up to the commits in the file, under the other mark, and their checksum.
        var bytes = Array(WitnessForm.bytes(old)[..<80])
        bytes[7] = UInt8(ascii: "1")
        var sum = Mixing()
        for start in stride(from: 0, to: 80, by: 8) {
            sum.add(bytes[start..<start + 8].reversed().reduce(0) { $0 << 8 | UInt64($1) })
        }
        for shift in 0..<8 { bytes.append(UInt8(truncatingIfNeeded: sum.value >> (8 * shift))) }
        var file = Self.file([Self.witness(4)])
        let start = WitnessForm.offset(5)
        file.replaceSubrange(start..<start + bytes.count, with: bytes)
        #expect(WitnessForm.witness(file) == old)
        file[start + 16] ^= 1
        #expect(WitnessForm.witness(file) == Self.witness(4))
    }

    @Test func `a slot with one other bit is ignored for the other slot`() {
        let file = Self.file([Self.witness(4), Self.witness(5)])
        let start = WitnessForm.offset(5)
        for bit in 0..<WitnessForm.slotBytes * 8 {
            var damaged = file
            damaged[start + bit / 8] ^= 1 << UInt8(bit % 8)
            #expect(WitnessForm.witness(damaged) == Self.witness(4), "bit \(bit)")
        }
    }

    @Test func `a slot that was cut in two anywhere is ignored`() {
        let (old, new) = (
            Self.file([Self.witness(3), Self.witness(4)]), Self.file([Self.witness(5), Self.witness(4)])
        )
        let start = WitnessForm.offset(5)
        for cut in 0...WitnessForm.slotBytes {
            let torn = Array(new[..<(start + cut)]) + old[(start + cut)...]
            let isWhole = torn[start..<start + WitnessForm.slotBytes] == new[start..<start + WitnessForm.slotBytes]
            #expect(WitnessForm.witness(torn) == Self.witness(isWhole ? 5 : 4), "\(cut)")
        }
    }

    @Test func `a file that is short, of zeros or of something else has none`() {
        for file in [[], [UInt8](repeating: 0, count: 8192), [UInt8](repeating: 0xFF, count: 8192), [1, 2, 3]] {
            #expect(WitnessForm.witness(file) == nil)
        }
        let file = Self.file([Self.witness(4), Self.witness(5)])
        #expect(WitnessForm.witness(Array(file[..<4096])) == Self.witness(4))
    }
}

@Suite struct LogScanTests {
    @Test func `takes as many commits of a log as the engine does, and goes on from there`() async throws {
        let folder = try TemporaryFolder()
        let path = folder.path + "/a.db"
        let connection = try SQLiteConnection(path: path, .writer)
        try connection.configureWriter()
        #expect(LogScan(path: path + "-wal").header == .none)
        try connection.runScript("CREATE TABLE t (a)")
        var scan = LogScan(path: path + "-wal")
        #expect(scan.end.commits == 1)
        for number in 1...5 {
            try connection.runScript("INSERT INTO t VALUES (zeroblob(\(number * 3000)))")
            scan.advance()
            #expect(scan.end.commits == number + 1 && scan.brokenFrame == nil)
            let whole = LogScan(path: path + "-wal", watching: scan.end.frames)
            #expect(whole.end == scan.end && whole.watchedChecksum == scan.end.checksum)
            let end = try #require(connection.logEnd(frames: scan.end.frames, pageBytes: 4096))
            #expect(end.salts == scan.end.salts && end.checksum == scan.end.checksum)
        }
        // A log that begins again in the same file has other salts; what is left of the old one is not of it.
        #expect(try connection.checkpoint(.restart) == 0)
        try connection.runScript("INSERT INTO t VALUES (1)")
        let old = scan
        scan.advance()
        #expect(scan.end.salts != old.end.salts && scan.end.commits == 1 && scan.end.frames < old.end.frames)
        #expect(scan.brokenFrame == nil && scan.durableCommitsCutOff == 0 && scan.framesInFile == old.framesInFile)
        // A transaction that was not ended is no commit.
        try connection.runScript("PRAGMA cache_size = 5; BEGIN; INSERT INTO t VALUES (zeroblob(200000))")
        let open = scan
        scan.advance()
        #expect(scan.end == open.end && scan.brokenFrame == nil)
        try connection.runScript("ROLLBACK")
        #expect(try connection.checkpoint(.truncate) == 0)
        scan.advance()
        #expect(scan.header == .none && scan.end == .none)
    }
}
