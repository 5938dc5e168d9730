import Foundation

/// The start steps: the first message, and the one to another number.
extension Run {
    enum Kind: String {
        case otp, link
    }

    /// Runs a start step until there is a number to send to, or none is needed, and has the message sent.
    ///
    /// - Parameter isChange: the person wants another number.
    func start(_ kind: Kind, isChange: Bool) async throws(Interruption) {
        guard let step = kind == .otp ? settings.steps.otp?.start : settings.steps.link?.start else {
            throw try calls.missing(kind)
        }
        let isNeeded = isChange ? true : try calls.state().phone.needed
        var error = isChange ? nil : takeError()
        var hadNothing = false
        while true {
            let request = StartRequest(isPhoneNumberNeeded: isNeeded, error: error)
            let answer = try begin { step(request, $0) }
            guard try await isInTime(answer), let result = answer.value else { return }
            let text = try given(result)
            // Nothing, in place of a number, may be a person's mistake: the second time it is the app's.
            if isNeeded && text == nil && hadNothing {
                throw calls.giveUp(.stepInvalid, detail: "\(kind.rawValue)Start must give a number.")
            }
            hadNothing = text == nil
            let number = (text ?? "").trimmingCharacters(in: .whitespacesAndNewlines)
            if isNeeded && number.isEmpty {
                error = calls.error(.phoneNumberRequired)
                continue
            }
            do {
                let path = "/session/\(kind.rawValue)\(isChange ? "/phone" : "")"
                return try await sendMessage(path, isNeeded ? ["phoneNumber": .string(number)] : [:])
            } catch .refusal(let refusal) {
                if isChange && !refusal.name.isOfNumber {
                    pendingError = refusal
                    return
                }
                let canHelp = refusal.name.isOfNumber || refusal.name == .smsFailed || refusal.name == .rateLimited
                if !isNeeded || !canHelp { throw .end(Self.end(by: refusal)) }
                error = refusal
            } catch {
                throw error
            }
        }
    }
}
