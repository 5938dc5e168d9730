@testable import Outbound
internal import Engine
internal import Possession
internal import Text

extension FuzzTarget {
    /// Answers of servers outside: heads as libcurl hands them on, and bodies of operators, of the identity service
    /// and of the reputation service.
    /// The first byte says which.
    static let answers = FuzzTarget("answers", maxBytes: 2048) { bytes in
        var choices = Choices(bytes)
        let kind = choices.number(below: 9)
        let status = [200, 200, 400, 401, 403, 404, 429, 500][choices.number(below: 8)]
        let body = Array(choices.rest)
        switch kind {
        case 0: head(body)
        case 1: address(choices.text())
        case 2:
            let response = CAMARAResponse(call: .token, status: status, body: body)
            guard let token = try? response.token().text else { return }
            require(status == 200 && token.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F }, "a token is fit for a header")
        case 3:
            let response = CAMARAResponse(call: .number, status: status, body: body)
            guard let number = try? NumberAnswers.number(in: response) else { return }
            require(status == 200 && PhoneNumber(e164: number.e164) == number, "a number is one")
        case 4:
            let response = CAMARAResponse(call: .verify, status: status, body: body)
            if (try? NumberAnswers.verified(in: response)) != nil {
                require(status == 200, "only 200 says something")
            }
        case 5: person(OutboundResponse(status: status, body: body))
        case 6: standing(OutboundResponse(status: status, body: body))
        case 7:
            let response = CAMARAResponse(call: .simSwap, status: status, body: body)
            switch try? StandingAnswers.swapped(in: response) {
            case .swapped: require(status == 200, "only 200 says something")
            case .untold: require(status == 400, "400 says that the hours are too many")
            case .last: require(false, "no date was asked for")
            case nil: break
            }
            let last = try? StandingAnswers.lastSwap(in: response)
            require(last == nil || status == 200, "only 200 says something")
            _ = last?.answering(.within(hours: 2400), at: Timestamp(seconds: 1_767_261_600))
        default:
            let response = CAMARAResponse(call: .recycling, status: status, body: body)
            require((try? StandingAnswers.recycled(in: response)) == nil || status == 200, "only 200 says something")
            if let milliseconds = RFC3339.milliseconds(body) {
                let text = RFC3339.text(milliseconds: milliseconds, showsMilliseconds: true)
                // A zone may lead beyond the years that have four digits.
                guard (-62_135_596_800_000...253_402_300_799_999).contains(milliseconds) else { return }
                require(RFC3339.milliseconds(text.utf8) == milliseconds, "a moment is one")
            }
        }
    }

    /// Lines with their ends.
    private static func head(_ bytes: [UInt8]) {
        var answer = OutboundAnswer(maxHeadBytes: 16_384, maxBodyBytes: 65_536)
        var rest = bytes[...]
        var isTaken = true
        while isTaken, !answer.hasHead, !rest.isEmpty {
            let end = rest.firstIndex(of: UInt8(ascii: "\n")).map { $0 + 1 } ?? rest.endIndex
            isTaken = answer.takeLine(rest[..<end])
            rest = rest[end...]
        }
        require(isTaken == (answer.defect == nil), "a refusal has a reason")
        guard isTaken, answer.hasHead else { return }
        require((200...999).contains(answer.response.status), "a head that ends is of an answer")
        let lengths = answer.response.headers.count { $0.name.lowercased() == "content-length" }
        require(lengths <= 1, "one length")
        let isWhole = answer.takeBody(rest)
        require(isWhole == (rest.count <= 65_536), "a body up to its limit")
        if isWhole { require(answer.response.body.elementsEqual(rest), "a body is what was sent") }
    }

    private static func address(_ url: String) {
        guard OutboundURL.defect(of: url) == nil else { return }
        require(url.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F && $0 != UInt8(ascii: "#") }, "visible ASCII")
        require(url.utf8.starts(with: "http".utf8), "http")
        if url.utf8.count < 1000, OutboundURL.defect(of: url, isBase: true) == nil {
            require(OutboundURL.defect(of: url + "/token", isBase: true) == nil, "a path fits behind a base")
        }
    }

    private static func standing(_ response: OutboundResponse) {
        guard let number = PhoneNumber(e164: "+12001004014"),
            let answer = try? ReputationAnswer(response, about: number)
        else { return }
        require(response.status == 200 || answer.standing == nil, "only 200 knows a standing")
        for reason in answer.standing?.failureReasons ?? [] {
            require(reason.code.utf8.count == 4, "a code has four digits")
            require((1...128).contains(reason.text.utf8.count), "a text is bounded")
            require(Person.isPrintable(reason.text), "a text can be shown")
        }
    }

    private static func person(_ response: OutboundResponse) {
        guard let number = PhoneNumber(e164: "+12001004014"),
            let answer = try? IdentityAnswer(response, about: number)
        else { return }
        require(response.status == 200 || answer.person == nil, "only 200 knows somebody")
        guard let person = answer.person else { return }
        let texts = [person.firstName, person.lastName] + person.emailAddresses
        require(texts.allSatisfy { Person.isPrintable($0) && !$0.utf8.isEmpty }, "texts that can be shown")
        require(person.dob.map(Person.isDate) ?? true, "a date is one")
        require(person.ssn.map(Person.isSSN) ?? true, "nine digits")
    }
}
