internal import Possession

/// The channels that a caller may name. `auto` stands for `sna`, or else a text message.
enum VerificationChannel: String, Sendable, CaseIterable {
    case sms, call, email, whatsapp, sna, auto

    init(_ channel: OutgoingMessage.Channel) {
        switch channel {
        // This surface sends nothing by Viber.
        case .sms, .viber: self = .sms
        case .voice: self = .call
        case .whatsapp: self = .whatsapp
        case .email: self = .email
        }
    }

    /// The engine's channel for it; `nil`: there is none.
    var carrier: OutgoingMessage.Channel? {
        switch self {
        case .sms: .sms
        case .call: .voice
        case .whatsapp: .whatsapp
        case .email, .sna, .auto: nil
        }
    }
}
