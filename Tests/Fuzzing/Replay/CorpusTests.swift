internal import Foundation
internal import Testing

/// Every kept input of every fuzz target, once and as it is. `scripts/fuzz` goes on from them.
@Suite struct CorpusTests {
    private static let corpus = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .appending(path: "Corpus")

    /// A rule that does not hold ends the process, and says which input it was.
    @Test(arguments: FuzzTarget.all.map(\.name))
    func `what holds of any input holds of the kept ones`(name: String) throws {
        let target = try #require(FuzzTarget.all.first { $0.name == name })
        let files = try FileManager.default.contentsOfDirectory(
            at: Self.corpus.appending(path: name), includingPropertiesForKeys: nil)
        #expect(!files.isEmpty)
        for file in files.sorted(by: { $0.path < $1.path }) {
            let bytes = [UInt8](try Data(contentsOf: file))
            FuzzTarget.$input.withValue("\(name)/\(file.lastPathComponent)") { target.take(bytes) }
        }
    }

    @Test func `no kept input is without a target`() throws {
        let folders = try FileManager.default.contentsOfDirectory(atPath: Self.corpus.path)
        #expect(Set(folders) == Set(FuzzTarget.all.map(\.name)))
    }
}
