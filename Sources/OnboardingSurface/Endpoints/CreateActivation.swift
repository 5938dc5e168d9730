internal import HTTPServer
internal import Possession
internal import SurfaceKit

/// `POST /pa/v3/activation/create`, plain: activates a phone by the code of a process.
///
///     {"requestObject":{"type":"CUSTOM","identityAttributes":{"processId":"019b...","otpCode":"12345678",
///      "credentialsType":"ONBOARDING"},"activationData":{"devicePublicKey":"A...","activationName":"Ada's phone"}}}
///     ->  200 {"status":"OK","responseObject":{"activationId":"019b...","serverPublicKey":"B...","ctrData":"..."}}
struct CreateActivation: OnboardingEndpoint {
    let orders: ActivationOrders

    static let call = Call(
        .post, OnboardingPath.protocol3 + "/activation/create", id: "CreateActivation", "Activate a phone",
        """
        Takes one code of a process. The right one gives the phone keys of its own, and ends the process. In an encrypted call \
        the members stand without requestObject, activationData is an envelope for /pa/activation, and so is that of the answer.
        """,
        body: .json(
            """
            {"requestObject":{"type":"CUSTOM","identityAttributes":{"processId":"019b7907-8d58-7500-8000-000000000001",\
            "otpCode":"12345678","credentialsType":"ONBOARDING"},"activationData":{"devicePublicKey":\
            "A2sX0fLhLEJH+Lzm5WOkQPJ3A32BLeszoPShOUXYmMKW","activationName":"Ada's phone"}}}
            """, upTo: .app),
        answer: "The activation.")

    private static let empty = ActivationOrder(phone: OrderingPhone())
    static let body = Shape.wrapping(ActivationOrder.shape(empty.phone, .object(OrderingPhone.shape)), empty)
    static let reply = Reply.wrapping(
        .activation(),
        example: """
            {"status":"OK","responseObject":{"activationId":"019b7907-8d58-7500-8000-000000000002","serverPublicKey":\
            "BGsX0fLhLEJH+Lzm5WOkQPJ3A32BLeszoPShOUXYmMKWT+NC4v4af5uO5+tKfA+eFivOM1drMV7Oy7ZAaDe/UfU=",\
            "ctrData":"C48N0ekaenicTtsb6LEf1g==\
            "}}
            """)
    static let takesCode = true
    static let refusals: [OnboardingError] = [
        .activationRefused(triesLeft: 4), .codeMalformed(triesLeft: 5), .orderBroken(triesLeft: 4, isEncrypted: false),
    ]

    func respond(
        to order: ActivationOrder<OrderingPhone>, of request: Request, from caller: OnboardingCaller
    ) async throws(OnboardingError) -> ActivationOrders.Made {
        try await orders.carryOut(order.credentials, order.phone.phone(nil), of: request, for: caller)
    }
}
