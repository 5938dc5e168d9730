import Foundation
import Engine
import Possession
import SQLiteStorage
import Storage
import Testing
import Tokens

@testable import Administration
@testable import Wiring

/// The private halves of keys that have had their time, in the files of a data directory.
@Suite struct RetiredKeysTests {
    /// Each kind of token has keys of its own.
    private let kinds = StoredSigningKey.Purpose.ofTokens.count
    private let directory = ServerFixture.freshDirectory()
    private let start = Timestamp(seconds: 1_800_000_000)

    private func files() -> [UInt8] {
        ["holdfast.db", "holdfast.db-wal"].flatMap {
            [UInt8](FileManager.default.contents(atPath: directory + "/" + $0) ?? Data())
        }
    }

    private func holds(_ bytes: [UInt8], _ part: [UInt8]) -> Bool {
        Data(bytes).range(of: Data(part)) != nil
    }

    @Test func `are in no file once their successors sign, and stay away over a restart`() async throws {
        let configuration = try ServerFixture.configuration(directory)
        let (start, later) = (start, start.adding(.seconds(301)))
        var store = try await Store.open(configuration, now: { start })
        _ = try await store.keeper.load(at: start)
        try await store.administrator { _ in }.rotateKeys()
        let sealed = try await store.signingKeys.signingKeys().filter { $0.activatesAt == start }
        #expect(sealed.count == kinds)
        for key in sealed {
            guard case .sealedPrivate(let bytes) = key.half else { throw TokenFault("no private half") }
            #expect(holds(files(), bytes))
        }
        #expect(try await store.administrator { _ in }.retireKeys(at: later) == kinds)
        for key in sealed {
            guard case .sealedPrivate(let bytes) = key.half else { throw TokenFault("no private half") }
            #expect(!holds(files(), bytes))
        }
        await store.close()

        store = try await Store.open(configuration, now: { later })
        let keys = try await store.administrator { _ in }.keys()
        #expect(keys.count == 2 * kinds)
        #expect(keys.filter { $0.key.key == nil }.map(\.key.kid).sorted() == sealed.map(\.kid).sorted())
        #expect(keys.filter { $0.key.key == nil }.allSatisfy { !$0.signs && $0.verifiesUntil != nil })
        // The longest token lives an hour.
        #expect(try await store.administrator { _ in }.retireKeys(at: later.adding(.seconds(3630))) == 0)
        #expect(try await store.administrator { _ in }.keys().count == kinds)
        await store.close()
    }
}
