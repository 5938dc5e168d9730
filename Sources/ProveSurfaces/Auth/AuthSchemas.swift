internal import HTTPServer
internal import Possession
internal import StrictJSON
internal import SurfaceKit

/// What `subjects` may name, and what it tells, in the API description.
enum AuthSchemas {
    private static let reference = Input<String>.reference.schema.orNull
    private static let flag = Schema.flag.orNull

    // MARK: What start may name

    static let subjects = Schema.record(
        [
            may(
                "mobile",
                Schema.record(
                    [
                        may("claim", Schema.record([may("mobileNumber", number)], others: true).orNull),
                        may("authenticators", Schema.record(mobile, others: true).orNull),
                    ], others: true
                ).orNull, "The phone number."),
            may(
                "device",
                Schema.record(
                    [
                        may("claim", Schema.record([may("deviceId", deviceID)], others: true).orNull),
                        may("authenticators", Schema.record([may("passive", key)], others: true).orNull),
                    ], others: true
                ).orNull, "The device key."),
            may(
                "user",
                Schema.record(
                    [
                        may("claim", Schema.record(user, others: true).orNull),
                        may(
                            "authenticators",
                            Schema.record([may("passive", key)], others: true).orNull,
                            "present, docv and ppb are not supported."),
                    ], others: true
                ).orNull, "The caller's own account of the person."),
        ], others: true)

    private static let number = Input<String>.phoneNumber.schema.orNull
    private static let deviceID = Schema.givenIdentifier.orNull
    private static let user = [
        must("userId", TextRule.reference.schema.filled),
        may("provided", flag, "Keep it with the key, instead of comparing it."),
    ]
    private static let key = Schema.record(
        [
            may(
                "userVerificationLevel", Schema.choice(["preferred", "discouraged"]).orNull,
                "Has no effect; required is refused."),
            may("allowPasscodeFallback", flag, "Has no effect."),
        ], others: true
    ).orNull

    private static let message = [
        must(
            "messageText", Schema.text(least: 1, most: MessageTemplate.maxCharacters),
            "One run of 4 to 6 # is where the code or link goes."),
        may("allowMobileNumberRePrompt", flag, "Whether the person may name another number."), testMode,
    ]
    private static let testMode = may("testMode", reference, "Has no effect.")
    private static let mobile = [
        may(
            "instant", Schema.record([may("consent", consent), testMode], others: true).orNull,
            "Mobile Auth, also where the client's own rule has none."),
        may(
            "instantlink",
            Schema.record(
                message + [
                    must(
                        "finalTargetUrl", Input<FinalTargetURL>.finalTargetURL.schema,
                        "Where the link leads in the end."),
                    may(
                        "sourceIp",
                        Schema.text(most: TextRule.ipAddress.maxCharacters, pattern: "^[A-Za-z0-9.:]*$").orNull,
                        "Of the waiting browser: the link must be opened from there."),
                    may("subscriptionCustomerId", reference, "The caller's own name of the customer."),
                ], others: true
            ).orNull),
        may(
            "otp",
            Schema.record(message + [may("allowOtpRetry", flag, "More than one try at a code.")], others: true).orNull),
        may(
            "passive",
            Schema.record(
                [
                    may(
                        "maxAge",
                        Schema(["type": ["integer", "null"], "minimum": -1, "maximum": .integer(maxAge)]),
                        "Seconds after which a key is bound anew; 0: never, -1: always."),
                    may("cacheResult", flag, "false: bind anew, as -1."), may("localDomain", flag, "Has no effect."),
                    testMode,
                ], others: true
            ).orNull, "The device key."),
    ]
    private static let maxAge = Int64(Policy.maxKeyAges.upperBound)
    private static let consent = Schema.record(
        [must("status", .choice(["optedIn", "optedOut", "notCollected", "unknown"]), "optedOut: no Mobile Auth.")]
            + consentDetails.map { may($0, reference, "Needed with optedIn.") }, others: true
    ).with("if", ["required": ["status"], "properties": ["status": ["const": "optedIn"]]])
        .with("then", .object(withDetails)).orNull
    private static let consentDetails = ["collectedTimestamp", "description", "transactionId"]
    /// Without a type: `null` is neither of `if` nor of `then`, and passes both.
    private static let withDetails: JSONObject = {
        var properties = JSONObject()
        for name in consentDetails { properties.set(name, Schema.text(least: 1).object) }
        return ["required": .array(consentDetails.map { .string($0) }), "properties": .object(properties)]
    }()

    // MARK: What finish tells

    static let failure = Schema.record([must("code", .integer(1...99_999)), must("message", .text())])
    private static let moment = Schema.integer(0...Int.max)

    private static func result(_ success: [Field]) -> Schema {
        .record([
            may("success", .record(success), "When it has passed."),
            may("error", failure, "When it has not, or not yet."),
        ])
    }

    static let results = [
        may(
            "mobile",
            result([
                must("authenticatorType", .choice(["instant", "passive", "provided"])),
                must("claim", .record([must("mobileNumber", .text())])),
                must("createdAt", moment, "Seconds since 1970: when it was proven, or the key bound."),
                may(
                    "extras",
                    .record([
                        must("linkClicked", .flag), may("ipMatch", .choice(["success", "failure", "indeterminate"])),
                        must("phoneMatch", .choice(["indeterminate"])),
                    ]), "There where the check was a link."),
            ])),
        may(
            "device",
            result([
                must("claim", .record([must("deviceId", .identifier)])), must("createdAt", moment),
                must("extras", .record([must("deviceType", .choice(["web", "mobile"]))])),
            ])),
        may(
            "user",
            result([
                must("authenticatorType", .choice(["passive", "provided"])),
                must("claim", .record([must("userId", .text())])), must("createdAt", moment),
            ])),
    ]
}
