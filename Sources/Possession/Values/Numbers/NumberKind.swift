/// Kind of a number in the numbering plan. Rules about cost and risk use it (OTP-16).
package enum NumberKind: String, Sendable, CaseIterable {
    case fixedLine
    case mobile
    /// The plan does not distinguish them, as in North America.
    case fixedLineOrMobile
    case tollFree
    /// Calling it costs more than a normal call.
    case premiumRate
    case sharedCost
    case voiceOverIP = "voip"
    /// Reaches a person on any line they choose.
    case personal
    case pager
    /// A company's number, which is connected to one of its lines ("universal access number").
    case company
    case voicemail

    /// Kinds that may get messages.
    package static let reachable = allCases.filter { $0.refusal == nil }

    /// Describes the correct form of a list of lines, for an error message.
    package static let demandOfReachable = "a list of lines: \(reachable.map(\.rawValue).joined(separator: ", "))"

    /// The kinds in a list; `nil`: the list is empty, or one of them may not get messages.
    package static func reachable(names: [String]) -> [NumberKind]? {
        let known = names.allSatisfy { name in reachable.contains { $0.rawValue.utf8.elementsEqual(name.utf8) } }
        let lines = reachable.filter { line in names.contains { $0.utf8.elementsEqual(line.rawValue.utf8) } }
        return known && !lines.isEmpty ? lines : nil
    }

    /// The kind in words, with its article.
    package var words: String {
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

    /// Why a number of this kind gets no messages: it costs more than a message, or it is not a person's phone
    /// (ABU-06). `nil`: it may get messages.
    package var refusal: String? {
        switch self {
        case .fixedLine, .mobile, .fixedLineOrMobile, .tollFree, .voiceOverIP: nil
        case .premiumRate, .sharedCost, .personal, .pager, .company, .voicemail: "is \(words)"
        }
    }
}

/// A number with its data from the numbering plan.
package struct PlannedNumber: Sendable, Equatable {
    package let number: PhoneNumber
    /// `nil`: the plan does not say.
    package let kind: NumberKind?
    /// ISO 3166-1, two capital letters; `nil`: the plan names none.
    package let region: String?

    package init(_ number: PhoneNumber, kind: NumberKind? = nil, region: String? = nil) {
        self.number = number
        self.kind = kind
        self.region = region
    }

    /// Calling codes without a country: satellites (870 Inmarsat, 881 Iridium and Globalstar), global networks and
    /// services (ITU-T E.164 annex). A message to them costs many times more than one to a phone.
    private static let global: [(code: String, what: String)] = [
        ("800", "an international freephone number"), ("808", "a shared-cost number"),
        ("870", "a satellite phone (Inmarsat)"), ("878", "a personal number of no country"),
        ("881", "a satellite phone"), ("882", "a number of an international network"),
        ("883", "a number of an international network"), ("888", "a number of no country"),
        ("979", "a premium-rate number"),
    ]

    /// Why it gets no messages; `nil`: it may get them.
    package var refusal: String? {
        let digits = number.e164.utf8.dropFirst()
        if let service = Self.global.first(where: { digits.starts(with: $0.code.utf8) }) { return "is \(service.what)" }
        return kind?.refusal
    }
}
