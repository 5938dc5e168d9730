internal import Possession
internal import StrictJSON
internal import SurfaceKit
internal import Text

/// The backend's facts about the person's device. Only the address and the platform have an effect.
struct Signals: Sendable {
    enum DevicePlatform: String, CaseIterable, Sendable { case android, ios, ipados, tvos, web }

    var address: IPAddress?
    var platform: DevicePlatform?

    static let shape = Shape(Signals(), name: "Signals") {
        Member.optional(
            "ip", .addressHint(), "Of the device: messages count under it. A text that is no address counts as absent."
        ) { $0.address = $1 }
        Member.ignored("device_id", .text(.freeText(256)), "The device's identifier. Checked, and without effect.")
        Member.optional(
            "device_platform", .choice(DevicePlatform.allCases),
            "The device's system. Only a silent verification uses it: any but android counts as an iPhone."
        ) { $0.platform = $1 }
        Member.ignored("device_model", .text(.freeText(256)), "The device's model. Checked, and without effect.")
        Member.ignored(
            "os_version", .text(.freeText(64)), "The version of the device's system. Checked, and without effect.")
        Member.ignored("app_version", .text(.freeText(64)), "The version of your app. Checked, and without effect.")
        Member.ignored(
            "user_agent", .text(.freeText(1024)), "The User-Agent of the person's browser. Checked, and without effect."
        )
        Member.ignored(
            "ja4_fingerprint", .text(.freeText(128)),
            "The JA4 fingerprint of the device's TLS connection. Checked, and without effect.")
        Member.ignored("is_trusted_user", .flag, "You trust the person. Checked, and without effect: all limits hold.")
        Member.ignored("existing_user", .flag, "The person has an account with you. Checked, and without effect.")
    }

    /// Fields that have their own error codes.
    static let refusals: [PreludeError] = ["signals.device_id", "signals.os_version"].map {
        .field(FieldDefect($0, "is not valid"))
    }
}

/// The caller's own name for a call.
struct Metadata: Sendable {
    var correlationID: String?

    static let shape = Shape(Metadata(), name: "RequestMetadata") {
        Member.optional("correlation_id", .text(.freeText(80)), "Any text of yours. The answer repeats it.") {
            $0.correlationID = $1
        }
    }
}
