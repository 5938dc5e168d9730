import Testing

@testable import Outbound
@testable import Possession

/// The meaning of a mail server's replies.
@Suite struct MailRepliesTests {
    private static let hello = [
        "220 mail.example ESMTP\r\n", "250-mail.example\r\n", "250-8BITMIME\r\n", "250 SMTPUTF8\r\n",
    ]
    private static let startTLS = hello + ["220 go on\r\n", "250-mail.example\r\n", "250 AUTH PLAIN\r\n"]
    private static let login = ["334 \r\n", "235 2.7.0 welcome\r\n"]

    private static func replies(_ lines: [String], hasLogin: Bool) -> MailReplies {
        var replies = MailReplies(hasLogin: hasLogin)
        for line in lines { replies.take(Array(line.utf8)) }
        return replies
    }

    @Test(
        arguments: [
            (["554 no service\r\n"], .session), (hello + ["451 not now\r\n"], .sender),
            (hello + ["250 ok\r\n", "550-no\r\n", "550 such mailbox\r\n"], .recipient),
            (hello + ["250 ok\r\n", "550 no such mailbox\r\n", "221 bye\r\n"], .recipient),
            (hello + ["250 ok\r\n", "250 ok\r\n", "451 not now\r\n"], .content),
            (hello + ["250 ok\r\n", "250 ok\r\n", "354 go on\r\n", "554 refused\r\n"], .content),
            (startTLS + ["250 ok\r\n", "452 full\r\n"], .recipient), (startTLS + ["530 log in first\r\n"], .sender),
        ] as [([String], MailStep)])
    func `tells which command the last one answers, without a login`(lines: [String], step: MailStep) {
        let replies = Self.replies(lines, hasLogin: false)
        #expect(replies.step == step && replies.status >= 400)
    }

    @Test(
        arguments: [
            (["421 too many\r\n"], .session), (startTLS + login + ["550 not yours\r\n"], .sender),
            (startTLS + login + ["250 ok\r\n", "550 no such mailbox\r\n"], .recipient),
            (startTLS + login + ["250 ok\r\n", "250 ok\r\n", "354 go on\r\n", "552 too large\r\n"], .content),
        ] as [([String], MailStep)])
    func `tells the same after a login`(lines: [String], step: MailStep) {
        #expect(Self.replies(lines, hasLogin: true).step == step)
    }

    @Test func `takes nothing that is no reply`() {
        let replies = Self.replies(["", "\r\n", "25", "2x0 a", "250-more\r\n"], hasLogin: false)
        #expect(replies.status == 0)
    }

    @Test(
        arguments: [
            (535, .login, .account), (454, .login, .account), (421, .session, .busy), (554, .session, .route),
            (530, .sender, .account), (550, .sender, .account), (451, .sender, .route), (421, .recipient, .busy),
            (450, .recipient, .route), (552, .recipient, .number), (550, .recipient, .number), (554, .content, .route),
            (452, .content, .route),
        ] as [(Int, MailStep, GatewayFault.Kind)])
    func `a refusal has its kind by step and status`(status: Int, step: MailStep, kind: GatewayFault.Kind) {
        var response = OutboundResponse(status: status)
        response.step = step
        let fault = GatewayFault(mail: response)
        #expect(fault?.kind == kind && fault?.reason == "SMTP status \(status)" && fault?.code == String(status))
    }

    @Test func `a mail that was taken is no fault`() {
        #expect(GatewayFault(mail: OutboundResponse(status: 250)) == nil)
    }
}
