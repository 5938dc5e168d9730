import TestSupport
import Testing

@testable import Engine
@testable import Possession

/// The port's promises about tokens of activations, asked of every store.
@Suite struct DeviceTokenStoreContractTests {
    /// Stores an activation with a session that makes it.
    private func activate(_ stores: Stores) async throws -> ActivationID {
        let session = Sample.session()
        try await stores.sessions.insert(session)
        let activation = Sample.activation(of: session)
        _ = try await stores.sessions.update(session) { $0.activation = activation }
        return activation.id
    }

    private func token(
        of activation: ActivationID, _ factors: SignatureFactors = .possession, at now: Timestamp = Sample.now
    ) -> DeviceToken {
        DeviceToken(
            id: Sample.id(), activationID: activation, sealedSecret: [1, 2, 3], factors: factors, createdAt: now)
    }

    /// Those that are still there.
    private func found(_ tokens: [DeviceToken], _ stores: Stores) async throws -> [DeviceToken] {
        var found: [DeviceToken] = []
        for token in tokens { if let stored = try await stores.tokens.token(token.id) { found.append(stored) } }
        return found
    }

    @Test(arguments: TestedStore.allCases)
    func `keeps every member of a token, and finds it by its id`(store: TestedStore) async throws {
        let stores = try store.make()
        let activation = try await activate(stores)
        let tokens = SignatureFactors.allCases.map { token(of: activation, $0, at: Sample.now.adding(.seconds(1))) }
        for token in tokens { #expect(try await stores.tokens.add(token)) }
        #expect(try await found(tokens, stores) == tokens)
        #expect(try await stores.tokens.token(Sample.id()) == nil)
        await #expect(throws: StorageFault.duplicate) { try await stores.tokens.add(tokens[0]) }
    }

    @Test(arguments: TestedStore.allCases)
    func `adds one to an active activation only`(store: TestedStore) async throws {
        let stores = try store.make()
        let activation = try await activate(stores)
        let kept = token(of: activation)
        #expect(try await stores.tokens.add(kept))
        #expect(try await !stores.tokens.add(token(of: Sample.id())))
        _ = try await stores.activations.update(activation, telling: nil) { $0.block(for: .client, at: Sample.now) }
        let refused = token(of: activation)
        #expect(try await !stores.tokens.add(refused))
        #expect(try await found([kept, refused], stores) == [kept], "a block keeps the tokens of before")
        _ = try await stores.activations.update(activation, telling: nil) { $0.unblock(at: Sample.now) }
        #expect(try await stores.tokens.add(refused))
    }

    @Test(arguments: TestedStore.allCases, [0, 1, -1] as [Int64])
    func `sixteen of an activation stay, and the seventeenth takes the place of the oldest`(
        store: TestedStore, secondsApart: Int64
    ) async throws {
        let stores = try store.make()
        let (mine, theirs) = (try await activate(stores), try await activate(stores))
        let other = token(of: theirs)
        #expect(try await stores.tokens.add(other))
        let tokens = (0..<17).map { token(of: mine, at: Sample.now.adding(.seconds($0 * secondsApart))) }
        for token in tokens.prefix(16) { #expect(try await stores.tokens.add(token)) }
        #expect(try await found(tokens, stores).count == 16)
        #expect(try await stores.tokens.add(tokens[16]))
        let left = try await found(tokens, stores)
        #expect(left.count == 16 && left.last == tokens[16], "the new one stays, also where a clock has gone back")
        if secondsApart >= 0 { #expect(left == Array(tokens.dropFirst())) }
        #expect(try await found([other], stores) == [other])
    }

    @Test(arguments: TestedStore.allCases)
    func `of forty that are added at a time sixteen stay`(store: TestedStore) async throws {
        let pair = try store.pair()
        let activation = try await activate(pair.first)
        let tokens = (0..<40).map { _ in token(of: activation) }
        let added = try await pair.race(40) { stores, number in
            try await OwnThread.run { try await stores.tokens.add(tokens[number]) }
        }
        #expect(added == 40)
        #expect(try await found(tokens, pair.first).count == 16)
    }

    @Test(arguments: TestedStore.allCases)
    func `only its own activation removes a token, once`(store: TestedStore) async throws {
        let stores = try store.make()
        let (mine, theirs) = (try await activate(stores), try await activate(stores))
        let tokens = [token(of: mine), token(of: mine)]
        for token in tokens { #expect(try await stores.tokens.add(token)) }
        #expect(try await !stores.tokens.removeToken(tokens[0].id, of: theirs))
        #expect(try await found(tokens, stores) == tokens)
        #expect(try await stores.tokens.removeToken(tokens[0].id, of: mine))
        #expect(try await !stores.tokens.removeToken(tokens[0].id, of: mine))
        #expect(try await found(tokens, stores) == [tokens[1]])
    }

    @Test(arguments: TestedStore.allCases)
    func `tokens go with the removal, the forgetting and the erasure of their activation`(
        store: TestedStore
    ) async throws {
        let stores = try store.make()
        var tokens: [DeviceToken] = []
        for _ in 0..<3 {
            let token = token(of: try await activate(stores))
            #expect(try await stores.tokens.add(token))
            tokens.append(token)
        }
        for removed in tokens.prefix(2) {
            _ = try await stores.activations.update(removed.activationID, telling: nil) {
                $0.remove(for: .phone, at: Sample.now)
            }
            #expect(try await found([removed], stores) == [])
            #expect(try await !stores.tokens.add(removed))
        }
        #expect(try await found(tokens, stores) == [tokens[2]])
        #expect(try await stores.activations.forgetActivations(removedBefore: Sample.now.adding(.seconds(1))) == 2)
        #expect(try await found(tokens, stores) == [tokens[2]])
        #expect(try await stores.erasures.erase(.number(Sample.number), at: nil).data.activations == 1)
        #expect(try await found(tokens, stores) == [])
    }
}
