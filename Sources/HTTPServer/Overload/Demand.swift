/// The work that a request asks of the server. Under overload, requests that begin something new are refused before those
/// that go on with something that was begun (OVL-05).
package enum Demand: Sendable {
    /// Waits for its loop only.
    case reads
    /// Goes on with what was begun, and waits for a commit.
    case changes
    /// Begins a session, sends a message or carries a batch, and waits for a commit.
    case begins
}
