/// What a request asks of the server. Under overload, what begins something new is refused before what goes on with
/// something that was begun (OVL-05).
package enum Demand: Sendable {
    /// Waits for its loop only.
    case reads
    /// Goes on with what was begun, and waits for a commit.
    case changes
    /// Begins a session, sends a message or carries a batch, and waits for a commit.
    case begins
}
