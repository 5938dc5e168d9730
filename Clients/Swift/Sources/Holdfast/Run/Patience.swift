/// The wait for a step of the app, which may never answer.
extension Run {
    /// After a look that found the session alive.
    private static let againSeconds = 30.0

    /// Waits for the step's answer, and looks after the session when that should be over.
    ///
    /// - Returns: `false` if the session has moved on without the step.
    func isInTime(_ answer: Signal) async throws(Interruption) -> Bool {
        let step = try calls.state().step
        var due = world.elapsed() + min(try endOfSession(), calls.endOfToken) + 1 - calls.storedNow()
        while true {
            let over = Signal()
            let timer = world.timer(seconds: max(0, due - world.elapsed())) { over.set() }
            defer { timer.cancel() }
            try await calls.first([answer, over, opened])
            if answer.isSet { return true }
            opened.reset()
            try await calls.read()
            let state = try calls.state()
            if state.isDone || state.step != step { return false }
            if calls.isTokenOver { throw .end(.done) }
            if over.isSet { due = world.elapsed() + Self.againSeconds }
        }
    }

    /// When time itself ends the session, in seconds since 1970.
    private func endOfSession() throws(Interruption) -> Double {
        let state = try calls.state()
        let code = state.otp?.sendsLeft == 0 ? state.otp?.codeExpiresAt : nil
        return seconds(ofMoment: code ?? state.expiresAt) ?? calls.storedNow() + Self.againSeconds
    }
}
