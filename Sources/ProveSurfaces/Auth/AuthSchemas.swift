internal import HTTPServer
internal import Possession
internal import StrictJSON
internal import SurfaceKit

/// Schemas of `subjects` in the API description: in a call, and in an answer.
enum AuthSchemas {
    private static let reference = Input<String>.reference.schema
    private static let flag = Schema.flag

    // MARK: Subjects of start

    static let subjects = Schema.record(
        [
            may(
                "mobile",
                subject(
                    "Mobile", [may("mobileNumber", number, "Blanks, dots, hyphens and brackets do not count.")],
                    "The claimed number. Without it the session has to find the number.", mobile), "The phone number."),
            may(
                "device",
                subject(
                    "Device", [may("deviceId", .givenIdentifier, "The key, as an outcome names it.")],
                    "The key that is expected. Without it any key counts.", keyAlone),
                "The device key."),
            may(
                "user",
                Schema.record(
                    [
                        may(
                            "claim", Schema.record(user, others: true).called("UserClaim"),
                            "The account. Without it this subject never passes."),
                        may("authenticators", keyAlone, "present, docv and ppb are not supported."),
                    ], others: true
                ).called("UserSubject"), "The caller's own account of the person."),
        ], others: true
    ).called("AuthSubjects")

    /// - Parameters:
    ///   - name: begins the names of its schemas.
    ///   - about: describes the claim.
    private static func subject(_ name: String, _ claim: [Field], _ about: String, _ authenticators: Schema) -> Schema {
        Schema.record(
            [
                may("claim", Schema.record(claim, others: true).called(name + "Claim"), about),
                may("authenticators", authenticators, "The checks that may prove it; {} names one without options."),
            ], others: true
        ).called(name + "Subject")
    }

    private static let number = Input<String>.phoneNumber.schema
    private static let user = [
        must("userId", TextRule.reference.schema.filled, "The caller's own name of the account."),
        may("provided", flag, "The account is kept with the key, and not compared with it."),
    ]
    private static let key = Schema.record(
        [
            may(
                "userVerificationLevel", Schema.choice(["preferred", "discouraged"]),
                "Has no effect; required is refused."),
            may("allowPasscodeFallback", flag, "Has no effect."),
        ], others: true
    ).called("KeyOptions")
    /// The authenticators of a subject that has only the device key.
    private static let keyAlone = Schema.record([may("passive", key, "The device key.")], others: true)
        .called("KeyAuthenticators")

    private static let message = [
        must(
            "messageText", Schema.text(least: 1, most: MessageTemplate.maxCharacters),
            "One run of 4 to 6 # is where the code or link goes."),
        may("allowMobileNumberRePrompt", flag, "Whether the person may name another number."), testMode,
    ]
    private static let testMode = may("testMode", reference, "Has no effect.")
    private static let mobile = Schema.record(
        [
            may(
                "instant",
                Schema.record(
                    [
                        may("consent", consent, "The subscriber's consent. Without it Mobile Auth runs."), testMode,
                    ], others: true
                ).called("MobileAuthOptions"),
                "Mobile Auth, also where the client's own rule has none."),
            may(
                "instantlink", Schema.record(message + link, others: true).called("LinkOptions"),
                "A link in a message, which the person opens and approves."),
            may(
                "otp",
                Schema.record(message + [may("allowOtpRetry", flag, "More than one try at a code.")], others: true)
                    .called("OTPOptions"), "A code in a message, which the person types."),
            may("passive", Schema.record(keyAge, others: true).called("KeyAgeOptions"), "The device key."),
        ], others: true
    ).called("MobileAuthenticators")
    private static let link = [
        must(
            "finalTargetUrl", Input<FinalTargetURL>.finalTargetURL.schema, "The page that the link leads to in the end."
        ),
        may(
            "sourceIp", Schema.text(most: TextRule.ipAddress.maxCharacters, pattern: "^[A-Za-z0-9.:]*$"),
            "The address of the waiting browser: the link must be opened from there."),
        may("subscriptionCustomerId", reference, "The caller's own name of the customer."),
    ]
    private static let keyAge = [
        may(
            "maxAge", Schema(["type": "integer", "minimum": -1, "maximum": .integer(maxAge)]),
            "Seconds after which a key is bound again; 0: never, -1: always."),
        may("cacheResult", flag, "With false the key is bound again, as by -1."),
        may("localDomain", flag, "Has no effect."), testMode,
    ]
    private static let maxAge = Int64(Policy.maxKeyAges.upperBound)
    private static let consent = Schema.record(
        [must("status", .choice(["optedIn", "optedOut", "notCollected", "unknown"]), "optedOut: no Mobile Auth.")]
            + consentDetails.map { may($0, reference, "Needed with optedIn.") }, others: true
    ).with(
        "if",
        [
            "required": ["status"],
            "properties": ["status": ["const": "optedIn", "description": "The subscriber has agreed."]],
        ]
    )
    .with("then", .object(withDetails)).called("Consent")
    private static let consentDetails = ["collectedTimestamp", "description", "transactionId"]
    private static let withDetails: JSONObject = {
        var properties = JSONObject()
        for name in consentDetails {
            properties.set(name, Schema.text(least: 1).with("description", .string(Schema.aboutFilled)).object)
        }
        return ["required": .array(consentDetails.map { .string($0) }), "properties": .object(properties)]
    }()

