internal import Locks

/// Notes for the log line of a request, added by the code that answers it: the caller, and the subject of the call.
///
/// Created only if requests are logged: otherwise `Request.notes` is `nil` and a note costs a comparison. Texts are
/// made by the program and never copied from the caller's input.
package final class RequestNotes: Sendable {
    package struct Values: Sendable, Equatable {
        /// The caller's identifier.
        package var caller: String?
        /// The identifier of the object of the call.
        package var subject: String?
        /// The caller's address, if it differs from the peer's.
        package var address: String?

        package init(caller: String? = nil, subject: String? = nil, address: String? = nil) {
            self.caller = caller
            self.subject = subject
            self.address = address
        }
    }

    private let state: Locked<Values>

    package init(_ values: Values = Values()) {
        state = Locked(values)
    }

    package var values: Values { state.withLock { $0 } }

    package func note(caller: String) { state.withLock { $0.caller = caller } }

    package func note(subject: String) { state.withLock { $0.subject = subject } }
}
