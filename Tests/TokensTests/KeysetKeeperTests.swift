import Glibc
import Locks
import Engine
import Possession
import TestSupport
import Testing

@testable import Tokens

/// Keeps keysets in memory. It fails at a step of choice, before or after it has stored.
private final class MemoryKeysets: KeysetStore {
    struct State {
        var stored: [StoredKeyset] = []
        /// Changes until one fails.
        var changesLeft = Int.max
        var failsAfter = false
    }

    let state = Locked(State())

    func keysets() async throws(StorageFault) -> [StoredKeyset] { state.withLock { $0.stored } }

    func replaceKeysets(_ old: [StoredKeyset], with new: [StoredKeyset]) async throws(StorageFault) {
        try state.withLock { (state) throws(StorageFault) in
            let fails = state.changesLeft == 0
            state.changesLeft -= 1
            guard state.stored == old else { throw .failed(code: 0, operation: "another keyset") }
            if !fails || state.failsAfter { state.stored = new }
            if fails { throw .overloaded }
        }
    }
}

@Suite final class KeysetKeeperTests {
    private let directory: String
    private let store = MemoryKeysets()
    private let random = SystemRandom().randomBytes
    private let now = Timestamp(milliseconds: 1_800_000_000_000)
    private let context = Array("place".utf8)

    init() throws {
        var template = Array("/tmp/keyset-keeper-tests-XXXXXX".utf8CString)
        directory = try #require(mkdtemp(&template).map { String(cString: $0) })
        _ = try MasterKey.create(path, randomBytes: random)
    }

    deinit {
        chmod(directory, 0o700)
        for name in ["key", "key.next", "other", "kept"] { unlink(directory + "/" + name) }
        rmdir(directory)
    }

    private var path: String { directory + "/key" }

    /// A start with what is in the key file.
    private func open(
        _ file: String? = nil, isUnused: Bool = true, isOpened: Bool? = nil, noting audit: any AuditLog = NoAudit()
    ) async throws -> KeysetKeeper {
        let keeper = try await KeysetKeeper.open(
            store,
            KeysetKeeper.Facts(
                isUnused: { () async throws(StorageFault) in isUnused },
                isOpened: { (_, _) async throws(StorageFault) in isOpened }),
            master: try MasterKey.load(file ?? path), keyFile: path, now: { [now] in now }, randomBytes: random)
        try await keeper.endOlderMasters(at: now, noting: audit)
        return keeper
    }

    private func isOpened(_ sealed: [UInt8], _ keeper: KeysetKeeper) -> Bool {
        (try? keeper.sealer.open(sealed, context: context)) == [7]
    }

    @Test func `finds what it has made after a restart`() async throws {
        let first = try await open()
        let sealed = try first.sealer.seal([7], context: context)
        let second = try await open()
        #expect(isOpened(sealed, second))
        #expect(try first.standing() == second.standing() && second.startNotes == [])
        #expect(try first.root.keyID() == second.root.keyID())
        #expect(try first.root.keyID() != first.master.keyID())
    }

