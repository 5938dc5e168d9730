/// How a run leaves off in the middle.
package enum End: Sendable {
    case done
    /// The session is cancelled.
    case givenUp(PossessionError)
    /// The session is left as it is.
    case broken(PossessionError)
    /// The run goes on, from the newest state.
    case follow
}

/// Error that is thrown inside of a run.
package enum Interruption: Error {
    case end(End)
    /// The server refused a call; the run may be able to deal with it.
    case refusal(PossessionError)
}
