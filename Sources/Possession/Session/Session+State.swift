extension Session {
    /// All of a session that changes, as plain values. Rules change it by the methods of `Session`; a store reads and writes
    /// it whole, so that a new member is declared here and written by the record's codec (`Records`), and nowhere else.
    package struct State: Sendable, Equatable {
        package var phase: Phase = .created
        /// Grows by one per change; what a long poll waits for.
        package var revision = 0
        package var binding: Binding = .unbound
        package var declaration: Declaration?
        /// The number the person entered, where the backend gave none or allowed a change.
        package var enteredNumber: PhoneNumber?
        package var device: DeviceCheck
        package var mobileAuth: MobileAuthCheck
        package var sends: SendBudget
        package var otp: OTPCheck
        /// The backend has named a code itself. Whoever made it knows it without the phone, so a right code is the backend's word
        /// and no proof to others.
        package var hasOwnCode = false
        package var link = LinkCheck()
        package var bindTriesLeft: Int
        package var proof: Proof?
        /// Set for a session that hands back what is known of a person.
        package var prefill: PrefillCheck?
        /// Why the number's standing made the session a failure. Of a success: why nobody could tell the standing. Empty
        /// otherwise.
        package var riskReasons: [Reputation.Reason] = []
        /// The bound key of a success that has one.
        package var deviceID: DeviceID?
        /// Set with `deviceID` in a run that was asked about its key.
        package var keyFinding: KeyFinding?
        /// What the person reads, as their client says.
        package var languages: Languages?
        /// Filled in by the store when the proof is stored: one per tenant and number.
        package var holderID: HolderID?

        /// A state whose other members are as a new session has them.
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

    package internal(set) var phase: Phase {
        get { state.phase }
        set { state.phase = newValue }
    }
    package internal(set) var revision: Int {
        get { state.revision }
        set { state.revision = newValue }
    }
    package internal(set) var binding: Binding {
        get { state.binding }
        set { state.binding = newValue }
    }
    package internal(set) var declaration: Declaration? {
        get { state.declaration }
        set { state.declaration = newValue }
    }
    package internal(set) var enteredNumber: PhoneNumber? {
        get { state.enteredNumber }
        set { state.enteredNumber = newValue }
    }
    package internal(set) var device: DeviceCheck {
        get { state.device }
        set { state.device = newValue }
    }
    package internal(set) var mobileAuth: MobileAuthCheck {
        get { state.mobileAuth }
        set { state.mobileAuth = newValue }
    }
    package internal(set) var sends: SendBudget {
        get { state.sends }
        set { state.sends = newValue }
    }
    package internal(set) var otp: OTPCheck {
        get { state.otp }
        set { state.otp = newValue }
    }
    package internal(set) var hasOwnCode: Bool {
        get { state.hasOwnCode }
        set { state.hasOwnCode = newValue }
    }
    package internal(set) var link: LinkCheck {
        get { state.link }
        set { state.link = newValue }
    }
    package internal(set) var bindTriesLeft: Int {
        get { state.bindTriesLeft }
        set { state.bindTriesLeft = newValue }
    }
    package internal(set) var proof: Proof? {
        get { state.proof }
        set { state.proof = newValue }
    }
    package internal(set) var prefill: PrefillCheck? {
        get { state.prefill }
        set { state.prefill = newValue }
    }
    package internal(set) var riskReasons: [Reputation.Reason] {
        get { state.riskReasons }
        set { state.riskReasons = newValue }
    }
    package internal(set) var deviceID: DeviceID? {
        get { state.deviceID }
        set { state.deviceID = newValue }
    }
    package internal(set) var keyFinding: KeyFinding? {
        get { state.keyFinding }
        set { state.keyFinding = newValue }
    }
    package internal(set) var languages: Languages? {
        get { state.languages }
        set { state.languages = newValue }
    }
    package var holderID: HolderID? {
        get { state.holderID }
        set { state.holderID = newValue }
    }
}
