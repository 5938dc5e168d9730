import Foundation
import Possession
import Testing
import Text

@testable import Backups
@testable import Tokens

/// A folder that goes with its owner, and what a backup is made with.
final class BackupFixture {
    let path: String
    static let chunk = ChunkCipher.chunkBytes
    static let sealedChunk = ChunkCipher.chunkBytes + ChunkCipher.overhead

    init() throws {
        path = FileManager.default.temporaryDirectory.appendingPathComponent("holdfast-\(UUID().uuidString)").path
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    }

    deinit { try? FileManager.default.removeItem(atPath: path) }

    static func keys(_ byte: UInt8 = 1) throws -> BackupKeys {
        try BackupKeys(#require(MasterKey([UInt8](repeating: byte, count: 32))))
    }

    static func manifest(bytes: Int) -> BackupManifest {
        BackupManifest(
            madeAt: Timestamp(milliseconds: 1_790_000_000_000), program: "0.9.0", mode: "live", migration: 10,
            commits: 4711, databaseBytes: bytes,
            tables: [.init(name: "sessions", rows: 12), .init(name: "people", rows: 0)])
    }

    static func content(_ count: Int) -> [UInt8] {
        (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 7 &+ $0 >> 8) }
    }

    /// Bytes of the manifest in the stream, with their length.
    static func head(of count: Int) -> Int { 4 + manifest(bytes: count).bytes.count }

    /// A backup of so many bytes, written in pieces.
    func make(
        _ name: String = "backup", content: [UInt8], pieces: Int = 10_000, salt: UInt8 = 9, declared: Int? = nil
    ) throws -> String {
        let file = path + "/" + name
        let writer = try BackupWriter(
            file, try Self.keys(), salt: [UInt8](repeating: salt, count: 32),
            Self.manifest(bytes: declared ?? content.count))
        for start in stride(from: 0, to: content.count, by: pieces) {
            try writer.write(Array(content[start..<min(content.count, start + pieces)]))
        }
        try writer.finish()
        return file
    }

    func read(_ file: String, _ keys: BackupKeys) throws -> [UInt8] {
        let reader = try BackupReader(file, keys)
        var all: [UInt8] = []
        while let bytes = try reader.next() { all += bytes }
        return all
    }

    func bytes(_ file: String) throws -> [UInt8] { Array(try Data(contentsOf: URL(fileURLWithPath: file))) }

    /// The fault of a file with these bytes.
    func fault(_ bytes: [UInt8]) throws -> BackupFault? {
        let file = path + "/spoiled"
        try Data(bytes).write(to: URL(fileURLWithPath: file))
        do {
            _ = try read(file, try Self.keys())
            return nil
        } catch { return try #require(error as? BackupFault) }
    }
}

@Suite struct BackupFormTests {
    /// Around the borders of chunks, of which the manifest has a part.
    private static let sizes: [Int] = {
        let chunk = BackupFixture.chunk
        let borders = [chunk, 2 * chunk, 3 * chunk].flatMap { border in
            [-1, 0, 1].map { border - BackupFixture.head(of: border) + $0 }
        }
        return [0, 1, 4096] + borders
    }()

    @Test(arguments: sizes) func `gives back what was written, whatever its size`(size: Int) throws {
        let fixture = try BackupFixture()
        let content = BackupFixture.content(size)
        for pieces in [1 << 20, 4096] {
            let file = try fixture.make("\(pieces)", content: content, pieces: pieces)
            #expect(try fixture.read(file, BackupFixture.keys()) == content)
            #expect(try BackupReader(file, BackupFixture.keys()).manifest == BackupFixture.manifest(bytes: size))
        }
    }

