/// Outcome of a step of a session.
///
/// A refusal that a rule throws has changed nothing. A refusal that it returns may have: a wrong code spends its try,
/// and that is stored before anybody is told.
package enum StepOutcome: Sendable, Equatable {
    case taken
    case refused(StepRefusal)
}
