internal import Locks

/// Notes for the log line of a request, by those who answer it: the caller, and the subject of the call.
///
/// Made for a request only where requests are logged: elsewhere `Request.notes` is `nil`, and a note costs a comparison.
/// Texts are of our own making, never as a caller sent them.
package final class RequestNotes: Sendable {
    package struct Values: Sendable, Equatable {
        /// The caller's identifier.
        package var caller: String?
        /// The identifier of the thing that the call is about.
        package var subject: String?
        /// Where the caller is, where that is another address than the peer's.
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
