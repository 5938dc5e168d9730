internal import Possession
internal import StrictJSON
internal import SurfaceKit
internal import Text

/// Facts that the backend knows of the person's device. The address and the platform have an effect.
struct Signals: Sendable {
    enum DevicePlatform: String, CaseIterable, Sendable { case android, ios, ipados, tvos, web }

    var address: IPAddress?
    var platform: DevicePlatform?

    static let shape = Shape(Signals(), name: "Signals") {
        Member.optional(
            "ip", .addressHint(), "Of the device: messages count under it. A text that is no address counts as absent."
        ) { $0.address = $1 }
        Member.ignored("device_id", .text(.freeText(256)))
        Member.optional("device_platform", .choice(DevicePlatform.allCases)) { $0.platform = $1 }
        Member.ignored("device_model", .text(.freeText(256)))
        Member.ignored("os_version", .text(.freeText(64)))
        Member.ignored("app_version", .text(.freeText(64)))
        Member.ignored("user_agent", .text(.freeText(1024)))
        Member.ignored("ja4_fingerprint", .text(.freeText(128)))
        Member.ignored("is_trusted_user", .flag)
        Member.ignored("existing_user", .flag)
    }

    /// With codes of their own.
    static let refusals: [PreludeError] = ["signals.device_id", "signals.os_version"].map {
        .field(FieldDefect($0, "is not valid"))
    }
}

/// The caller's own name of a call.
struct Metadata: Sendable {
    var correlationID: String?

    static let shape = Shape(Metadata(), name: "RequestMetadata") {
        Member.optional("correlation_id", .text(.freeText(80)), "Any text of yours. The answer repeats it.") {
            $0.correlationID = $1
        }
    }
}
