/// The step that asks for the code.
extension Run {
    /// Runs the finish step, and does what the person wants.
    func enterCode() async throws(Interruption) {
        guard let steps = settings.steps.otp else { throw try calls.missing(.otp) }
        let error = takeError()
        let answer = try begin { steps.finish(error, $0) }
        guard try await isInTime(answer), let result = answer.value else { return }
        let entry = try given(result)
        do {
            try await act(on: entry)
        } catch .refusal(let refusal) {
            pendingError = refusal
        } catch {
            throw error
        }
    }

    private func act(on entry: CodeEntry) async throws(Interruption) {
        switch entry {
        case .resend where !calls.can("otp.resend"): pendingError = calls.error(.sendsExhausted)
        case .resend: try await sendMessage("/session/otp/resend")
        case .otherNumber where !calls.can("otp.phone"): pendingError = calls.error(try refusalOfChange())
        case .otherNumber: try await start(.otp, isChange: true)
        case .code(let text):
            if let code = codeIn(text) {
                try await calls.post("/session/otp/verify", ["code": .string(code)])
            } else {
                pendingError = calls.error(.otpMismatch)
            }
        }
    }

    private func refusalOfChange() throws(Interruption) -> ErrorName {
        let otp = try calls.state().otp
        if otp?.sendsLeft == 0 { return .sendsExhausted }
        return otp?.phoneEntriesLeft == 0 ? .phoneEntriesExhausted : .phoneChangeNotAllowed
    }
}
