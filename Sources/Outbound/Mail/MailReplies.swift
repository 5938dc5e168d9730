/// The step of a mail at which the server gave its last reply (RFC 5321 section 3.3).
package enum MailStep: Sendable, Equatable {
    /// Greeting, EHLO and STARTTLS.
    case session
    case login
    /// MAIL FROM.
    case sender
    /// RCPT TO.
    case recipient
    /// DATA, and the content after it.
    case content
}

/// Reads the replies of a mail server as libcurl passes them, to know which command the last one answers.
struct MailReplies {
    /// The status of the last complete reply; 0: none yet.
    private(set) var status = 0
    private var previous = 0
    /// Consecutive 250 replies before the last reply.
    private var run = 0
    private var hasContentBegun = false
    private let hasLogin: Bool

    init(hasLogin: Bool) {
        self.hasLogin = hasLogin
    }

    /// Takes one line of a reply, such as `250 OK`. In a reply of several lines only the last one counts, whose code is
    /// not followed by `-`.
    mutating func take(_ line: some Collection<UInt8>) {
        let line = Array(line.prefix(4))
        guard line.count >= 3, line[..<3].allSatisfy({ (48...57).contains($0) }),
            line.count == 3 || line[3] != UInt8(ascii: "-")
        else { return }
        let code = line[..<3].reduce(0) { $0 * 10 + Int($1 - 48) }
        // The answer to QUIT, which libcurl sends after a refusal.
        guard code != 221 else { return }
        previous = status
        run = status == 250 ? run + 1 : 0
        status = code
        if status == 354 { hasContentBegun = true }
    }

    /// The step that the last reply belongs to. EHLO is answered by the first 250, or by the first in a row after
    /// STARTTLS; a login ends with 235.
    var step: MailStep {
        let beforeSender = hasLogin ? 0 : 1
        if hasContentBegun || run > beforeSender + 1 { return .content }
        if run == beforeSender + 1 { return .recipient }
        if run == beforeSender, !hasLogin || previous == 235 { return .sender }
        return .session
    }
}
