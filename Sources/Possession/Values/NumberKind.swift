/// Use of a number, as far as the numbering plan tells. Rules about cost and risk look at it (OTP-16).
package enum NumberKind: String, Sendable, CaseIterable {
    case fixedLine
    case mobile
    /// The plan does not tell them apart, as in North America.
    case fixedLineOrMobile
    case tollFree
    /// The caller pays more than for a call.
    case premiumRate
    case sharedCost
    case voiceOverIP = "voip"
    /// Follows a person to whatever line they choose.
    case personal
    case pager
    /// A company's number, put through to one of its lines ("universal access number").
    case company
    case voicemail

    /// Those that messages may go to.
    package static let reachable = allCases.filter { $0.refusal == nil }

    /// Tells whoever wrote a wrong list of lines how to write it.
    package static let demandOfReachable = "a list of lines: \(reachable.map(\.rawValue).joined(separator: ", "))"

    /// The lines of a list; `nil`: one of them is none that messages may go to, or there is none.
    package static func reachable(names: [String]) -> [NumberKind]? {
        let known = names.allSatisfy { name in reachable.contains { $0.rawValue.utf8.elementsEqual(name.utf8) } }
        let lines = reachable.filter { line in names.contains { $0.utf8.elementsEqual(line.rawValue.utf8) } }
        return known && !lines.isEmpty ? lines : nil
    }

    /// The kind in words, with its article.
    var words: String {
        switch self {
        case .fixedLine: "a landline"
        case .mobile: "a mobile number"
        case .fixedLineOrMobile: "a landline or mobile number"
        case .tollFree: "a toll-free number"
        case .premiumRate: "a premium-rate number"
        case .sharedCost: "a shared-cost number"
        case .voiceOverIP: "a VoIP number"
        case .personal: "a personal number, which stands for changing lines"
        case .pager: "a pager"
        case .company: "a universal access number of a company"
        case .voicemail: "a voicemail box"
        }
    }

    /// Why no message goes to a number of this kind: it costs more than a message, or no person holds it as a phone
    /// (ABU-06). `nil`: messages may go.
    package var refusal: String? {
        switch self {
        case .fixedLine, .mobile, .fixedLineOrMobile, .tollFree, .voiceOverIP: nil
        case .premiumRate, .sharedCost, .personal, .pager, .company, .voicemail: "is \(words)"
        }
    }
}

/// A number with what the numbering plan says of it.
package struct PlannedNumber: Sendable, Equatable {
    package let number: PhoneNumber
    /// `nil`: the plan does not say.
    package let kind: NumberKind?
    /// ISO 3166-1, two capital letters; `nil` where the plan names none.
    package let region: String?

    package init(_ number: PhoneNumber, kind: NumberKind? = nil, region: String? = nil) {
        self.number = number
        self.kind = kind
        self.region = region
    }

    /// Calling codes without a country: satellites (870 Inmarsat, 881 Iridium and Globalstar), networks and services
    /// of the whole world (ITU-T E.164 annex). A message to them costs many times one to a phone.
    private static let global: [(code: String, what: String)] = [
        ("800", "an international freephone number"), ("808", "a shared-cost number"),
        ("870", "a satellite phone (Inmarsat)"), ("878", "a personal number of no country"),
        ("881", "a satellite phone"), ("882", "a number of an international network"),
        ("883", "a number of an international network"), ("888", "a number of no country"),
        ("979", "a premium-rate number"),
    ]

    /// Why no message goes to it; `nil`: one may.
    package var refusal: String? {
        let digits = number.e164.utf8.dropFirst()
        if let service = Self.global.first(where: { digits.starts(with: $0.code.utf8) }) { return "is \(service.what)" }
        return kind?.refusal
    }
}
