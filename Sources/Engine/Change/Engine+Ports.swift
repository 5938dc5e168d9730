package import Possession

// The ports of the engine, in groups. Each group is one object, so that a service that stores it counts one reference,
// not one for each port.

extension Engine {
    /// The state of this server. Only the engine's services read and write it: other targets call these services.
    package final class Stores: Sendable {
        let sessions: any SessionStore
        let outbox: any Outbox
        let deviceKeys: any DeviceKeyStore
        let activations: any ActivationStore
        let deviceTokens: any DeviceTokenStore
        let identities: any IdentityStore
        let limitCounts: any LimitStore
        let webhooks: any WebhookStore
        let notices: any ConnectionNoticeStore
        let refusedStarts: any RefusedStartStore
        let clients: ClientStores

        package init(
            sessions: any SessionStore, outbox: any Outbox, deviceKeys: any DeviceKeyStore,
            activations: any ActivationStore, deviceTokens: any DeviceTokenStore, identities: any IdentityStore,
            limitCounts: any LimitStore, webhooks: any WebhookStore, notices: any ConnectionNoticeStore,
            refusedStarts: any RefusedStartStore, clients: ClientStores
        ) {
            self.sessions = sessions
            self.outbox = outbox
            self.deviceKeys = deviceKeys
            self.activations = activations
            self.deviceTokens = deviceTokens
            self.identities = identities
            self.limitCounts = limitCounts
            self.webhooks = webhooks
            self.notices = notices
            self.refusedStarts = refusedStarts
            self.clients = clients
        }
    }

    /// The part of the state that operators and backends set up: API clients, their keys, lists and names.
    package final class ClientStores: Sendable {
        let tenants: any TenantStore
        let apiKeys: any APIKeyStore
        let applications: any ApplicationKeyStore
        let brands: any BrandStore
        let domains: any DomainStore
        let numberLists: any NumberListStore
        let senderNames: any SenderNameStore
        let testNumbers: any TestNumberStore

        package init(
            tenants: any TenantStore, apiKeys: any APIKeyStore, applications: any ApplicationKeyStore,
            brands: any BrandStore, domains: any DomainStore, numberLists: any NumberListStore,
            senderNames: any SenderNameStore, testNumbers: any TestNumberStore
        ) {
            self.tenants = tenants
            self.apiKeys = apiKeys
            self.applications = applications
            self.brands = brands
            self.domains = domains
            self.numberLists = numberLists
            self.senderNames = senderNames
            self.testNumbers = testNumbers
        }
    }

    /// Keys, tokens and random bytes.
    package final class Cryptography: Sendable {
        package let keyed: KeyedDigests
        package let tokens: any TokenService
        package let proofs: any ProofVerifier
        package let mobileAuthTokens: any MobileAuthTokens
        package let randomBytes: RandomBytes
        /// Audiences that statements must not name: this server and its operators.
        let reservedAudiences: ReservedAudiences

        package init(
            keyed: KeyedDigests, tokens: any TokenService, proofs: any ProofVerifier,
            mobileAuthTokens: any MobileAuthTokens, randomBytes: @escaping RandomBytes,
            reservedAudiences: ReservedAudiences = ReservedAudiences()
        ) {
            self.keyed = keyed
            self.tokens = tokens
            self.proofs = proofs
            self.mobileAuthTokens = mobileAuthTokens
            self.randomBytes = randomBytes
            self.reservedAudiences = reservedAudiences
        }

        /// A new identifier of any kind, from the clock and 16 random bytes.
        package func fresh<ID: Identifier>(_ type: ID.Type, at now: Timestamp) throws(EntropyFault) -> ID {
            ID(at: now, random: try randomBytes(16))
        }
    }

    /// Carriers, operators and sources of data, and the numbers and addresses that they serve.
    package final class Network: Sendable {
        package let numbers: any NumberDirectory
        package let emails: any EmailDirectory
        let gateway: any MessageGateway
        /// Runs the sending of messages, so that a call need not wait for a slow carrier.
        package let sending: any BackgroundWork
        package let operators: any MobileOperators
        /// Source for the SIM of a number, or `nil`.
        let simSwaps: (any SIMSwapSource)?
        /// Source for the person of a number, for prefill and verification.
        let people: any IdentitySource
        /// How the standing of numbers is learned; `nil`: it is never learned.
        let reputation: ReputationCheck?

        package init(
            numbers: any NumberDirectory, emails: any EmailDirectory, gateway: any MessageGateway,
            sending: any BackgroundWork, operators: any MobileOperators, simSwaps: (any SIMSwapSource)?,
            people: any IdentitySource, reputation: ReputationCheck?
        ) {
            self.numbers = numbers
            self.emails = emails
            self.gateway = gateway
            self.sending = sending
            self.operators = operators
            self.simSwaps = simSwaps
            self.people = people
            self.reputation = reputation
        }
    }

    /// The receivers of what the engine reports. `announce`, `recordLimit` and `recordNews` get only what is durable. The
    /// functions run on an event loop and must not wait.
    package final class Reports: Sendable {
        /// Called if a send failed or a value is not as it must be. The text is for the log and has no personal data.
        package let log: @Sendable (String) -> Void
        package let audit: any AuditLog
        /// Called after every change of a session, to wake the clients that wait for it.
        package let announce: @Sendable (AuthID) -> Void
        /// Called for every call that a limit refused. Log and metrics mask the number (ABU-12).
        package let recordLimit: @Sendable (LimitName, PhoneNumber?) -> Void
        /// Called with events for the metrics (OPS-06).
        let recordNews: @Sendable (EngineNews) -> Void
        /// Called with endpoints that have pending deliveries; these may also be about to become durable.
        let wakeWebhooks: @Sendable ([WebhookEndpointID]) -> Void

        package init(
            log: @escaping @Sendable (String) -> Void, audit: any AuditLog,
            announce: @escaping @Sendable (AuthID) -> Void,
            recordLimit: @escaping @Sendable (LimitName, PhoneNumber?) -> Void,
            recordNews: @escaping @Sendable (EngineNews) -> Void,
            wakeWebhooks: @escaping @Sendable ([WebhookEndpointID]) -> Void
        ) {
            self.log = log
            self.audit = audit
            self.announce = announce
            self.recordLimit = recordLimit
            self.recordNews = recordNews
            self.wakeWebhooks = wakeWebhooks
        }
    }
}