    // MARK: Subjects of finish

    static let failure = Schema.record([
        SharedSchemas.stableCode,
        must("message", .text(), "The same in words, such as otp_mismatch or mobile authentication missing."),
    ]).called("AuthFailure")
    private static let moment = Schema.integer(0...Int.max)

    /// - Parameter name: begins the names of its schemas.
    private static func result(_ name: String, _ success: [Field]) -> Schema {
        Schema.record([
            may("success", .record(success).called(name + "Success"), "There once it has passed."),
            may("error", failure, "There when it has not passed, or not yet."),
        ]).called(name + "Result")
    }

    static let results = Schema.record([
        may(
            "mobile",
            result(
                "Mobile",
                [
                    must(
                        "authenticatorType", .choice(["instant", "passive", "provided"]),
                        "passive: the device key. provided: the caller's own check. instant: any other check."),
                    must(
                        "claim",
                        .record([
                            must("mobileNumber", .text(), "The number as it was sent; one found on the way is E.164.")
                        ]).called("ProvenMobile"), "The number that is proven."),
                    must("createdAt", moment, "Seconds since 1970: when it was proven, or the key bound."),
                    may("extras", linkExtras, "There where the check was a link."),
                ]), "There if start named it."),
        may(
            "device",
            result(
                "Device",
                [
                    must(
                        "claim",
                        .record([must("deviceId", .identifier, "Names the key in later sessions.")])
                            .called("ProvenDevice"), "The bound key."),
                    must("createdAt", moment, "Seconds since 1970: when the key was bound."),
                    must(
                        "extras",
                        .record([
                            must(
                                "deviceType", .choice(["web", "mobile"]), "web: a browser. mobile: an app on a phone.")
                        ]).called("DeviceExtras"), "Facts about the device."),
                ]), "There if start named it."),
        may(
            "user",
            result(
                "User",
                [
                    must(
                        "authenticatorType", .choice(["passive", "provided"]),
                        "provided: the key now keeps the account. passive: the key has kept the same account."),
                    must(
                        "claim",
                        .record([must("userId", .text(), "The value that was sent.")]).called("ProvenUser"),
                        "The account of the person."),
                    must("createdAt", moment, "Seconds since 1970: when the key was bound."),
                ]), "There if start named it."),
    ]).called("AuthResults")
    private static let linkExtras = Schema.record([
        must("linkClicked", .flag, "Always true: the person has approved the link."),
        may(
            "ipMatch", .choice(["success", "failure", "indeterminate"]),
            "Whether the link was approved from sourceIp. Absent if start had none."),
        must("phoneMatch", .choice(["indeterminate"]), "Always indeterminate: nothing tells which phone it was."),
    ]).called("LinkExtras")
}
