internal import CPhoneNumber
internal import Locks

/// The library with the tables of one plan.
final class PlanLibrary: @unchecked Sendable {
    // Sendable: the library changes only its own caches, which have their own locks.
    let handle: OpaquePointer
    /// `false`: the system's library cannot load tables, and uses its own.
    let isTaken: Bool

    /// `nil`: out of memory.
    init?(_ tables: [UInt8]) {
        var isTaken: Int32 = 0
        guard let made = tables.withUnsafeBufferPointer({ cphonenumber_make($0.baseAddress, $0.count, &isTaken) })
        else {
            return nil
        }
        handle = made
        self.isTaken = isTaken == 1
    }

    deinit { cphonenumber_free(handle) }
}

/// The current numbering plan, which can be replaced by a newer one while numbers are read.
///
/// A reader takes a reference first, so that the previous plan stays until its last reader is done.
package final class PlanInUse: Sendable {
    private struct State {
        var file: PlanFile
        /// `nil`: no number was read yet.
        var library: PlanLibrary?
    }

    /// The built-in plan, used by default. It is never replaced.
    package static let ofProgram = PlanInUse()

    private let state: Locked<State>

    /// Creating one costs nothing: the library's tables are built when the first number is read.
    ///
    /// - Parameter file: by default the built-in plan.
    package init(_ file: PlanFile = .builtIn) {
        state = Locked(State(file: file, library: nil))
    }

    package var file: PlanFile { state.withLock { $0.file } }

    /// A plan whose tables are built but not yet used.
    package struct Change: Sendable {
        package let file: PlanFile
        fileprivate let library: PlanLibrary

        package init(to file: PlanFile) throws(PlanFile.Defect) {
            guard let library = PlanLibrary(file.tables) else {
                throw PlanFile.Defect(reason: "does not fit into memory")
            }
            guard library.isTaken else {
                throw PlanFile.Defect(
                    reason: "cannot be used: the libphonenumber of this system has tables of its own only")
            }
            self.file = file
            self.library = library
        }
    }

    /// Uses the plan from now on.
    ///
    /// - Returns: the previous plan.
    package func take(_ change: Change) -> PlanFile {
        state.withLock { state in
            defer { state = State(file: change.file, library: change.library) }
            return state.file
        }
    }

    /// Whether `file` is used, not the tables that the system's library was built with.
    package var isRead: Bool { library?.isTaken ?? false }

    /// `nil`: out of memory.
    var library: PlanLibrary? {
        if let library = state.withLock({ $0.library }) { return library }
        // Several first readers may each build one; the first is kept.
        guard let made = PlanLibrary(file.tables) else { return nil }
        return state.withLock { state in
            let kept = state.library ?? made
            state.library = kept
            return kept
        }
    }
}