    @Test func `inherits from the master key where it opens what is there, and else refuses`() async throws {
        await #expect { _ = try await self.open(isUnused: false, isOpened: false) } throws: {
            if case .opensNothing? = $0 as? KeysetFault { true } else { false }
        }
        #expect(store.state.withLock { $0.stored }.isEmpty)
        let keeper = try await open(isUnused: false, isOpened: true)
        #expect(keeper.startNotes == [.inherited])
        #expect(try keeper.root.keyID() == keeper.master.keyID())
        // Where there is nothing that could be opened, nothing tells a wrong key.
        store.state.withLock { $0.stored = [] }
        #expect(try await open(isUnused: false, isOpened: nil).startNotes == [.inherited])
    }

    @Test func `tells the ids of a key file that opens nothing`() async throws {
        let id = try await open().standing().masterID
        let other = try MasterKey.create(directory + "/other", randomBytes: random)
        let fault = await #expect(throws: KeysetFault.self) { try await self.open(self.directory + "/other") }
        let advice = try #require(fault?.advice)
        #expect(advice.contains(KeysetKeeper.name(try other.keyID())) && advice.contains(id))
        #expect(id.utf8.count == 16)
    }

    @Test func `replaces the master key, after which the old one opens nothing`() async throws {
        let keeper = try await open()
        let sealed = try keeper.sealer.seal([7], context: context)
        let before = try keeper.standing()
        #expect(rename(path, directory + "/kept") == 0)
        _ = try MasterKey.create(path, randomBytes: random)
        let change = try await keeper.replaceMaster(at: now.adding(.seconds(9)), noting: NoAudit())
        let after = try keeper.standing()
        let kept = path + "." + before.masterID
        #expect(change == .replaced(after.masterID, before: before.masterID, keptAt: kept))
        #expect(after.masterID != before.masterID)
        // Backups of before need it.
        #expect(KeysetKeeper.name(try MasterKey.load(kept).keyID()) == before.masterID)
        #expect(after.masterSince == now.adding(.seconds(9)) && after.waitingMasterID == nil)
        #expect(KeysetKeeper.name(try MasterKey.load(path).keyID()) == after.masterID)
        #expect(access(path + ".next", F_OK) != 0)
        let again = try await open()
        #expect(isOpened(sealed, again) && isOpened(sealed, keeper) && again.startNotes == [])
        await #expect(throws: KeysetFault.self) { try await self.open(self.directory + "/kept") }
        // And once more, from there.
        _ = try await again.replaceMaster(at: now, noting: NoAudit())
        #expect(isOpened(sealed, try await open()))
        #expect(store.state.withLock { $0.stored.map(\.number) } == [3])
    }

    /// The two transactions, each lost or stored, and the rename between them.
    @Test(arguments: [(0, false), (0, true), (1, false), (1, true)])
    func `starts after a crash at any step of a replacement`(step: Int, isStored: Bool) async throws {
        let keeper = try await open()
        let sealed = try keeper.sealer.seal([7], context: context)
        store.state.withLock {
            $0.changesLeft = step
            $0.failsAfter = isStored
        }
        if step == 0 {
            await #expect(throws: KeysetFault.self) { try await keeper.replaceMaster(at: self.now, noting: NoAudit()) }
        } else {
            // The file has the new key, so the order is done.
            _ = try await keeper.replaceMaster(at: now, noting: NoAudit())
        }
        store.state.withLock { $0.changesLeft = .max }
        // The crash is here: what follows knows the files and the database only.
        let started = try await open()
        #expect(isOpened(sealed, started))
        #expect(store.state.withLock { $0.stored.count } == 1, "no second key is left")
        if step == 0 && isStored { #expect(started.startNotes.first == .replacementCompleted(path)) }
        if step == 1 && !isStored { #expect(started.startNotes.count == 1) }
        try await started.rotateSealing(at: now)
        _ = try await started.replaceMaster(at: now, noting: NoAudit())
        #expect(isOpened(sealed, try await open()))
    }

    @Test func `the end of an old key stands in the audit log, once`() async throws {
        let audit = Noted()
        let keeper = try await open(noting: audit)
        let first = try keeper.standing().masterID
        _ = try await keeper.replaceMaster(at: now, noting: audit)
        let second = try keeper.standing().masterID
        #expect(audit.ends == [first])
        // The last step failed: the next start does it.
        store.state.withLock { $0.changesLeft = 1 }
        _ = try await keeper.replaceMaster(at: now, noting: audit)
        store.state.withLock { $0.changesLeft = .max }
        #expect(audit.ends == [first])
        for _ in 0..<2 { _ = try await open(noting: audit) }
        #expect(audit.ends == [first, second])
    }

    /// Keeps the entries of what has changed something, as the store's audit log does.
    private final class Noted: AuditLog {
        private let entries = Locked<[AuditEntry]>([])

        /// The ids of master keys that have ended, in order.
        var ends: [String] {
            entries.withLock { entries in
                entries.filter { $0.event == .masterKeyEnded }.flatMap {
                    $0.detail.filter { $0.name == "ids" }.map(\.value)
                }
            }
        }

        func add(_ entry: AuditEntry) async throws(StorageFault) {}
        func submit(_ entry: AuditEntry) {}
        func auditing<Value: Sendable>(
            _ entry: AuditEntry, _ work: () async -> Value
        ) async -> (Value, isStored: Bool) {
            let value = await work()
            if case .success? = value as? Result<Void, KeysetFault> {
                entries.withLock { $0.append(entry) }
                return (value, true)
            }
            return (value, false)
        }
    }

    @Test func `goes on in the same process after the last step failed`() async throws {
        let keeper = try await open()
        store.state.withLock { $0.changesLeft = 1 }
        _ = try await keeper.replaceMaster(at: now, noting: NoAudit())
        store.state.withLock { $0.changesLeft = .max }
        #expect(KeysetKeeper.name(try MasterKey.load(path).keyID()) == (try keeper.standing().masterID))
        try await keeper.rotateSealing(at: now)
        #expect(store.state.withLock { $0.stored.count } == 1)
        #expect(try await open().standing().generation == 2)
    }

    @Test func `a file that cannot be replaced changes nothing`() async throws {
        let keeper = try await open()
        let stored = store.state.withLock { $0.stored }
        // A folder in its place: the rename is refused, as on a mount of a single file.
        #expect(rename(path, directory + "/kept") == 0)
        #expect(mkdir(path, 0o700) == 0)
        await #expect { _ = try await keeper.replaceMaster(at: self.now, noting: NoAudit()) } throws: {
            if case .cannotReplace? = $0 as? KeysetFault { true } else { false }
        }
        #expect(rmdir(path) == 0 && rename(directory + "/kept", path) == 0)
        #expect(store.state.withLock { $0.stored } == stored)
        #expect(access(path + ".next", F_OK) != 0)
        #expect(access(path + "." + (try keeper.standing().masterID), F_OK) != 0)
        #expect(try await open().standing() == keeper.standing())
    }

    @Test func `adds the key of another file, which the first start with it makes the only one`() async throws {
        let keeper = try await open()
        let sealed = try keeper.sealer.seal([7], context: context)
        let new = try MasterKey.create(directory + "/other", randomBytes: random)
        let id = KeysetKeeper.name(try new.keyID())
        #expect(
            try await keeper.addMaster(directory + "/other", at: now)
                == .waits(id, before: try keeper.standing().masterID))
        #expect(try keeper.standing().waitingMasterID == id)

        // The old file still starts, and nothing changes that the new one would miss.
        let old = try await open()
        #expect(old.startNotes == [.newerMasterWaits(id)] && isOpened(sealed, old))
        for refused in [
            { try await old.rotateSealing(at: self.now) },
            { _ = try await old.replaceMaster(at: self.now, noting: NoAudit()) },
        ] as [() async throws -> Void] {
            await #expect { try await refused() } throws: {
                if case .masterWaits(id)? = $0 as? KeysetFault { true } else { false }
            }
        }

        let started = try await open(directory + "/other")
        #expect(started.startNotes == [.oldMasterEnds([try keeper.standing().masterID])])
        #expect(isOpened(sealed, started))
        try await started.rotateSealing(at: now)
        await #expect(throws: KeysetFault.self) { try await self.open() }
    }

    @Test func `takes back a key that waits, and puts another one in its place`() async throws {
        let keeper = try await open()
        for name in ["/other", "/kept"] {
            let key = try MasterKey.create(directory + name, randomBytes: random)
            #expect(
                try await keeper.addMaster(directory + name, at: now)
                    == .waits(KeysetKeeper.name(try key.keyID()), before: try keeper.standing().masterID))
            #expect(store.state.withLock { $0.stored.count } == 2)
        }
        await #expect(throws: KeysetFault.self) { try await self.open(self.directory + "/other") }
        #expect(try await keeper.addMaster(path, at: now) == .withdrawn)
        #expect(try keeper.standing().waitingMasterID == nil)
        await #expect(throws: KeysetFault.self) { try await self.open(self.directory + "/kept") }
        await #expect(throws: KeysetFault.self) { try await keeper.addMaster(self.directory + "/none", at: self.now) }
    }

    @Test func `a new sealing key is stored before it seals, and old values stay readable`() async throws {
        let keeper = try await open()
        let old = try keeper.sealer.seal([7], context: context)
        store.state.withLock { $0.changesLeft = 0 }
        await #expect(throws: KeysetFault.self) { try await keeper.rotateSealing(at: self.now) }
        #expect(keeper.sealer.generation == 1 && keeper.signingKeySealer.generation == 1)
        #expect(try keeper.standing().olderGenerations == [])
        // The new key is stored, but not that it seals.
        store.state.withLock { $0.changesLeft = 1 }
        await #expect(throws: KeysetFault.self) { try await keeper.rotateSealing(at: self.now) }
        for keeper in [keeper, try await open()] {
            #expect(keeper.sealer.generation == 1 && keeper.signingKeySealer.generation == 1)
            #expect(try keeper.standing().olderGenerations == [2])
        }
        store.state.withLock { $0.changesLeft = .max }
        #expect(try await keeper.retireSealing(before: 1, keeping: []) == [2])

        try await keeper.rotateSealing(at: now)
        let new = try keeper.sealer.seal([7], context: context)
        #expect(old[0] == 1 && new[0] == 2 && keeper.signingKeySealer.generation == 2)
        for keeper in [keeper, try await open()] {
            #expect(isOpened(old, keeper) && isOpened(new, keeper))
            #expect(try keeper.standing().olderGenerations == [1])
        }
        #expect(try await keeper.retireSealing(before: 3, keeping: []) == [])
        #expect(try await keeper.retireSealing(before: 2, keeping: [1]) == [])
        #expect(try await keeper.retireSealing(before: 2, keeping: []) == [1])
        for keeper in [keeper, try await open()] {
            #expect(!isOpened(old, keeper) && isOpened(new, keeper))
            #expect(try keeper.standing().olderGenerations == [])
        }
    }

    @Test func `a server opens what another one seals, before it follows the new sealing key`() async throws {
        let (first, second) = (try await open(), try await open())
        // The second server reads the keyset again when the new key is stored, and not again until later.
        store.state.withLock { $0.changesLeft = 1 }
        await #expect(throws: KeysetFault.self) { try await first.rotateSealing(at: self.now) }
        try await second.readAgain()
        store.state.withLock { $0.changesLeft = .max }
        #expect(try await first.retireSealing(before: 1, keeping: []) == [2])
        try await first.rotateSealing(at: now)
        try await second.readAgain()
        #expect(second.sealer.generation == 2)
        #expect(isOpened(try first.sealer.seal([7], context: context), second))
        #expect(try first.standing() == second.standing())
        // A change of a server that has not read the last one is refused.
        try await second.rotateSealing(at: now)
        await #expect(throws: KeysetFault.self) { try await first.rotateSealing(at: self.now) }
        try await first.readAgain()
        #expect(first.sealer.generation == 3)
    }

    @Test func `a damaged keyset is told as such`() async throws {
        _ = try await open()
        store.state.withLock { state in
            let row = state.stored[0]
            state.stored[0] = StoredKeyset(
                masterID: row.masterID, number: 1, createdAt: row.createdAt, sealed: Array(row.sealed.reversed()))
        }
        await #expect { _ = try await self.open() } throws: {
            if case .damaged? = $0 as? KeysetFault { true } else { false }
        }
    }
}
