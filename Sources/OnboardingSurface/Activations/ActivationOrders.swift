internal import HTTPServer
internal import Engine
internal import Possession
internal import SurfaceKit

/// Carries out orders for activations, plain or encrypted.
struct ActivationOrders: Sendable {
    let processes: Processes
    let activations: DeviceActivations

    struct Made: Sendable {
        let id: ActivationID
        let keys: NewActivation
    }

    /// - Parameter phone: `nil`: the order's description of the phone is unreadable.
    func carryOut(
        _ credentials: ActivationCredentials, _ phone: DeviceActivations.Phone?, of request: Request,
        for caller: OnboardingCaller
    ) async throws(OnboardingError) -> Made {
        request.note(credentials.process)
        guard let code = credentials.code, code.text.utf8.count == OnboardingRules.codeLength else {
            throw .codeMalformed(triesLeft: try await triesLeft(of: credentials.process, for: caller.tenant))
        }
        let activated: DeviceActivations.Activated
        do throws(EngineFault) {
            activated = try await activations.activate(
                phone, code: code, from: caller.address, of: credentials.process, in: .onboarding, for: caller.tenant.id
            )
        } catch { throw OnboardingError(error) }
        switch activated {
        case .made(let id, let keys): return Made(id: id, keys: keys)
        case .refused(let triesLeft): throw .activationRefused(triesLeft: triesLeft)
        case .brokenOrder(let triesLeft): throw .orderBroken(triesLeft: triesLeft, isEncrypted: caller.app != nil)
        }
    }

    private func triesLeft(of process: CorrelationID, for tenant: Tenant) async throws(OnboardingError) -> Int {
        do throws(OnboardingError) {
            return try await processes.process(process, for: tenant).triesLeft
        } catch {
            if error == .unknownProcess { return 0 }
            throw error
        }
    }
}

extension Reply<ActivationOrders.Made> {
    /// The members that describe the phone's new activation.
    static func activation(example: StaticString? = nil) -> Reply {
        Reply(example: example) {
            ReplyMember.always("activationId", .identifier(), "Names it in every later call.") { $0.id }
            ReplyMember.always("serverPublicKey", .base64, "A point of P-256, 65 bytes.") { $0.keys.serverPublicKey }
            ReplyMember.always("ctrData", .base64, "The start of the counter of signatures, 16 bytes.") {
                $0.keys.counterData
            }
        }
    }
}
