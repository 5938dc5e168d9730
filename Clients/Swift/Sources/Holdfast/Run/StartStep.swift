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
            throw calls.giveUp(.stepMissing)
        }
        let isNeeded = isChange ? true : try calls.state().phone.needed
        var error = isChange ? nil : takeError()
        while true {
            let request = StartRequest(isPhoneNumberNeeded: isNeeded, error: error)
            let answer = try begin { step(request, $0) }
            guard try await isInTime(answer), let result = answer.value else { return }
            let number = (try given(result) ?? "").trimmingCharacters(in: .whitespacesAndNewlines)
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
