/// Outcome of a step of a session.
///
/// A refusal that a rule throws has changed nothing. A refusal that it returns may have changed the session: a wrong
/// code uses up a try, and that is stored before the caller learns of it.
package enum StepOutcome: Sendable, Equatable {
    case taken
    case refused(StepRefusal)
}
