internal import HTTPServer
internal import Engine
internal import Possession
internal import StrictJSON
internal import SurfaceKit

/// The same call in an envelope. A second envelope inside it describes the phone, so that the part that checks the code
/// need not see the phone's key.
///
///     {"type":"CUSTOM","identityAttributes":{...},"activationData":{"ephemeralPublicKey":"...","encryptedData":"..."}}
///     ->  200 {"activationData":{"encryptedData":"...","mac":"...","nonce":"...","timestamp":1767265200000}}
struct CreateEncryptedActivation: OnboardingEndpoint {
    let orders: ActivationOrders
    let envelopes: Envelopes

    static let call = CreateActivation.call
    static let takesCode = true
    static let body = ActivationOrder.shape(JSONObject(), .object(.anything))
    static let reply = Reply<JSONObject> {
        ReplyMember.always("activationData", Output(.anything) { .object($0) }) { $0 }
    }
    private static let phoneReply = Reply.activation()

    func respond(
        to order: ActivationOrder<JSONObject>, of request: Request, from caller: OnboardingCaller
    ) async throws(OnboardingError) -> JSONObject {
        guard let app = caller.app else { throw .encryption }
        // Open the inner envelope first, because the reply needs its keys. `.encryption` is thrown only after the code
        // was checked.
        var opened: OpenedEnvelope?
        do throws(OnboardingError) {
            opened = try await envelopes.open(
                order.phone, app.version, for: .activationOrder, from: DeviceCaller(app.keys))
        } catch {
            guard error == .encryption else { throw error }
        }
        let phone = opened.flatMap { try? OrderingPhone.shape.read(FieldReader(JSONObject.parse($0.plain))) }
        let made = try await orders.carryOut(
            order.credentials, phone?.phone(app.keys), of: request, for: caller)
        // Without an opened envelope no activation was made.
        guard let opened else { throw .encryption }
        return try envelopes.seal(Self.phoneReply.object(made).serialized(), opened)
    }
}
