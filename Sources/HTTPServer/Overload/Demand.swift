/// How much work a request asks of the server. Under overload, requests that begin something new are refused before
/// those that continue something (OVL-05).
package enum Demand: Sendable {
    /// Waits only for its loop.
    case reads
    /// Continues something that was begun, and waits for a commit.
    case changes
    /// Begins a session, sends a message or carries a batch, and waits for a commit.
    case begins
}
