internal import Administration
internal import Sandbox
internal import PhoneNumbers
internal import Possession

/// Reads numbers as operators type them, by the numbering plan. In a sandbox it first tries the users' digits and any
/// E.164 number.
struct PeopleNumbers: Sendable {
    private let plan: NumberingPlan
    /// `nil`: live mode.
    private let users: SandboxUsers?

    /// - Parameter users: `nil`: live mode.
    init(_ plan: NumberingPlan, _ users: SandboxUsers?) {
        self.plan = plan
        self.users = users
    }

    init(_ configuration: Configuration) throws(StartFault) {
        plan = try configuration.numberingPlan(PlanInUse(try configuration.plan()))
        users = try configuration.sandbox.map { (sandbox) throws(StartFault) in
            SandboxUsers(try SandboxUsersFile.load(sandbox.usersFile).users)
        }
    }

    func number(_ text: String) -> PhoneNumber? {
        // Texts that the API accepts are read as the API reads them. Longer texts are left to the plan.
        let text = NumberText.digits(of: text) ?? text
        if let users {
            if let user = users.user(sentAs: text) { return user.number }
            if let number = PhoneNumber(e164: text) { return number }
        }
        return plan.number(text)
    }
}
