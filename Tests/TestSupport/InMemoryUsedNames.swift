import Locks
package import Engine
package import Possession

/// Used names of several servers, in memory.
package final class InMemoryUsedNames: UsedNameStore {
    private let used = Locked<Set<[UInt8]>>([])
    private let fault = Locked<StorageFault?>(nil)

    package init() {}

    /// Each call fails from now on; `nil`: none does.
    package func fail(by fault: StorageFault?) { self.fault.withLock { $0 = fault } }

    package var count: Int { used.withLock { $0.count } }

    package func isFirstUse(of name: UsedName, at now: Timestamp) async throws(StorageFault) -> Bool {
        if let fault = fault.withLock({ $0 }) { throw fault }
        return used.withLock { $0.insert(name.digest).inserted }
    }
}
