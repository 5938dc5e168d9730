internal import Possession

/// The ways that a caller may name. `auto` is `sna`, else a text message.
enum VerificationChannel: String, Sendable, CaseIterable {
    case sms, call, email, whatsapp, sna, auto

    init(_ channel: OutgoingMessage.Channel) {
        switch channel {
        // Nothing of this surface goes by Viber.
        case .sms, .viber: self = .sms
        case .voice: self = .call
        case .whatsapp: self = .whatsapp
        case .email: self = .email
        }
    }

    /// The channel that carries it; `nil`: none does.
    var carrier: OutgoingMessage.Channel? {
        switch self {
        case .sms: .sms
        case .call: .voice
        case .whatsapp: .whatsapp
        case .email, .sna, .auto: nil
        }
    }
}
