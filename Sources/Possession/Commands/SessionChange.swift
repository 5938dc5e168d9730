/// Everything that one change of a session reads and then writes, as values. A rule is a plain function on it.
package struct SessionChange: Sendable {
    package var session: Session
    /// The session starts with this change (`SessionStore.findOrInsert`).
    package let isNew: Bool
    /// Do not store the new session. Store only the limit counts.
    package var isDropped = false
    /// The session tenant's key with the looked-up thumbprint, else with that of the pending key. Setting or changing
    /// it stores it.
    package var deviceKey: DeviceKey?
    /// A new activation for what the session has proven. Setting it stores it.
    package var activation: DeviceActivation?
    /// Use of this request's DPoP proof (TOK-15).
    package let proof: ProofUse
    /// The session's tenant is revoked, so none of its clients may call (TOK-10).
    package let tenantIsRevoked: Bool
    /// The tenant's rules, if the look-up requested them and they can be read.
    package let tenantRules: TenantRules?
    /// The tenant has an identity for the target in the look-up.
    package let isKnownTarget: Bool
    /// Number of tenants that may call, if the look-up requested it; else 1.
    package let tenantCount: Int
    /// Earlier reply to the same retry key.
    package let earlierReply: KeptReply?
    /// The tallies of the keys in the look-up. Changed tallies are stored.
    package var tallies: LimitTallies
    /// Names for the session, in addition to its own (`Session.names`).
    package var names: [SessionName] = []
    /// Stored under the retry key, if the call has one.
    package var reply: KeptReply?
    /// Stored as queued (DUR-14); the caller must then send it: see `Outbox`.
    package var message: OutboundMessage?
    /// State of the message in the look-up; `nil`: there is none. Changing it stores it and deletes the message's
    /// content.
    package var messageState: OutboundMessage.State?
    /// The end that the carrier reported for that message; `nil`: not known yet. Setting it stores it.
    package var messageEnd: MessageReceipt.End?
    /// Gateways that did not take it, in order. Stored with a new `messageState`.
    package var messageRefusals: [GatewayRefusal] = []
    /// Its gateway has a deadline for the first receipt, and none has come. `false` is stored when one has come or the
    /// time is over.
    package var messageAwaitsReceipt: Bool
    /// The gateway that took it, if gateways have names. For a queued message: the gateway that reported its end; it is
    /// stored with that end.
    package var messageGateway: String?
    /// The channel that it took, if that was recorded.
    package let messageChannel: OutgoingMessage.Channel?
    /// That message with its content, if the look-up requested it and it is kept (`Outbox.noteSent`).
    package let keptMessage: OutboundMessage?
    /// The account of a proof by Mobile Auth, if the rule may prove a number so; `nil`: it is not counted.
    package var mobileAuthAccount: MessageAccount?
    /// Events of the rule, in addition to the session's own.
    package var news: [WebhookNews] = []
    /// Stored for the tenant's endpoints. The engine sets it after the rule.
    package var webhooks: [NewWebhookEvent] = []

    package init(
        session: Session, isNew: Bool = false, deviceKey: DeviceKey?, proof: ProofUse, tenantIsRevoked: Bool,
        tenantRules: TenantRules? = nil, isKnownTarget: Bool = false, tenantCount: Int = 1,
        earlierReply: KeptReply?, tallies: LimitTallies = LimitTallies(), messageState: OutboundMessage.State? = nil,
        messageEnd: MessageReceipt.End? = nil, messageAwaitsReceipt: Bool = false, messageGateway: String? = nil,
        messageChannel: OutgoingMessage.Channel? = nil, keptMessage: OutboundMessage? = nil
    ) {
        self.session = session
        self.isNew = isNew
        self.deviceKey = deviceKey
        self.proof = proof
        self.tenantIsRevoked = tenantIsRevoked
        self.tenantRules = tenantRules
        self.isKnownTarget = isKnownTarget
        self.tenantCount = tenantCount
        self.earlierReply = earlierReply
        self.tallies = tallies
        self.messageState = messageState
        self.messageEnd = messageEnd
        self.messageAwaitsReceipt = messageAwaitsReceipt
        self.messageGateway = messageGateway
        self.messageChannel = messageChannel
        self.keptMessage = keptMessage
    }
}
