internal import Administration
internal import Sandbox
internal import PhoneNumbers
internal import Possession

/// What number an operator means, as people type it: the numbering plan, and in a sandbox the users' digits first and any E.164 number.
struct PeopleNumbers {
    private let plan: NumberingPlan
    /// `nil` in live mode.
    private let users: SandboxUsers?

    init(_ configuration: Configuration) throws(StartFault) {
        plan = try configuration.numberingPlan(PlanInUse(try configuration.plan()))
        users = try configuration.sandbox.map { (sandbox) throws(StartFault) in
            SandboxUsers(try SandboxUsersFile.load(sandbox.usersFile).users)
        }
    }

    func number(_ text: String) -> PhoneNumber? {
        // What the API reads, and longer texts as the plan has them.
        let text = NumberText.digits(of: text) ?? text
        if let users {
            if let user = users.user(sentAs: text) { return user.number }
            if let number = PhoneNumber(e164: text) { return number }
        }
        return plan.number(text)
    }
}
