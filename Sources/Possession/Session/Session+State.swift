extension Session {
    /// Everything in a session that changes, as plain values. Rules change it by the methods of `Session`. A store
    /// reads and writes it whole: a new member is declared here and written by the record's codec (`Records`), and
    /// nowhere else.
    package struct State: Sendable, Equatable {
        package var phase: Phase = .created
        /// Grows by one with each change. Long polls wait for it.
        package var revision = 0
        package var binding: Binding = .unbound
        package var declaration: Declaration?
        /// The number that the person entered, because the backend gave none or allowed a change.
        package var enteredNumber: PhoneNumber?
        package var device: DeviceCheck
        package var mobileAuth: MobileAuthCheck
        package var sends: SendBudget
        package var otp: OTPCheck
        /// The backend made the code. It knows the code without the phone, so a right code counts as the backend's
        /// statement and proves nothing to others.
        package var hasOwnCode = false
        package var link = LinkCheck()
        /// The newest code that a link gave, until the session ends.
        package var exchange: ExchangeCode?
        package var bindTriesLeft: Int
        package var proof: Proof?
        /// Set if the session returns the known data of a person.
        package var prefill: PrefillCheck?
        /// For a failure: why the number's standing caused it. For a success: why the standing could not be learned.
        /// Else empty.
        package var riskReasons: [Reputation.Reason] = []
        /// The bound key of a success, if it has one.
        package var deviceID: DeviceID?
        /// Set together with `deviceID` if the backend asked about the key.
        package var keyFinding: KeyFinding?
        /// Languages that the person reads, as the client reports.
        package var languages: Languages?
        /// The addresses that requested messages that count as unanswered, each once, the newest last. An answer
        /// refills their budgets.
        package var askers: [MessageSource] = []
        /// The country of the newest such message, if country limits apply to it.
        package var askedCountry: String?
        /// Filled in by the store when the proof is stored: one per tenant and number.
        package var holderID: HolderID?

        /// A state whose other members have their initial values.
        package init(
            device: DeviceCheck, mobileAuth: MobileAuthCheck, sends: SendBudget, otp: OTPCheck, bindTriesLeft: Int
        ) {
            self.device = device
            self.mobileAuth = mobileAuth
            self.sends = sends
            self.otp = otp
            self.bindTriesLeft = bindTriesLeft
        }
    }

    /// The state of a session, shared by its copies.
    package final class StateBlock: @unchecked Sendable, Equatable {
        // Sendable: changed only while a single session refers to it.
        package fileprivate(set) var state: State

        init(_ state: State) {
            self.state = state
        }

        package static func == (left: StateBlock, right: StateBlock) -> Bool {
            left === right || left.state == right.state
        }
    }

    private mutating func change(_ change: (inout State) -> Void) {
        if !isKnownUniquelyReferenced(&block) { block = StateBlock(block.state) }
        change(&block.state)
    }

    /// Lets rules name its members without `state.`.
    package internal(set) var state: State {
        get { block.state }
        set { change { $0 = newValue } }
    }

    package internal(set) var phase: Phase {
        get { block.state.phase }
        set { change { $0.phase = newValue } }
    }
    package internal(set) var revision: Int {
        get { block.state.revision }
        set { change { $0.revision = newValue } }
    }
    package internal(set) var binding: Binding {
        get { block.state.binding }
        set { change { $0.binding = newValue } }
    }
    package internal(set) var declaration: Declaration? {
        get { block.state.declaration }
        set { change { $0.declaration = newValue } }
    }
    package internal(set) var enteredNumber: PhoneNumber? {
        get { block.state.enteredNumber }
        set { change { $0.enteredNumber = newValue } }
    }
    package internal(set) var device: DeviceCheck {
        get { block.state.device }
        set { change { $0.device = newValue } }
    }
    package internal(set) var mobileAuth: MobileAuthCheck {
        get { block.state.mobileAuth }
        set { change { $0.mobileAuth = newValue } }
    }
    package internal(set) var sends: SendBudget {
        get { block.state.sends }
        set { change { $0.sends = newValue } }
    }
    package internal(set) var otp: OTPCheck {
        get { block.state.otp }
        set { change { $0.otp = newValue } }
    }
    package internal(set) var hasOwnCode: Bool {
        get { block.state.hasOwnCode }
        set { change { $0.hasOwnCode = newValue } }
    }
    package internal(set) var link: LinkCheck {
        get { block.state.link }
        set { change { $0.link = newValue } }
    }
    package internal(set) var exchange: ExchangeCode? {
        get { block.state.exchange }
        set { change { $0.exchange = newValue } }
    }
    package internal(set) var bindTriesLeft: Int {
        get { block.state.bindTriesLeft }
        set { change { $0.bindTriesLeft = newValue } }
    }
    package internal(set) var proof: Proof? {
        get { block.state.proof }
        set { change { $0.proof = newValue } }
    }
    package internal(set) var prefill: PrefillCheck? {
        get { block.state.prefill }
        set { change { $0.prefill = newValue } }
    }
    package internal(set) var riskReasons: [Reputation.Reason] {
        get { block.state.riskReasons }
        set { change { $0.riskReasons = newValue } }
    }
    package internal(set) var deviceID: DeviceID? {
        get { block.state.deviceID }
        set { change { $0.deviceID = newValue } }
    }
    package internal(set) var keyFinding: KeyFinding? {
        get { block.state.keyFinding }
        set { change { $0.keyFinding = newValue } }
    }
    package internal(set) var askers: [MessageSource] {
        get { block.state.askers }
        set { change { $0.askers = newValue } }
    }
    package internal(set) var askedCountry: String? {
        get { block.state.askedCountry }
        set { change { $0.askedCountry = newValue } }
    }
    package internal(set) var languages: Languages? {
        get { block.state.languages }
        set { change { $0.languages = newValue } }
    }
    package var holderID: HolderID? {
        get { block.state.holderID }
        set { change { $0.holderID = newValue } }
    }
}
