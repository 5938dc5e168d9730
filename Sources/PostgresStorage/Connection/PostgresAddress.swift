internal import CPostgres
internal import Glibc

/// How to reach a PostgreSQL: hosts, database and role, and how both sides prove who they are.
package struct PostgresAddress: Sendable {
    /// Reads the password of the role; `nil`: there is none. Called at each connect, so that a new password needs no
    /// restart.
    package typealias PasswordReader = @Sendable () -> String?

    /// One of the hosts of a URI, as libpq's parameters.
    private typealias Host = [(keyword: String, value: String)]

    private let uri: String
    private let hosts: [Host]
    private let password: PasswordReader
    /// `nil`: the connection stays on this machine and needs no TLS.
    private let authoritiesFile: String?
    /// The role of the URI; empty: that of the process's user.
    package let role: String

    /// Commits must wait for a synchronous standby.
    private var needsStandby = false
    /// How PostgreSQL shows its connections.
    private var sessionName = "holdfast"
    private var timeline = SharedTimeline()

    /// How long one host may take to answer, in milliseconds.
    private static let patience: Int32 = 2000
    /// The port of a host that the URI names without one.
    private static let usualPort = "5432"
    /// A file of Debian with the authorities that the machine trusts.
    private static let authoritiesOfMachine = "/etc/ssl/certs/ca-certificates.crt"

    /// - Parameters:
    ///   - uri: a connection URI (libpq, section 34.1.1.2). Its hosts are tried in order.
    ///   - authoritiesFile: PEM file of the authorities for the server's certificate; `nil`: those of this machine. TLS
    ///     is left out if all hosts are sockets or loopback and no file is given.
    package init(_ uri: String, authoritiesFile: String? = nil, password: @escaping PasswordReader = { nil }) {
        let options = PostgresAddress.options(of: uri) ?? [:]
        self.uri = uri
        self.password = password
        role = options["user"] ?? ""
        hosts = PostgresAddress.hosts(options)
        let isLocal = hosts.allSatisfy { PostgresAddress.isLocal($0.first?.value ?? "") }
        self.authoritiesFile =
            isLocal && authoritiesFile == nil ? nil : authoritiesFile ?? PostgresAddress.authoritiesOfMachine
    }

    /// The same, without hosts whose commits wait for no synchronous standby.
    package var demandingStandby: PostgresAddress {
        var address = self
        address.needsStandby = true
        return address
    }

    /// The same for the transactions of a server. Other servers find its connections by their name.
    package func named(afterServer number: Int64) -> PostgresAddress {
        var address = self
        address.sessionName = "holdfast \(number)"
        return address
    }

    /// The newest known timeline, for `following`; `nil`: there is none yet.
    package var newestTimeline: String? { timeline.newest?.text }

    /// The same, without primaries that are older than a timeline.
    /// - Parameter timeline: the newest one of an earlier run.
    /// - Returns: `nil`: the text is no timeline.
    package func following(timeline: String) -> PostgresAddress? {
        guard let earlier = Timeline(timeline) else { return nil }
        var address = self
        address.timeline = SharedTimeline(earlier: earlier)
        return address
    }

    /// Whether no newer primary has been connected to.
    func isNewest(_ found: Timeline) -> Bool { timeline.newest == found }

    /// Why a server cannot use the URI; `nil`: it can. It names a role, hosts, ports and a database.
    package static func defect(of uri: String) -> String? {
        guard uri.hasPrefix("postgresql://"), let options = options(of: uri) else {
            return "must be postgresql://<role>@<host>:<port>/<database>; several hosts have commas between them"
        }
        if options["password"] != nil { return "must not have a password; set database.passwordFile" }
        for name in ["user", "dbname"] where options[name] == nil {
            return name == "user" ? "must name a role before the @" : "must name a database after the host"
        }
        let others = options.keys.filter { !["user", "host", "port", "dbname"].contains($0) }.sorted()
        return others.first.map { "must not set \($0): the server sets it" }
    }

    /// The options of a URI by libpq's names; `nil`: it is not a URI.
    private static func options(of uri: String) -> [String: String]? {
        var message: UnsafeMutablePointer<CChar>?
        guard let parsed = PQconninfoParse(uri, &message) else {
            // It quotes the URI.
            PQfreemem(message)
            return nil
        }
        defer { PQconninfoFree(parsed) }
        var options: [String: String] = [:]
        var option = parsed
        while let keyword = option.pointee.keyword {
            if let value = option.pointee.val { options[String(cString: keyword)] = String(cString: value) }
            option += 1
        }
        return options
    }

    private static func hosts(_ options: [String: String]) -> [Host] {
        func list(_ name: String) -> [String] {
            options[name].map { $0.split(separator: ",", omittingEmptySubsequences: false).map(String.init) } ?? []
        }
        let (names, ports) = (list("host"), list("port"))
        return (0..<max(1, names.count)).map { number in
            var host: Host = [("host", number < names.count ? names[number] : "")]
            if let port = ports.count == 1 ? ports[0] : number < ports.count ? ports[number] : nil {
                // libpq takes an empty port as none, and then the ports of all hosts of the URI.
                host.append(("port", port.isEmpty ? usualPort : port))
            }
            return host
        }
    }

    /// A folder of sockets, or this machine's own address.
    private static func isLocal(_ host: String) -> Bool {
        if host.isEmpty || host.hasPrefix("/") || host == "localhost" || host == "::1" { return true }
        return host.hasPrefix("127.") && host.utf8.allSatisfy { $0 == UInt8(ascii: ".") || (48...57).contains($0) }
    }

    // MARK: Connecting

    /// Connects to the first host that takes changes and is no former primary.
    /// - Returns: an open connection, which the caller closes.
    /// - Throws: the reason of one host. If one of them may answer later, that is the reason.
    func connect() throws(PostgresFailure) -> (handle: OpaquePointer, timeline: Timeline) {
        var reason: PostgresFailure?
        for host in hosts {
            do throws(PostgresFailure) { return try connect(to: host) } catch {
                if reason?.endsConnection != true { reason = error }
            }
        }
        throw reason ?? .lost("connect")
    }

    private func connect(to host: Host) throws(PostgresFailure) -> (handle: OpaquePointer, timeline: Timeline) {
        // libpq expands the URI at `dbname`; what comes after it replaces its parts.
        var parameters: Host = [("dbname", uri)] + host
        parameters += [
            ("application_name", sessionName), ("target_session_attrs", "read-write"), ("gssencmode", "disable"),
            ("client_encoding", "UTF8"), ("tcp_user_timeout", "5000"), ("keepalives_idle", "5"),
            ("keepalives_interval", "2"), ("keepalives_count", "3"),
        ]
        if let password = password() { parameters.append(("password", password)) }
        if let authoritiesFile {
            parameters += [
                ("sslmode", "verify-full"), ("sslrootcert", authoritiesFile), ("channel_binding", "require"),
            ]
        }
        guard let handle = PostgresAddress.start(parameters) else { throw .lost("connect: no memory") }
        // With it a refusal contains its SQLSTATE.
        PQsetErrorVerbosity(handle, PQERRORS_VERBOSE)
        let found: Timeline
        do throws(PostgresFailure) {
            try PostgresAddress.finish(handle)
            found = try check(handle)
        } catch {
            PQfinish(handle)
            throw error
        }
        PQsetErrorVerbosity(handle, PQERRORS_DEFAULT)
        // Without a receiver libpq prints notices.
        PQsetNoticeReceiver(handle, { _, _ in }, nil)
        return (handle, found)
    }

    private static func start(_ parameters: Host) -> OpaquePointer? {
        let words = parameters.flatMap { [strdup($0.keyword), strdup($0.value)] }
        defer { for word in words { free(word) } }
        let keywords = stride(from: 0, to: words.count, by: 2).map { UnsafePointer(words[$0]) } + [nil]
        let values = stride(from: 1, to: words.count, by: 2).map { UnsafePointer(words[$0]) } + [nil]
        return PQconnectStartParams(keywords, values, 1)
    }

    private static func finish(_ handle: OpaquePointer) throws(PostgresFailure) {
        guard PQstatus(handle) != CONNECTION_BAD else { throw PostgresFailure(connecting: handle) }
        var state = PGRES_POLLING_WRITING
        while state != PGRES_POLLING_OK {
            if state == PGRES_POLLING_FAILED { throw PostgresFailure(connecting: handle) }
            try wait(handle, for: state == PGRES_POLLING_READING ? POLLIN : POLLOUT)
            state = PQconnectPoll(handle)
        }
    }

    private static func wait(_ handle: OpaquePointer, for events: Int32) throws(PostgresFailure) {
        var descriptor = pollfd(fd: PQsocket(handle), events: Int16(events), revents: 0)
        var count: Int32
        repeat { count = poll(&descriptor, 1, patience) } while count < 0 && errno == EINTR
        if count == 0 { throw .lost("connect: no answer for \(patience) ms") }
    }

    // MARK: What a host must show

    private static let question = """
        SELECT substr(pg_walfile_name(pg_current_wal_lsn()), 1, 8), system_identifier,
          current_setting('synchronous_standby_names') FROM pg_control_system()
        """

    /// Refuses a former primary: since it failed, another one was promoted. It would store changes that the new primary
    /// does not have.
    private func check(_ handle: OpaquePointer) throws(PostgresFailure) -> Timeline {
        let answer = try PostgresAddress.ask(handle)
        guard answer.count == 3, let number = answer[0], let system = answer[1], let standbys = answer[2] else {
            throw .lost("connect: no timeline")
        }
        let found = Timeline(system: system, number: number)
        try timeline.raise(to: found)
        if needsStandby && standbys.isEmpty { throw .lost("connect: no synchronous standby is configured") }
        return found
    }

    private static func ask(_ handle: OpaquePointer) throws(PostgresFailure) -> [String?] {
        guard PQsendQuery(handle, question) == 1 else { throw .lost("connect: \(question)") }
        var answer: [String?] = []
        while true {
            while PQisBusy(handle) == 1 {
                try wait(handle, for: POLLIN)
                guard PQconsumeInput(handle) == 1 else { throw .lost("connect: \(question)") }
            }
            guard let pointer = PQgetResult(handle) else { return answer }
            let result = PostgresResult(pointer)
            guard result.status == PGRES_TUPLES_OK else { throw PostgresFailure(result, name: question) }
            answer = result.texts.first ?? []
        }
    }
}