    @Test func `is told from a file that was cut off anywhere`() throws {
        let fixture = try BackupFixture()
        let bytes = try fixture.bytes(try fixture.make(content: BackupFixture.content(300)))
        for count in 0..<bytes.count { #expect(try fixture.fault(Array(bytes.prefix(count))) != nil, "\(count) bytes") }
        let long = try fixture.bytes(try fixture.make("long", content: BackupFixture.content(200_000)))
        for chunk in 0...3 {
            for extra in [-1, 0, 1, 16, 17] {
                let count = BackupHeader.size + chunk * BackupFixture.sealedChunk + extra
                guard count < long.count else { continue }
                #expect(try fixture.fault(Array(long.prefix(count))) != nil, "\(count) bytes")
            }
        }
    }

    @Test func `is told from a file with a changed bit anywhere`() throws {
        let fixture = try BackupFixture()
        let bytes = try fixture.bytes(try fixture.make(content: BackupFixture.content(200)))
        for index in bytes.indices {
            for bit in 0..<8 {
                var spoiled = bytes
                spoiled[index] ^= 1 << bit
                #expect(try fixture.fault(spoiled) != nil, "bit \(bit) of byte \(index)")
            }
        }
    }

    @Test func `is told from a file whose chunks stand elsewhere`() throws {
        let fixture = try BackupFixture()
        let size = BackupFixture.sealedChunk
        let content = BackupFixture.content(4 * BackupFixture.chunk + 100)
        let bytes = try fixture.bytes(try fixture.make(content: content))
        let other = try fixture.bytes(try fixture.make("other", content: content, salt: 10))
        func chunk(_ number: Int, of bytes: [UInt8]) -> [UInt8] {
            let start = BackupHeader.size + number * size
            return Array(bytes[start..<min(bytes.count, start + size)])
        }
        let header = Array(bytes.prefix(BackupHeader.size))
        func file(_ numbers: [Int]) -> [UInt8] { header + numbers.flatMap { chunk($0, of: bytes) } }
        #expect(try fixture.fault(file([0, 1, 2, 3, 4])) == nil)
        let orders = [
            [0, 2, 1, 3, 4], [0, 1, 1, 2, 3, 4], [0, 1, 3, 4], [0, 1, 2, 3], [0, 1, 2, 3, 4, 4], [1, 2, 3, 4],
        ]
        for numbers in orders {
            let fault = try fixture.fault(file(numbers))
            guard case .damaged = fault else {
                Issue.record("\(numbers): \(String(describing: fault))")
                continue
            }
        }
        // A chunk of a backup under the same master key, and under the header of another one.
        let mixed = file([0, 1]) + chunk(2, of: other) + chunk(3, of: bytes) + chunk(4, of: bytes)
        #expect(try fixture.fault(mixed) != nil)
        #expect(try fixture.fault(Array(other.prefix(BackupHeader.size)) + bytes.dropFirst(BackupHeader.size)) != nil)
    }

    @Test func `names another master key, a later form, and what is no backup`() throws {
        let fixture = try BackupFixture()
        let file = try fixture.make(content: BackupFixture.content(10))
        let (wanted, given) = try (BackupFixture.keys().id, BackupFixture.keys(2).id)
        #expect(throws: BackupFault.otherKey(path: file, wanted: Hex.text(wanted), given: Hex.text(given))) {
            try fixture.read(file, BackupFixture.keys(2))
        }
        var later = try fixture.bytes(file)
        later[15] = 2
        #expect(try fixture.fault(later) == .newer(path: fixture.path + "/spoiled", form: 2))
        #expect(try fixture.fault(Array("SQLite format 3".utf8)) == .foreign(path: fixture.path + "/spoiled"))
        #expect(try fixture.fault([]) == .foreign(path: fixture.path + "/spoiled"))
        #expect(throws: BackupFault.self) { try fixture.read(fixture.path, BackupFixture.keys()) }
    }

    @Test(arguments: [9, 11, 0]) func `refuses a content of another size than its manifest says`(declared: Int) throws {
        let fixture = try BackupFixture()
        let file = try fixture.make(content: BackupFixture.content(10), declared: declared)
        let fault = #expect(throws: BackupFault.self) { try fixture.read(file, BackupFixture.keys()) }
        guard case .contradiction = fault else {
            Issue.record("\(String(describing: fault))")
            return
        }
    }

    @Test func `holds nothing of its content in clear, is its owner's only, and replaces nothing`() throws {
        let fixture = try BackupFixture()
        let secret = Array("+12001004014".utf8)
        let file = try fixture.make(content: secret)
        let bytes = try fixture.bytes(file)
        #expect(bytes.firstRange(of: secret) == nil && bytes.firstRange(of: Array("sessions".utf8)) == nil)
        let mode = try FileManager.default.attributesOfItem(atPath: file)[.posixPermissions] as? Int
        #expect(mode == 0o600)
        #expect(throws: BackupFault.self) { try fixture.make(content: []) }
        // The same content under another salt has nothing in common.
        let other = try fixture.bytes(try fixture.make("other", content: secret, salt: 10))
        #expect(bytes.count == other.count && bytes.suffix(100) != other.suffix(100))
    }
}

@Suite struct BackupManifestTests {
    private func parsed(_ text: String) -> BackupManifest? { BackupManifest(Array(text.utf8)) }

    private static let sound = """
        {"madeAtMs":1,"program":"1","mode":"live","migration":1,"commits":2,"databaseBytes":3,
         "rows":[{"table":"a","rows":4}]}
        """

    @Test func `leaves what a later version has added`() {
        let later = Self.sound.replacingOccurrences(of: #""mode":"#, with: #""more":[1],"mode":"#)
        #expect(parsed(Self.sound) != nil && parsed(later) == parsed(Self.sound))
    }

    @Test(arguments: [
        (#""madeAtMs":1"#, #""madeAtMs":-1"#), (#""madeAtMs":1"#, #""madeAtMs":"1""#), (#""commits":2,"#, ""),
        (#""databaseBytes":3"#, #""databaseBytes":2305843009213693952"#), (#""mode":"live""#, #""mode":1"#),
        (#""rows":4"#, #""rows":-4"#), (#""rows":4"#, #""rows":1125899906842624"#), (#""table":"a""#, #""table":1"#),
        (#"[{"table""#, #"[1,{"table""#), ("}", ""),
    ]) func `refuses what it cannot be`(part: String, spoiled: String) {
        #expect(parsed(Self.sound.replacingOccurrences(of: part, with: spoiled)) == nil)
    }

    @Test func `refuses one that is too long`() {
        #expect(BackupManifest(Array(Self.sound.utf8) + [UInt8](repeating: 32, count: BackupManifest.mostBytes)) == nil)
    }
}
