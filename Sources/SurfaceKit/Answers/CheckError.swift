package import Possession

/// The failure of a check, in the words of the state document (client protocol 4.11).
package struct CheckError {
    package let name: String
    package let code: Int

    package init?(_ link: LinkCheck) {
        switch link.state {
        case .expired: self.init("link_expired", 20_202)
        case .failed(.denied): self.init("link_denied", 20_201)
        case .failed(.addressMismatch): self.init("link_ip_mismatch", 20_203)
        case .failed(.phoneMismatch): self.init("link_phone_mismatch", 20_204)
        case .failed(.wrongMatchCode): self.init("link_match_code_mismatch", 20_205)
        case .idle, .waiting, .passed, .closed: return nil
        }
    }

    package init?(_ mobileAuth: MobileAuthCheck) {
        switch mobileAuth.state {
        case .ended(.unavailable?): self.init("mobile_auth_unavailable", 20_303)
        case .ended(.mismatch?): self.init("mobile_auth_mismatch", 20_304)
        default: return nil
        }
    }

    private init(_ name: String, _ code: Int) {
        self.name = name
        self.code = code
    }
}
