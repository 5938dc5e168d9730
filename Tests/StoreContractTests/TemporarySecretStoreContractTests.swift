import TestSupport
import Testing

@testable import Engine
@testable import Possession

/// The port's promises about the secrets of temporary keys, asked of every store.
@Suite struct TemporarySecretStoreContractTests {
    private func secret(_ period: Int64, _ byte: UInt8) -> TemporarySecret {
        TemporarySecret(period: period, sealed: [byte])
    }

    @Test(arguments: TestedStore.allCases)
    func `the first secret of a period stays`(store: TestedStore) async throws {
        let secrets = try store.make().temporarySecrets
        #expect(try await secrets.temporarySecrets() == [])
        #expect(try await secrets.add(secret(6_000_001, 1)) == secret(6_000_001, 1))
        #expect(try await secrets.add(secret(6_000_000, 2)) == secret(6_000_000, 2))
        #expect(try await secrets.add(secret(6_000_001, 3)) == secret(6_000_001, 1))
        #expect(try await secrets.temporarySecrets() == [secret(6_000_000, 2), secret(6_000_001, 1)])
    }

    @Test(arguments: TestedStore.allCases)
    func `of forty that are added at a time one stays, and each caller gets it`(store: TestedStore) async throws {
        let secrets = try store.pair().map(\.temporarySecrets)
        let given = try await secrets.callAtOnce(40) { secrets, number in
            try await OwnThread.run { try await secrets.add(secret(7, UInt8(number))) }
        }
        let stored = try await secrets.first.temporarySecrets()
        #expect(stored.count == 1 && given.allSatisfy { $0 == stored[0] })
    }

    @Test(arguments: TestedStore.allCases)
    func `removes those that are named`(store: TestedStore) async throws {
        let secrets = try store.make().temporarySecrets
        for period in Int64(1)...3 { _ = try await secrets.add(secret(period, 1)) }
        try await secrets.removeTemporarySecrets([1, 3, 9])
        #expect(try await secrets.temporarySecrets() == [secret(2, 1)])
        try await secrets.removeTemporarySecrets([])
        #expect(try await secrets.add(secret(1, 4)) == secret(1, 4), "its place is free")
    }
}
