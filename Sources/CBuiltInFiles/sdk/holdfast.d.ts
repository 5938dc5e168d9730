/** What can go wrong, by name: code, sentence for the developer, sentence for the person. The same as vectors/errors.json. */
export declare const errorTable: {
    readonly invalid_request: readonly [1001, "The server did not accept the form of a call. This is a bug in the client, or its version does not fit the server.", "Something went wrong. Please try again later."];
    readonly invalid_token: readonly [20001, "The server does not take the auth token: it has expired, or is of another server. The backend starts a new session.", "This took too long. Please start again."];
    readonly invalid_dpop_proof: readonly [20002, "The server did not accept the proof of a call: the device's clock is wrong, or the server is reached by another URL than its publicUrl.", "The time of your device seems to be wrong. Please correct it and try again."];
    readonly token_already_used: readonly [20003, "Another key has redeemed the auth token: that of another client, or of a run that is over. Each session takes one run only.", "This was already opened. Please start again."];
    readonly origin_not_allowed: readonly [20004, "The page's origin is not registered with the API client.", "Something went wrong. Please try again later."];
    readonly invalid_state: readonly [20010, "The call is not allowed at this step of the session.", "Something went wrong. Please try again."];
    readonly session_done: readonly [20011, "The session has ended.", "This has already ended. Please start again."];
    readonly request_id_reused: readonly [20012, "A requestId was sent again with another body. This is a bug in the client.", "Something went wrong. Please try again later."];
    readonly otp_mismatch: readonly [10001, "The code is wrong or has no form of a code.", "That code is not right. Please check it and try again."];
    readonly otp_expired: readonly [20101, "The code is too old.", "That code is too old. Please ask for a new one."];
    readonly sends_exhausted: readonly [20102, "No message is left in this session. A live code still counts.", "No more messages can be sent. Please use the last one."];
    readonly phone_number_required: readonly [20103, "A phone number is needed, and the step gave none.", "Please enter your phone number."];
    readonly phone_number_invalid: readonly [20104, "The text is no possible phone number.", "That is not a phone number. Please check it."];
    readonly phone_number_not_allowed: readonly [20105, "Numbers of this kind or country are not allowed.", "This number cannot be used. Please try another one."];
    readonly phone_number_not_accepted: readonly [20106, "The backend has named the number; the client must not.", "Something went wrong. Please try again later."];
    readonly phone_change_not_allowed: readonly [20106, "The API client does not allow another number.", "The number cannot be changed here."];
    readonly phone_entries_exhausted: readonly [20107, "No other number can be named in this session.", "No other number can be entered."];
    readonly sms_failed: readonly [20108, "No gateway took the message. The session has it back; the limits of its number counted it.", "The message could not be sent. Please try again."];
    readonly otp_unavailable: readonly [20109, "No code can be sent in this session.", "A code cannot be sent to this number."];
    readonly link_denied: readonly [20201, "The person refused on the phone. It stands in the state only.", "The request was refused on the phone."];
    readonly link_expired: readonly [20202, "The link was not opened in time. It stands in the state, or the wait is over.", "The link was not opened in time. Please start again."];
    readonly link_ip_mismatch: readonly [20203, "The link was opened from another network. It stands in the state only.", "The link was opened on another network."];
    readonly link_phone_mismatch: readonly [20204, "The link was opened on another phone. It stands in the state only.", "The link was opened on another phone."];
    readonly link_match_code_mismatch: readonly [20205, "The person typed another number than the waiting page shows. It stands in the state only.", "The number that was typed is not the one shown here. Please start again."];
    readonly vfp_invalid: readonly [20301, "The result of Mobile Auth does not belong to this attempt.", "Something went wrong. Please try again."];
    readonly vfp_expired: readonly [20302, "The result of Mobile Auth came too late.", "Something went wrong. Please try again."];
    readonly mobile_auth_unavailable: readonly [20303, "The mobile network gave no answer. It stands in the state only.", "Your mobile network could not confirm the number."];
    readonly mobile_auth_mismatch: readonly [20304, "The mobile network named another number. It stands in the state only.", "Your mobile network could not confirm the number."];
    readonly device_proof_invalid: readonly [20401, "The device proof was not accepted.", "Something went wrong. Please try again."];
    readonly device_number_mismatch: readonly [20402, "The device key belongs to another number.", "This device belongs to another number."];
    readonly rate_limited: readonly [20900, "Too many calls; retryAfterSeconds tells when to come back.", "Too many tries. Please wait a little."];
    readonly internal: readonly [1000, "The server has failed or is overloaded (also 503).", "Something went wrong. Please try again later."];
    readonly network: readonly [30001, "The server could not be reached, or what answered is not Holdfast.", "No connection. Please check your network and try again."];
    readonly cancelled: readonly [30002, "A step gave up, or the app cancelled. What the step said is the cause.", "Cancelled."];
    readonly step_missing: readonly [30003, "The session needs a step that the app did not give to the builder.", "Something went wrong. Please try again later."];
    readonly no_check_left: readonly [30004, "No check is left that could prove the number.", "Your number could not be confirmed."];
    readonly too_many_steps: readonly [30005, "The run has made more calls or run more steps than a person can need.", "Too many tries. Please start again."];
    readonly key_unavailable: readonly [30006, "Keys cannot be made or kept here: the page is not secure (https or localhost), or storage is closed.", "This browser or device cannot be used here."];
    readonly step_invalid: readonly [30007, "A step of the app gave something of a wrong type.", "Something went wrong. Please try again later."];
    readonly token_missing: readonly [30008, "authenticate was called without an auth token. The backend starts a session and gives the app its authToken.", "Something went wrong. Please try again later."];
    readonly token_malformed: readonly [30009, "What authenticate was given is no auth token.", "Something went wrong. Please try again later."];
    readonly server_not_expected: readonly [30010, "The auth token is of a server that this app does not call.", "Something went wrong. Please try again later."];
};
export declare type ErrorName = keyof typeof errorTable;
/** Sentences for the person, by name of the error: what a translation replaces. */
export declare type Messages = Partial<Record<ErrorName, string>>;
/** Why a step is run again, or why a run failed. It has no number and no token in it. */
export declare class ProveAuthError extends Error {
    /** The name of the error, such as `otp_mismatch`. */
    readonly error: ErrorName;
    readonly code: number;
    /** What the developer should know; `message` is for the person. */
    readonly developerMessage: string;
    /** After which to come back, where a limit was hit. */
    readonly retryAfterSeconds?: number;
    /** What the app's own step gave as its reason. */
    readonly cause?: unknown;
    constructor(name: ErrorName, more?: {
        messages?: Messages;
        retryAfterSeconds?: number;
        cause?: unknown;
        detail?: string;
    });
}
/** The error that an answer stands for; one with a strange name is taken by its status. */
/** The errors that a number can be the reason of: they lead back to the start step. */
export declare const numberErrors: readonly ErrorName[];
/** The errors that end a run without a cancel: no server, no valid token, a mistake in the app or the library. */
export declare const breakingErrors: readonly ErrorName[];
/** All that the library uses of the world around it. A test plays it; `browser.ts` is the real one. */
export interface Environment {
    /** One HTTP call. It fails when there is no answer, or when `signal` is aborted. */
    fetch(url: string, request: HTTPRequest): Promise<HTTPAnswer>;
    /** The device's clock, in milliseconds since 1970. */
    now(): number;
    /** Milliseconds that have passed since some moment; nobody sets this clock. It may stand while the device sleeps. */
    elapsed(): number;
    /** 0 up to 1, for the spread of repeats. */
    random(): number;
    /** Calls back once after so many milliseconds; the result takes it back. */
    timer(milliseconds: number, callback: () => void): () => void;
    /** Calls back when the page may have slept; the result takes it back. */
    onWake(callback: () => void): () => void;
    readonly keys: KeyStore;
    /** What this tab keeps over a navigation. */
    readonly tab: TabStore;
    /** Leaves the page. */
    navigate(url: string): void;
    /** The part of the page's address after `#`; asking takes it away if it is a result of Mobile Auth. */
    takeFragment(): string;
    /** `true` in the browser of a phone. */
    readonly isPhone: boolean;
}
export interface HTTPRequest {
    method: string;
    headers: Record<string, string>;
    body?: string;
    signal: AbortSignal;
}
export interface HTTPAnswer {
    status: number;
    header(name: string): string | null;
    text(): Promise<string>;
}
export interface TabStore {
    get(): string | null;
    set(text: string): void;
    remove(): void;
}
/** A P-256 key pair. The private key cannot be exported. */
export interface StoredKey {
    privateKey: CryptoKey;
    jwk: PublicJWK;
    thumbprint: string;
    /** By the device's clock, in milliseconds since 1970. */
    madeAt: number;
}
export interface PublicJWK {
    kty: "EC";
    crv: "P-256";
    x: string;
    y: string;
}
export interface KeyStore {
    /** Whether keys outlive the page here. */
    isLasting(): Promise<boolean>;
    /** The key of a session; `make` is used if there is none. Of two that make one, both get the first. */
    session(authID: string, make: () => Promise<StoredKey>): Promise<StoredKey>;
    forgetSession(authID: string): Promise<void>;
    device(server: string): Promise<StoredKey | undefined>;
    /** Keeps a new device key in place of `old`. Gives the one that is kept: another tab may have been first. */
    keepDevice(server: string, key: StoredKey, old?: StoredKey): Promise<StoredKey>;
}
/** What an OTP finish step wants; the numbers are those of `resultType`. */
export declare enum OtpFinishResultType {
    OnSuccess = 0,
    OnResendOtp = 1,
    OnMobileNumberChange = 2
}
/** What an instant link's retry step wants. */
export declare enum InstantLinkResultType {
    OnResend = 0,
    OnMobileNumberChange = 1
}
export interface AuthFinishInput {
    authId: string;
}
export declare type AuthFinishStepFn = (input: AuthFinishInput) => unknown;
export interface AuthFinishStep {
    execute: AuthFinishStepFn;
}
export interface OtpStartInput {
    phoneNumber: string;
}
export declare type OtpStartStepFn = (phoneNumberNeeded: boolean, phoneValidationError?: ProveAuthError) => Promise<OtpStartInput | null> | OtpStartInput | null;
export interface OtpStartStep {
    execute: OtpStartStepFn;
}
export interface OtpFinishInput {
    otp: string;
}
export interface OtpFinishResult {
    input?: OtpFinishInput;
    resultType: OtpFinishResultType;
}
export declare type OtpFinishStepFn = (otpError?: ProveAuthError) => Promise<OtpFinishResult> | OtpFinishResult;
export interface OtpFinishStep {
    execute: OtpFinishStepFn;
}
export interface InstantLinkStartInput {
    phoneNumber: string;
}
export declare type InstantLinkStartStepFn = (phoneNumberNeeded: boolean, phoneValidationError?: ProveAuthError) => Promise<InstantLinkStartInput | null> | InstantLinkStartInput | null;
export interface InstantLinkStartStep {
    execute: InstantLinkStartStepFn;
}
/** May never answer. It gets the reason if the last resend was refused. */
export declare type InstantLinkRetryStepFn = (error?: ProveAuthError) => Promise<InstantLinkResultType> | InstantLinkResultType;
export interface InstantLinkRetryStep {
    execute: InstantLinkRetryStepFn;
}
declare type Anything = (...inputs: never[]) => unknown;
/** A step as a function, whichever form the app gave. */
/** The steps that the app gave. */
export interface Steps {
    finish?: AuthFinishStepFn;
    otp?: {
        start: OtpStartStepFn;
        finish: OtpFinishStepFn;
    };
    link?: {
        start: InstantLinkStartStepFn;
        retry?: InstantLinkRetryStepFn;
    };
}
/** A promise whose run can be given up. */
export declare type CancellablePromise<T> = Promise<T> & {
    cancel(reason?: unknown): void;
};
/** Proves that the person holds the number. `AuthenticatorBuilder` makes it. */
export declare class Authenticator {
    private readonly environment;
    private readonly settings;
    private readonly runs;
    constructor(environment: Environment, settings: unknown);
    /** Whether this is the browser of a phone: what the backend needs to know to choose `mobile` or `desktop`. */
    isMobileWeb(): boolean;
    /**
     * Runs the checks of one session. The finish step has run when it resolves. It rejects with a `ProveAuthError` when the run was
     * given up or could not go on. With the same token, a run that is under way is joined, and one that broke is taken up.
     */
    authenticate(authToken: string): CancellablePromise<void>;
    /**
     * Goes on with a run whose page left for Mobile Auth. To be called when the page is loaded.
     *
     * @returns `false`, at once, if there is none.
     */
    resume(): Promise<boolean>;
    private forget;
}
/** `primary`: the phone's browser. `secondary`: a desktop that waits for the phone. */
export declare type Role = "primary" | "secondary";
/** How a page does Mobile Auth: by leaving and coming back, or not at all. The vendor's two names are taken as `navigate`. */
export declare type MobileAuthImplementation = "navigate" | "none" | "fetch" | "pixel";
/** Collects the steps of the app. Every `with` changes this builder and gives it back. */
export declare class AuthenticatorBuilder {
    private readonly environment;
    private readonly settings;
    private mobileAuth;
    /** @param environment played by tests; the browser's without one. */
    constructor(environment?: Environment);
    /** What is run once when the session is over, however it went: only the backend knows the result. */
    withAuthFinishStep(step: AuthFinishStep | AuthFinishStepFn): this;
    withOtpFallback(startStep: OtpStartStep | OtpStartStepFn, finishStep: OtpFinishStep | OtpFinishStepFn): this;
    withInstantLinkFallback(startStep: InstantLinkStartStep | InstantLinkStartStepFn, retryStep?: InstantLinkRetryStep | InstantLinkRetryStepFn): this;
    withRole(role: Role): this;
    withMobileAuthImplementation(implementation: MobileAuthImplementation): this;
    /** The page that Mobile Auth comes back to, registered with the API client. Without it there is no Mobile Auth on the web. */
    withMobileAuthReturnUrl(url: string): this;
    /** Sandbox: Mobile Auth without a mobile network. */
    withMobileAuthTestMode(): this;
    /** Whether a key of this browser may stand in for a code at later visits; so unless told otherwise. */
    withDeviceKey(isUsed: boolean): this;
    /** The servers that a token may name. Without any, each https server is taken. */
    withServers(...servers: string[]): this;
    /** Sentences for the person in another language, by the error's name. */
    withMessages(messages: Messages): this;
    build(): Authenticator;
}
export declare const version = "1.0.0";
