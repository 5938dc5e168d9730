internal import CPhoneNumber
internal import Locks

/// The library with the tables of one plan.
final class PlanLibrary: @unchecked Sendable {
    // Sendable: the library changes nothing but its own caches, behind locks of its own.
    let handle: OpaquePointer
    /// `false`: the library of this system takes no tables, and has its own.
    let isTaken: Bool

    /// `nil`: there is no memory.
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

/// The numbering plan of now, which a newer one can replace while numbers are read.
///
/// Whoever reads takes a reference first, so that the plan of before stays until its last reader is done.
package final class PlanInUse: Sendable {
    private struct State {
        var file: PlanFile
        /// `nil`: no number was read yet.
        var library: PlanLibrary?
    }

    /// The plan in the program, for whoever names no other. Nobody replaces it.
    package static let ofProgram = PlanInUse()

    private let state: Locked<State>

    /// Making one costs nothing: the library's tables are built when the first number is read.
    ///
    /// - Parameter file: the one in the program unless another is given.
    package init(_ file: PlanFile = .builtIn) {
        state = Locked(State(file: file, library: nil))
    }

    package var file: PlanFile { state.withLock { $0.file } }

    /// A plan whose tables are built, and that nobody reads yet.
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

    /// Numbers are read by it from now on.
    ///
    /// - Returns: the plan of before.
    package func take(_ change: Change) -> PlanFile {
        state.withLock { state in
            defer { state = State(file: change.file, library: change.library) }
            return state.file
        }
    }

    /// Whether numbers are read by `file`, and not by the tables that the library of this system was built with.
    package var isRead: Bool { library?.isTaken ?? false }

    /// `nil`: there is no memory.
    var library: PlanLibrary? {
        if let library = state.withLock({ $0.library }) { return library }
        // The first readers may each build one; the first of them is kept.
        guard let made = PlanLibrary(file.tables) else { return nil }
        return state.withLock { state in
            let kept = state.library ?? made
            state.library = kept
            return kept
        }
    }
}
