/* Made of openapi.json by generate_types.ts: change it there, never here. */

export interface paths {
    "/.well-known/authzen-configuration": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get the metadata of the policy decision point
         * @description Where the operations of the AuthZEN Authorization API 1.0 are.
         *
         *     **Token:** none.
         */
        get: operations["getAuthzenConfiguration"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/.well-known/jwks.json": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get the public keys
         * @description The keys with which other services verify access tokens, as a JSON Web Key Set (RFC 7517). A new key signs tokens immediately, so fetch the set again when a token names an unknown `kid`.
         *
         *     **Token:** none.
         */
        get: operations["getJwks"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/access/v1/evaluation": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Decide whether a subject may do something
         * @description Access Evaluation of the AuthZEN Authorization API 1.0. All callers may ask about themselves. Those who may list the members of the role (for a device: of a role that monitors it) may also ask about others, and so may a key with `asks` that reaches it. For other callers, and for what does not exist, the decision is `false`. Unknown fields are ignored.
         *
         *     **Token:** access token or key of a role.
         *
         *     **Specific errors:** 422 `The evaluations cost too much together: send fewer`.
         */
        post: operations["evaluate"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/access/v1/evaluations": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Decide many times
         * @description Access Evaluations of the AuthZEN Authorization API 1.0: up to 1,000 decisions by the rules of `POST /access/v1/evaluation`. They share one revision unless more than 5,000 monitors relations have to be read for them; each names its revision. An item that is incomplete or malformed is `decision: false` in its place.
         *
         *     A limit bounds what lists of one caller cost in 15 seconds: the number of evaluations, times the caller's memberships and one.
         *
         *     **Token:** access token or key of a role.
         *
         *     **Specific errors:** 422 `The evaluations cost too much together: send fewer`, 429 `The rate limit of evaluations is reached`.
         */
        post: operations["evaluateList"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/access/v1/forward": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Decide whether a proxy may pass on a request
         * @description For proxies that ask before they pass on a request (`auth_request`, `forward_auth`, `ext_authz`): does the caller, whose token the proxy sends along, have the right on the resource? The response has no body. It is a 200 for yes, and a 403 for no and for all that does not exist. `right` is one of the six rights, such as `viewManagement`, or `member`; on a device, it is held on a role that monitors the device, or is an action: `read`, `write` or `manage`. The query is the whole question: `right` and one of `roleId`, `deviceId` and `nodeId`, each once. With any other query, the response is a 403. Every method asks the same. No body is read, and headers other than `Authorization` do not matter.
         *
         *     **Token:** access token or key of a role.
         *
         *     **Specific errors:** 403 `User does not have sufficient rights`, 401 `SECOND_FACTOR_REQUIRED`.
         */
        get: operations["forwardAuth"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/access/v1/search/action": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Search for actions that a subject may take on a resource
         * @description Action Search of the AuthZEN Authorization API 1.0. Returns each action that `POST /access/v1/evaluation` permits. Results come in pages, in order of id. A page may be short, or empty, although another one follows: the end is where `next_token` is empty. Unknown fields are ignored.
         *
         *     **Token:** access token or key of a role.
         *
         *     **Specific errors:** 422 `The evaluations cost too much together: send fewer`.
         */
        post: operations["searchActions"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/access/v1/search/resource": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Search for resources on which a subject may take an action
         * @description Resource Search of the AuthZEN Authorization API 1.0. Callers find all resources of their own; of another subject, those about which they may ask. Results come in pages, in order of id. A page may be short, or empty, although another one follows: the end is where `next_token` is empty. Unknown fields are ignored.
         *
         *     **Token:** access token or key of a role.
         */
        post: operations["searchResources"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/access/v1/search/subject": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Search for subjects that may take an action on a resource
         * @description Subject Search of the AuthZEN Authorization API 1.0. A caller who may not ask about others finds at most themselves. The id of a user is the `sub` of their tokens. Results come in pages, in order of id. A page may be short, or empty, although another one follows: the end is where `next_token` is empty. Unknown fields are ignored.
         *
         *     **Token:** access token or key of a role.
         */
        post: operations["searchSubjects"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/accesstoken": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get an access token (short path)
         * @description Returns an access token, valid for 10 minutes. A refresh token that has been replaced remains valid for up to 10 seconds after its successor is first used. After that, using it ends the session, because it may have been copied.
         *
         *     With `audience`, the token is for that service alone (RFC 8707): its `aud` is that URL, and this service accepts it nowhere but in `GET /auth/accesstoken/validate?audience=…`.
         *
         *     **Token:** refresh token.
         */
        get: operations["getAccessTokenAlias"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/auth/accesstoken": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get an access token
         * @description Returns an access token, valid for 10 minutes. A refresh token that has been replaced remains valid for up to 10 seconds after its successor is first used. After that, using it ends the session, because it may have been copied.
         *
         *     With `audience`, the token is for that service alone (RFC 8707): its `aud` is that URL, and this service accepts it nowhere but in `GET /auth/accesstoken/validate?audience=…`.
         *
         *     **Token:** refresh token.
         */
        get: operations["getAccessToken"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/auth/accesstoken/validate": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Validate an access token
         * @description Returns the id of the user that the token belongs to, unless its session has ended. With `audience`, the token must be for that service: a service that was shown a token asks with its own URL.
         *
         *     **Token:** access token.
         */
        get: operations["validateAccessToken"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/auth/login": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Log in
         * @description Returns a refresh token for an email address and its password. If a second factor is active, the correct password gets 401 `2FA_REQUIRED` with a `partialAuthToken` and the available `methods` (`passkey`, `totp`, `emailOtp`, `recoveryCode`); complete the login with one of them within 10 minutes.
         *
         *     An unknown address gets the same error as a wrong password. Wrong passwords are throttled per account and client address, and per network for clients that never signed in to the account; on 429, `retryAfter` says when the next attempt can be checked.
         *
         *     **Token:** none.
         *
         *     **Specific errors:** 401 `PASSWORD_INCORRECT`, 401 `2FA_REQUIRED`, 429 `TOO_MANY_FAILED_PASSWORD_CHECKS`.
         */
        post: operations["login"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/auth/logout": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Log out
         * @description Ends the session. All its tokens stop working immediately.
         *
         *     **Token:** refresh token.
         */
        post: operations["logout"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/auth/passkey/challenge": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Get the options for a login with a passkey
         * @description Returns the options for `navigator.credentials.get()` with any passkey of this service, also as autofill (`mediation: "conditional"`); send its result to the operation `loginWithPasskey`.
         *
         *     **Token:** none.
         */
        post: operations["challengePasskeyLogin"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/auth/passkey/login": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Log in with a passkey
         * @description Returns a refresh token for the response of a passkey, without address and password. Its authenticator must verify its user, and must have done so when the passkey was made; so the login counts as both factors. Until the link is opened that was mailed when the passkey was added, the response is a 409 `PASSKEY_UNCONFIRMED`, and the passkey is a second factor beside the password. A response works once. If the service does not have the passkey, the error is `PASSKEY_UNKNOWN`: tell the browser by `signalUnknownCredential`. Any other wrong response is `PASSKEY_INVALID`, and both count to the client's network.
         *
         *     **Token:** none.
         *
         *     **Specific errors:** 401 `PASSKEY_INVALID`, 401 `PASSKEY_UNKNOWN`, 409 `PASSKEY_UNCONFIRMED`, 429 `TOO_MANY_PASSKEY_CHECKS`.
         */
        post: operations["loginWithPasskey"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/auth/refreshtoken": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Rotate the refresh token
         * @description Returns the successor of the refresh token, valid for 14 days. After a lost response it is safe to repeat the request: within 10 seconds and from the same network (IPv4 address or IPv6 /64), it returns the same successor; otherwise another one, which replaces the first. A token whose successor was used ends the session, and so does a successor that was replaced, because the token may have been copied.
         *
         *     Store a successor before using it. Tabs and processes of one client share one token, replace it one at a time (Web Locks), and keep the one with the higher number between the dots. A thief who asks from the client's network within the same 10 seconds is not noticed.
         *
         *     A session ends 90 days after its login; during its last 14 days this operation responds with 401, and the current token remains valid until the end.
         *
         *     **Token:** refresh token.
         */
        get: operations["rotateRefreshToken"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/auth/refreshtoken/validate": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Validate a refresh token
         * @description Returns the id of the user that the token belongs to.
         *
         *     **Token:** refresh token.
         */
        get: operations["validateRefreshToken"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/confirm-factor": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Open the page to confirm a second factor
         * @description The page that mailed links open. It changes nothing until its form is submitted.
         *
         *     **Token:** none.
         */
        get: operations["confirmFactorPage"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/docs": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Browse this document
         * @description A page that shows every operation and can send requests with the tokens entered into it. It loads nothing from any other host.
         *
         *     **Token:** none.
         */
        get: operations["getDocs"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/healthz": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Check that the process is running
         * @description Checks nothing but the process itself.
         *
         *     **Token:** none.
         */
        get: operations["getHealth"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/openapi.json": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get this document
         * @description The OpenAPI 3.1 document of this interface.
         *
         *     **Token:** none.
         */
        get: operations["getOpenApi"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/readyz": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Check that the service is ready
         * @description Responds with 200 if the database and its schema are ready within two seconds, otherwise with 503 and the fields `ready: false` and `parts`. A part is `unavailable` if it cannot be reached, and `failed` if it can be reached but not used. Points and a separate telemetry engine are listed, but do not cause a 503: everything else works without them. The mail server is not checked: messages wait in the outbox until it is available.
         *
         *     **Token:** none.
         */
        get: operations["getReadiness"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/reset-password": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Open the password page
         * @description The page that invitation and reset links open. It changes nothing until its form is submitted.
         *
         *     **Token:** none.
         */
        get: operations["resetPasswordPage"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/undo-email-transfer": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Open the undo page
         * @description The page that undo links open. It changes nothing until its form is submitted.
         *
         *     **Token:** none.
         */
        get: operations["undoEmailTransferPage"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/user": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get the account
         * @description The email address of the user, the language of mails to it, the roles of which the user is a direct member, and the memberships that need more proof than this session has.
         *
         *     **Token:** access token.
         */
        get: operations["getAccount"];
        /**
         * Update the account
         * @description Sets the language of mails. The other fields of an account may be sent along and are ignored.
         *
         *     **Token:** access token.
         */
        put: operations["updateAccount"];
        post?: never;
        /**
         * Delete the account
         * @description Deletes the account with its sessions, memberships, second factors, codes and links. Log entries keep the id of the user and lose the client addresses. A root role keeps a member with roleManagement whose membership does not end, so the last one cannot leave. An account cannot be deleted while a transfer of its address can still be undone (72 hours).
         *
         *     Needs a sudo token. While no second factor is active, an access token is enough if the password sign-in of its session is at most 15 minutes old.
         *
         *     **Token:** sudo token or access token.
         *
         *     **Specific errors:** 401 `SUDO_TOKEN_REQUIRED`, 409 `The root role would be left without a member`, 409 `TRANSFER_TOO_SOON`.
         */
        delete: operations["deleteAccount"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/user/2fa": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get active 2FA methods
         * @description The active second factors, when each was activated, and how many recovery codes are left. With a partial token, the email address is masked.
         *
         *     **Token:** access token or partial token.
         */
        get: operations["getSecondFactors"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/user/2fa/confirm": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Confirm a second factor
         * @description Takes the token of the link that was mailed when a TOTP app or a passkey was added; it works once, within 7 days. Only a confirmed factor is named by the claim `acr` of access tokens. While an email address transfer can be undone, the link goes to the old address. A factor needs no link if it was added in a session that had shown one of the same strength.
         *
         *     **Token:** none.
         *
         *     **Specific errors:** 401 `OTP_INVALID_EXPIRED`.
         */
        post: operations["confirmFactor"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/user/2fa/email-otp": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * Deactivate email OTP
         * @description If this is the account's last second factor, the recovery codes are deleted, too. Ends the user's other sessions and pending codes and links. Needs a sudo token.
         *
         *     **Token:** sudo token or access token.
         *
         *     **Specific errors:** 401 `SUDO_TOKEN_REQUIRED`, 409 `EMAIL_OTP_ALREADY_INACTIVE`.
         */
        delete: operations["deactivateEmailOtp"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/user/2fa/email-otp/authenticate": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Complete email OTP challenge
         * @description With an access token (step-up), a correct code returns a sudo token. With a partial token, it completes the login and returns a sudo, a refresh and an access token. A code allows 5 wrong guesses. A login ends at its fifth wrong code.
         *
         *     After more than 3 wrong codes in a row, the next guess has to wait: 30, 60, 120, 300, 900 and then always 3600 seconds, and 24 hours after 100 wrong codes. A code sent during a wait is not checked and gets a 429 with `retryAfter`. All sessions and logins of the account share the count.
         *
         *     **Token:** access token or partial token.
         *
         *     **Specific errors:** 401 `OTP_INVALID_EXPIRED`, 409 `EMAIL_OTP_INACTIVE`, 429 `TOO_MANY_EMAIL_OTP_CHECKS`.
         */
        post: operations["proveEmailOtp"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/user/2fa/email-otp/challenge": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Initiate email OTP challenge
         * @description Mails a one-time code to the active address, with an access token for a step-up, with a partial token to complete a login. The code is valid for 10 minutes, for the session or login that asked for it alone, and replaces its previous one. Three codes of an account can be valid at a time; a fourth ends the oldest. With an access token, if an address is set up but not active yet, it sends a new activation code. The waits between mails are those of `POST /user/2fa/email-otp/setup`. Logins from client addresses that the account does not know wait apart, and may use 5 of the 10 mails a day.
         *
         *     **Token:** access token or partial token.
         *
         *     **Specific errors:** 409 `EMAIL_OTP_UNINITIALIZED`, 429 `TOO_MANY_OTP_EMAILS`.
         */
        post: operations["sendEmailOtp"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/user/2fa/email-otp/enable": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Activate email OTP
         * @description Activates the address with the code that this session had mailed to it. If this is the account's first second factor, the response contains its recovery codes, which are not shown again. Ends pending codes, links and setups, and makes earlier sudo and partial tokens invalid.
         *
         *     After more than 3 wrong codes in a row, the next guess has to wait: 30, 60, 120, 300, 900 and then always 3600 seconds, and 24 hours after 100 wrong codes. A code sent during a wait is not checked and gets a 429 with `retryAfter`. All sessions and logins of the account share the count.
         *
         *     **Token:** access token.
         *
         *     **Specific errors:** 401 `OTP_INVALID_EXPIRED`, 409 `EMAIL_OTP_UNINITIALIZED`, 429 `TOO_MANY_EMAIL_OTP_CHECKS`.
         */
        post: operations["activateEmailOtp"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/user/2fa/email-otp/next-email": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Time until the next email OTP may be generated
         * @description Seconds until the next code may be mailed; 0 means now. Changes nothing.
         *
         *     **Token:** access token or partial token.
         *
         *     **Specific errors:** 409 `EMAIL_OTP_UNINITIALIZED`.
         */
        get: operations["nextEmailOtp"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/user/2fa/email-otp/setup": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Set or reset email OTP
         * @description Mails an activation code, valid for 10 minutes, to the address that one-time codes are to be sent to; only the session that asks can use it. An active address remains in use until the new one is activated. The wait between mails is 60, 120, 300 and then always 900 seconds, with up to 10 mails a day; challenges count as well.
         *
         *     Needs a sudo token. While no second factor is active, an access token is enough if the password sign-in of its session is at most 15 minutes old.
         *
         *     **Token:** sudo token or access token.
         *
         *     **Specific errors:** 401 `SUDO_TOKEN_REQUIRED`, 429 `TOO_MANY_OTP_EMAILS`.
         */
        post: operations["setUpEmailOtp"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/user/2fa/passkey": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the own passkeys
         * @description The oldest first.
         *
         *     **Token:** access token.
         */
        get: operations["listPasskeys"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/user/2fa/passkey/authenticate": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Verify a passkey
         * @description With an access token (step-up), a right response returns a sudo token. With a partial token, it completes the login and returns a sudo, a refresh and an access token. A response works once. A login ends at its fifth wrong response; wrong responses also count to the client's network.
         *
         *     **Token:** access token or partial token.
         *
         *     **Specific errors:** 401 `PASSKEY_INVALID`, 409 `PASSKEY_UNINITIALIZED`, 429 `TOO_MANY_PASSKEY_CHECKS`.
         */
        post: operations["provePasskey"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/user/2fa/passkey/challenge": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Get the options for proving a passkey
         * @description Returns the options for `navigator.credentials.get()` with the account's passkeys; send its result to the operation `provePasskey` with the same token.
         *
         *     **Token:** access token or partial token.
         *
         *     **Specific errors:** 409 `PASSKEY_UNINITIALIZED`.
         */
        post: operations["challengePasskey"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/user/2fa/passkey/enable": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Add a passkey
         * @description Adds the passkey that the browser has made. If it is the account's first second factor, the response contains its recovery codes, which are not shown again. Ends pending codes, links and setups, and makes earlier sudo and partial tokens invalid. A wrong response counts to the client's network.
         *
         *     Needs a sudo token. While no second factor is active, an access token is enough if the password sign-in of its session is at most 15 minutes old.
         *
         *     **Token:** sudo token or access token.
         *
         *     **Specific errors:** 401 `SUDO_TOKEN_REQUIRED`, 401 `PASSKEY_INVALID`, 409 `PASSKEY_ALREADY_ACTIVE`, 409 `The account has 20 passkeys already: remove one that is not needed`, 429 `TOO_MANY_PASSKEY_CHECKS`.
         */
        post: operations["activatePasskey"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/user/2fa/passkey/setup": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Get the options for a new passkey
         * @description Returns the options for `navigator.credentials.create()`; send its result to the operation `activatePasskey` within 5 minutes. An account can have 20 passkeys.
         *
         *     Needs a sudo token. While no second factor is active, an access token is enough if the password sign-in of its session is at most 15 minutes old.
         *
         *     **Token:** sudo token or access token.
         *
         *     **Specific errors:** 401 `SUDO_TOKEN_REQUIRED`, 409 `The account has 20 passkeys already: remove one that is not needed`.
         */
        post: operations["setUpPasskey"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/user/2fa/passkey/{passkeyId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        /**
         * Rename a passkey
         * @description Responds with 403 if the passkey does not exist or belongs to another user.
         *
         *     **Token:** access token.
         *
         *     **Specific errors:** 403 `User does not have sufficient rights`.
         */
        put: operations["renamePasskey"];
        post?: never;
        /**
         * Remove a passkey
         * @description If it is the account's last second factor, the recovery codes are deleted, too. Ends the user's other sessions and pending codes and links. Needs a sudo token. Responds with 403 if the passkey does not exist or belongs to another user.
         *
         *     **Token:** sudo token or access token.
         *
         *     **Specific errors:** 401 `SUDO_TOKEN_REQUIRED`, 403 `User does not have sufficient rights`.
         */
        delete: operations["removePasskey"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/user/2fa/recovery-code/authenticate": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Verify a recovery code
         * @description With an access token (step-up), a correct code returns a sudo token. With a partial token, it completes the login and returns a sudo, a refresh and an access token. A recovery code works once; a mail tells the user how many are left. A login ends at its fifth wrong code.
         *
         *     After more than 3 wrong codes in a row, the next guess has to wait: 30, 60, 120, 300, 900 and then always 3600 seconds, and 24 hours after 100 wrong codes. A code sent during a wait is not checked and gets a 429 with `retryAfter`. All sessions and logins of the account share the count.
         *
         *     **Token:** access token or partial token.
         *
         *     **Specific errors:** 401 `RECOVERY_CODE_INVALID`, 409 `RECOVERY_CODES_UNINITIALIZED`, 429 `TOO_MANY_RECOVERY_CODE_CHECKS`.
         */
        post: operations["proveRecoveryCode"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/user/2fa/recovery-code/next-guess": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Time until the next recovery code guess
         * @description Seconds until the next recovery code is checked; 0 means now. Changes nothing.
         *
         *     **Token:** access token or partial token.
         *
         *     **Specific errors:** 409 `RECOVERY_CODES_UNINITIALIZED`.
         */
        get: operations["nextRecoveryGuess"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/user/2fa/recovery-code/reset": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Reset the recovery codes of a user
         * @description Replaces the recovery codes and returns ten new ones, which are not shown again. Ends the user's other sessions and pending codes and links. Needs a sudo token and an active second factor.
         *
         *     **Token:** sudo token or access token.
         *
         *     **Specific errors:** 401 `SUDO_TOKEN_REQUIRED`, 409 `2FA_IS_DISABLED`.
         */
        post: operations["resetRecoveryCodes"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/user/2fa/totp": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * Deactivate TOTP
         * @description If this is the account's last second factor, the recovery codes are deleted, too. Ends the user's other sessions and pending codes and links. Needs a sudo token.
         *
         *     **Token:** sudo token or access token.
         *
         *     **Specific errors:** 401 `SUDO_TOKEN_REQUIRED`, 409 `TOTP_ALREADY_INACTIVE`.
         */
        delete: operations["deactivateTotp"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/user/2fa/totp/authenticate": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Verify TOTP code
         * @description With an access token (step-up), a correct code returns a sudo token. With a partial token, it completes the login and returns a sudo, a refresh and an access token. A code works once, in its own 30 seconds and the 30 seconds before and after. A login ends at its fifth wrong code.
         *
         *     After more than 3 wrong codes in a row, the next guess has to wait: 30, 60, 120, 300, 900 and then always 3600 seconds, and 24 hours after 100 wrong codes. A code sent during a wait is not checked and gets a 429 with `retryAfter`. All sessions and logins of the account share the count.
         *
         *     **Token:** access token or partial token.
         *
         *     **Specific errors:** 401 `TOTP_INVALID`, 409 `TOTP_UNINITIALIZED`, 409 `TOTP_INACTIVE`, 429 `TOO_MANY_TOTP_CHECKS`.
         */
        post: operations["proveTotp"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/user/2fa/totp/enable": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Activate TOTP
         * @description Activates the secret that was set up, with a code from the authenticator app. If this is the account's first second factor, the response contains its recovery codes, which are not shown again. Ends pending codes, links and setups, and makes earlier sudo and partial tokens invalid.
         *
         *     After more than 3 wrong codes in a row, the next guess has to wait: 30, 60, 120, 300, 900 and then always 3600 seconds, and 24 hours after 100 wrong codes. A code sent during a wait is not checked and gets a 429 with `retryAfter`. All sessions and logins of the account share the count.
         *
         *     **Token:** access token.
         *
         *     **Specific errors:** 401 `TOTP_INVALID`, 409 `TOTP_UNINITIALIZED`, 429 `TOO_MANY_TOTP_CHECKS`.
         */
        post: operations["activateTotp"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/user/2fa/totp/next-guess": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Time until the next TOTP guess
         * @description Seconds until the next code is checked; 0 means now. Changes nothing.
         *
         *     **Token:** access token or partial token.
         *
         *     **Specific errors:** 409 `TOTP_UNINITIALIZED`.
         */
        get: operations["nextTotpGuess"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/user/2fa/totp/setup": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Set or reset TOTP
         * @description Creates a secret and returns it as an `otpauth:` URL, and that as a QR code; activate it within 10 minutes. An active secret remains in use until then.
         *
         *     Needs a sudo token. While no second factor is active, an access token is enough if the password sign-in of its session is at most 15 minutes old.
         *
         *     **Token:** sudo token or access token.
         *
         *     **Specific errors:** 401 `SUDO_TOKEN_REQUIRED`.
         */
        post: operations["setUpTotp"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/user/email": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        /**
         * Complete an email address transfer
         * @description Moves the account to the new address with the one-time code that was mailed to it. A code allows 5 wrong guesses. Ends the user's other sessions and pending codes and links, and makes all sudo tokens invalid. Both addresses get a mail. The old address stays reserved for 72 hours and gets a link that undoes the transfer during that time.
         *
         *     **Token:** access token or sudo token.
         *
         *     **Specific errors:** 401 `OTP_INVALID_EXPIRED`, 409 `NEW_EMAIL_ALREADY_IN_USE`.
         */
        put: operations["completeEmailTransfer"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/user/email/initiate": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Initiate an email address transfer
         * @description Mails a one-time code to the new address. The response does not reveal whether another account has that address. Codes can be sent 60 seconds apart and up to 3 times an hour; each is valid for 10 minutes and replaces the previous one. For 72 hours after a transfer, no other can be initiated.
         *
         *     Needs a sudo token. While no second factor is active, an access token is enough if the password sign-in of its session is at most 15 minutes old.
         *
         *     **Token:** sudo token or access token.
         *
         *     **Specific errors:** 401 `SUDO_TOKEN_REQUIRED`, 409 `TRANSFER_TOO_SOON`, 429 `TOO_MANY_TRANSFER_ATTEMPTS`.
         */
        post: operations["initiateEmailTransfer"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/user/email/undo": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Undo an email address transfer
         * @description Takes the token of the link that was mailed to the old address; it works once, within 72 hours. Restores the old address, cancels a pending transfer, ends all sessions and removes the password, which has to be reset afterwards. Also removes second factors that were activated, and recovery codes that were made, 72 hours or less before the transfer was initiated, since then, or at any time by a session that initiated or completed it. If no factor is left, neither are recovery codes. Role passwords that the account has set in that time become void, and keys of roles that it has made are deleted. Both addresses get a mail.
         *
         *     **Token:** none.
         *
         *     **Specific errors:** 401 `OTP_INVALID_EXPIRED`.
         */
        post: operations["undoEmailTransfer"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/user/export": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Export the account
         * @description Everything that the service stores about the user, except password hashes and other secrets. One export of a user is sent at a time.
         *
         *     **Token:** access token.
         *
         *     **Specific errors:** 429 `TOO_MANY_EXPORTS`.
         */
        get: operations["exportAccount"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/user/key": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List one's own keys
         * @description The keys that the user made in any role and that have not ended, newest first. Includes keys of roles that the user has left since. Returns 100 keys unless `limit` says otherwise.
         *
         *     **Token:** access token.
         */
        get: operations["listOwnKeys"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/user/password/authenticate": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Get a sudo token with the password
         * @description Step-up for users without an active second factor; users with one verify that factor instead. Wrong passwords are counted together with those of `PUT /user/password/old-password`.
         *
         *     **Token:** access token.
         *
         *     **Specific errors:** 401 `PASSWORD_INCORRECT`, 401 `SUDO_TOKEN_REQUIRED`, 429 `TOO_MANY_FAILED_PASSWORD_CHECKS`.
         */
        post: operations["provePassword"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/user/password/link": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        /**
         * Set the password via a mailed link
         * @description Sets a password with the token of an invitation or reset link, which works once. A rejected password does not use it up. Ends all sessions of the user and returns null: log in afterwards. With `signIn`, the invitation of an account that never had a password or second factor returns a refresh token, as `POST /auth/login` does, and the address of the account.
         *
         *     **Token:** none.
         *
         *     **Specific errors:** 401 `OTP_INVALID_EXPIRED`, 400 `PASSWORD_TOO_SHORT`, 400 `PASSWORD_TOO_LONG`, 400 `PASSWORD_TOO_COMMON`, 400 `PASSWORD_EQUALS_NAME`, 400 `PASSWORD_BREACHED`.
         */
        put: operations["setPasswordByLink"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/user/password/old-password": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        /**
         * Update password via sudo token
         * @description Replaces the password, given the old one. Needs a sudo token, or an access token while no second factor is active. Wrong old passwords are throttled per account; on 429, `retryAfter` says when the next attempt is checked. Ends the user's other sessions and pending codes and links, and makes all sudo tokens invalid.
         *
         *     **Token:** sudo token or access token.
         *
         *     **Specific errors:** 401 `PASSWORD_INCORRECT`, 401 `SUDO_TOKEN_REQUIRED`, 429 `TOO_MANY_FAILED_PASSWORD_CHECKS`, 400 `PASSWORD_TOO_SHORT`, 400 `PASSWORD_TOO_LONG`, 400 `PASSWORD_TOO_COMMON`, 400 `PASSWORD_EQUALS_NAME`, 400 `PASSWORD_BREACHED`.
         */
        put: operations["changePassword"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/user/password/otp": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        /**
         * Update password via OTP
         * @description Sets a new password with the one-time code that was mailed. A wrong code uses one of its 10 guesses; a rejected password uses up nothing. Ends all sessions of the user and returns no tokens: log in afterwards, with the second factor if one is active.
         *
         *     **Token:** none.
         *
         *     **Specific errors:** 401 `OTP_INVALID_EXPIRED`, 400 `PASSWORD_TOO_SHORT`, 400 `PASSWORD_TOO_LONG`, 400 `PASSWORD_TOO_COMMON`, 400 `PASSWORD_EQUALS_NAME`, 400 `PASSWORD_BREACHED`.
         */
        put: operations["setPasswordByOtp"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/user/password/reset/email": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Send a password reset email
         * @description Mails a link for setting a new password. It is valid for 30 minutes, or until three newer links have been mailed. The response and the limits are the same whether or not the address has an account.
         *
         *     Links and codes share these limits: for one address, one mail every 60 seconds, 3 an hour and 6 a day from one client. Clients that never signed in to the account also share limits with their network and with each other, which do not affect the others. On 429, `retryAfter` says when the next request can succeed.
         *
         *     **Token:** none.
         *
         *     **Specific errors:** 429 `TOO_MANY_RESET_MAIL_ATTEMPTS`.
         */
        post: operations["sendPasswordResetEmail"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/user/password/reset/send": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Send a password reset OTP
         * @description Mails a one-time code for setting a new password. The code is valid for 10 minutes and replaces the previous one. The response and the limits are the same whether or not the address has an account.
         *
         *     Links and codes share these limits: for one address, one mail every 60 seconds, 3 an hour and 6 a day from one client. Clients that never signed in to the account also share limits with their network and with each other, which do not affect the others. On 429, `retryAfter` says when the next request can succeed.
         *
         *     **Token:** none.
         *
         *     **Specific errors:** 429 `TOO_MANY_RESET_MAIL_ATTEMPTS`.
         */
        post: operations["sendPasswordResetOtp"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/user/password/reset/validate": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Check a password reset OTP
         * @description Succeeds if the one-time code is valid, and does not use it up. A code allows 10 wrong guesses, 5 of them from one network, shared with `PUT /user/password/otp`. A mailed link works whatever was guessed. An unknown address gets the same error as a code that is wrong, expired or used up.
         *
         *     **Token:** none.
         *
         *     **Specific errors:** 401 `OTP_INVALID_EXPIRED`.
         */
        post: operations["validatePasswordResetOtp"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/user/security-log": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List security events
         * @description Attempts to sign in to the account or to change its security settings, successful or not, newest first. Returns 100 events unless `limit` says otherwise.
         *
         *     **Token:** access token.
         */
        get: operations["listSecurityEvents"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/user/session": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List sessions
         * @description The active sessions of the user, newest first. A user has at most 100: a login that makes one more ends the session whose latest token is the oldest.
         *
         *     **Token:** access token.
         */
        get: operations["listSessions"];
        put?: never;
        post?: never;
        /**
         * End all other sessions
         * @description Ends all sessions of the user except the one that makes this request. With `keys=true`, also deletes the keys that the user made, in roles of which they are a member, directly or indirectly. That needs a sudo token, however recent the sign-in is. Others have to delete the keys that `GET /user/key` still lists afterwards.
         *
         *     **Token:** sudo token or access token.
         *
         *     **Specific errors:** 401 `SUDO_TOKEN_REQUIRED`.
         */
        delete: operations["endOtherSessions"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/user/session/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * End a session
         * @description All tokens of the session stop working immediately. Responds with 403 if the session does not exist, has already ended or belongs to another user.
         *
         *     **Token:** access token.
         *
         *     **Specific errors:** 403 `User does not have sufficient rights`.
         */
        delete: operations["endSession"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/access/end": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * End a person's access
         * @description Ends, at and below the role `under`, what the caller may end of a person's access: their memberships, the keys they made, and the role passwords they set; with `granted`, also what they gave. It needs direct or indirect userManagement, or indirect roleManagement, on `under`; each thing ends only if the caller could end it alone, and nothing of the caller's own ends. All or nothing: up to 1,000 things at once, and a root role keeps a member with roleManagement whose membership does not end. The log has a row for each.
         *
         *     Relations stay; the response lists them. `left` counts the roles to which the person still has access. A deletion that is undone later does not bring the person back at or below `under`; with `granted`, neither those to whom they gave a membership that was deleted with its role. An unknown person is like one without access.
         *
         *     A user sends a sudo token of the same session in `X-Sudo-Token`, at most 5 minutes old. Keys are refused with 403.
         *
         *     With `dryRun=true`, nothing changes, no sudo token is needed, and the response says what would end, and has an `effect` with a tag. `If-Effect` ends it only if that is still the same.
         *
         *     **Token:** access token.
         *
         *     **Specific errors:** 401 `SUDO_TOKEN_REQUIRED`, 403 `User does not have sufficient rights`, 409 `The root role would be left without a member`, 422 `Too much would end at once`, 409 `EFFECT_CHANGED`, 429 `TOO_MANY_PREVIEWS`.
         */
        post: operations["endAccess"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/access/query": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Query what a person or key has access to
         * @description Returns the roles that one person or one key has access to, directly or indirectly, with their rights on each: those whose members the caller manages (direct or indirect userManagement, or indirect roleManagement); about oneself, all. A person or a key that is not known has access to nothing. In order of role.
         *
         *     A page may be short, or empty, although others follow: read on until `nextCursor` is null. Each shows one revision of the graph, which it names. Without `limit` and `cursor`, the response has all, and names the revision of the last page, too, as `revisionEnd`.
         *
         *     With `asOf`, the list is that of a moment in the past, and `revision` the one that `asOf` stands for: pages of one moment are of one snapshot. Whom the caller may ask about is decided as of now, and names are those of now. History is kept for HISTORY_DAYS; earlier: 410 with `since`, the time at which it begins. Up to 10,000 relations are followed a page; more: 422.
         *
         *     **Token:** access token or key of a role.
         *
         *     **Specific errors:** 410 `BEFORE_HISTORY`, 422 `More relations lead to these roles than a request may follow: ask about fewer roles at a time`.
         */
        post: operations["queryAccess"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/auth/forgot-password": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Send a password reset email (former path)
         * @deprecated
         * @description Mails a link for setting a new password. It is valid for 30 minutes, or until three newer links have been mailed. The response and the limits are the same whether or not the address has an account.
         *
         *     Links and codes share these limits: for one address, one mail every 60 seconds, 3 an hour and 6 a day from one client. Clients that never signed in to the account also share limits with their network and with each other, which do not affect the others. On 429, `retryAfter` says when the next request can succeed.
         *
         *     Superseded by `POST /user/password/reset/email`.
         *
         *     **Token:** none.
         *
         *     **Specific errors:** 429 `TOO_MANY_RESET_MAIL_ATTEMPTS`.
         */
        post: operations["forgotPassword"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/change/query": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Query changes
         * @description Returns the changes of roles, relations, members, keys and devices, and refused ones, oldest first: those about a role, or its parent, whose members the caller manages (direct or indirect userManagement, or indirect roleManagement), and those about all roles that a key with `asks` reaches. Changes about a deleted role are returned to those who manage the parent that it was deleted from. Attempts with a role's password are returned once they are settled, previews never.
         *
         *     Equal refusals of one caller within a minute share a row. A page looks at up to 20,000 rows, and may have few of them or none: ask again with `after` = `nextRevision`. With `wait`, a loop of this follows the log without missing or repeating a row.
         *
         *     Up to 4 requests of a user and their keys may wait at a time.
         *
         *     With `Accept: text/csv`, the response is a file of all changes after `after` (RFC 4180).
         *
         *     **Token:** access token or key of a role.
         *
         *     **Specific errors:** 429 `TOO_MANY_WAITS`.
         */
        post: operations["queryChanges"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/change/{revision}/undo": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Undo a change
         * @description Makes the inverse of a change that the caller reads in the log, by the rules of that inverse change as of now. The new change names the other as `undoes`. Changes of roles, relations and memberships can be undone, and those of which roles monitor a device; those of keys and of role passwords cannot (`CANNOT_UNDO`), and keys undo nothing. A relation or role that was made is deleted only if nothing else goes with it.
         *
         *     If the same thing has changed since, the response is a 409 `CHANGED_SINCE`, with the `revision` of the later change if the caller reads it. A deletion that took roles is restored, which takes direct or indirect roleManagement on the parent of the deleted relation: the roles with what lay among them, and of relations and memberships what the caller could make now. A monitors relation of a device that lived on returns up to the deletion, and from now to its end if the caller could make it now by a role that has monitored the device since before the deletion; `shortened` says which do not return whole, and why. A device that was deleted alone takes direct or indirect deviceManagement, or indirect roleManagement, on the role that it was detached from. Memberships return without a mail, but not those that have ended since, or whose user has lost a membership of the role or a role above it.
         *
         *     A transfer is transferred back: what it made ends now and keeps its past, and each relation that it ended gets a new period from now on. This takes deviceManagement on each of these roles, and the right to delete each relation that is open or to come. A device that was detached and still exists is attached again, by the rules of attaching it now; if no relation was open or to come without that one, and none was since, who may detach it may attach it again. A period that was changed is put back, unless it has ended or began later than before (`CANNOT_UNDO`).
         *
         *     With `dryRun=true`, nothing changes, and the response also has the `effect` that the change would have. It is refused like the change itself. `If-Effect` makes the change only with the effect that was seen.
         *
         *     **Token:** access token or key of a role.
         *
         *     **Specific errors:** 403 `User does not have sufficient rights`, 409 `CANNOT_UNDO`, 409 `CHANGED_SINCE`, 409 `The proposed manages relation cannot be added since it would create a cycle in the role graph`, 409 `The role would be left without a role that manages it`, 409 `The root role would be left without a member`, 409 `The root role would be left without a lasting member with roleManagement`, 409 `The externalId is that of another one below the same root role: give this one a different externalId`, 409 `The device has monitors relations that you may not end: ask those who manage them to do it`, 409 `100 roles monitor the device already, or 200 have: delete one of these relations, or let a role above monitor the device`, 422 `The period does not lie within that of a relation by which you manage the device`, 422 `The change affects too many pairs of roles`, 409 `EFFECT_CHANGED`, 429 `TOO_MANY_PREVIEWS`.
         */
        post: operations["undoChange"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/company": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Collect companies
         * @description Returns an empty list: this service knows roles and no companies. It exists for clients that begin with this request.
         *
         *     **Token:** access token or key of a role.
         */
        get: operations["collectCompanies"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/device": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Collect devices
         * @deprecated
         * @description Returns the devices that are monitored by a role of which the caller is a member, directly or indirectly. Array parameters can be repeated or comma-separated.
         *
         *     Superseded by `POST /v1/device/query`.
         *
         *     **Token:** access token or key of a role.
         */
        get: operations["collectDevices"];
        put?: never;
        /**
         * Create devices
         * @description Creates a device and the monitors relation that connects it to a role, or as many as a list has: all or none, with the rows in the log and the charge of single ones, and a response in the order of the list. Needs direct or indirect deviceManagement, or indirect roleManagement, on the role. The nodeId of a deleted device can be used again once its telemetry has been deleted, and that of one which no role has monitored for 30 days. To repeat the request safely after a lost response, send an `Idempotency-Key`.
         *
         *     With `dryRun=true`, nothing changes, and the response also has the `effect` that the change would have. It is refused like the change itself. `If-Effect` makes the change only with the effect that was seen.
         *
         *     **Token:** access token or key of a role.
         *
         *     **Specific errors:** 403 `User does not have sufficient rights`, 409 `The nodeId belongs to another device`, 409 `The externalId is that of another one below the same root role: give this one a different externalId`, 422 `The Idempotency-Key was already used for a different request: send this one with a new key`, 409 `EFFECT_CHANGED`, 429 `TOO_MANY_PREVIEWS`.
         */
        post: operations["createDevice"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/device/query": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Query devices
         * @description Returns the devices that are monitored by a role of which the caller is a member, directly or indirectly, in order of id. Different filters must all match; the values of one filter are alternatives, and an empty list matches nothing. A `roleId` or `ancestorRoleId` of which the caller is not a member matches nothing.
         *
         *     **Token:** access token or key of a role.
         */
        post: operations["queryDevices"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/device/transfer": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Transfer devices
         * @description Gives several devices to a role, as the transfer of a single one does: all of them, or none. The log has one row of it for the role, and one for each role that loses devices; one undo takes all of it back. Devices that the role alone monitors stay as they are.
         *
         *     Needs deviceManagement on the role, and for each device what its transfer alone needs. A refusal is about the first device that is in the way, and names it in `deviceId`. To repeat the request safely after a lost response, send an `Idempotency-Key`.
         *
         *     With `dryRun=true`, nothing changes, and the response also has the `effect` that the change would have. It is refused like the change itself. `If-Effect` makes the change only with the effect that was seen.
         *
         *     **Token:** access token or key of a role.
         *
         *     **Specific errors:** 403 `User does not have sufficient rights`, 409 `The device has monitors relations that you may not end: ask those who manage them to do it`, 409 `100 roles monitor the device already, or 200 have: delete one of these relations, or let a role above monitor the device`, 422 `The Idempotency-Key was already used for a different request: send this one with a new key`, 409 `EFFECT_CHANGED`, 429 `TOO_MANY_PREVIEWS`.
         */
        post: operations["transferDevices"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/device/{deviceId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        /**
         * Update a device
         * @description Sets properties of a device. By default it keeps the top-level properties that the request does not mention; `mode=replace` removes them. A property whose value is `null` is stored as `null`, and an object replaces the former one as a whole. `nodeId` cannot change and may be left out. The external id changes if the request names one. Needs direct or indirect deviceManagement, or indirect roleManagement, on a role that monitors the device.
         *
         *     **Token:** access token or key of a role.
         *
         *     **Specific errors:** 403 `User does not have sufficient rights`, 409 `The nodeId of a device cannot be changed`, 412 `The device was modified after the specified time`, 422 `The properties of the device would be larger than 16384 bytes`, 409 `The externalId is that of another one below the same root role: give this one a different externalId`.
         */
        put: operations["updateDevice"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/device/{deviceId}/transfer": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Transfer a device
         * @description Gives a device to a role: every relation that monitors it now ends at this moment and keeps its past, those to come are deleted, and a new one begins. Each side reads the telemetry of its own time. Changes nothing if the role alone monitors the device.
         *
         *     Needs direct or indirect deviceManagement on the role, and for each of these relations what deleting it needs. Otherwise the response is a 409 whose `monitors` names those that the caller sees but may not end, and the number of others.
         *
         *     With `dryRun=true`, nothing changes, and the response also has the `effect` that the change would have. It is refused like the change itself. `If-Effect` makes the change only with the effect that was seen.
         *
         *     **Token:** access token or key of a role.
         *
         *     **Specific errors:** 403 `User does not have sufficient rights`, 409 `The device has monitors relations that you may not end: ask those who manage them to do it`, 409 `100 roles monitor the device already, or 200 have: delete one of these relations, or let a role above monitor the device`, 409 `EFFECT_CHANGED`, 429 `TOO_MANY_PREVIEWS`.
         */
        post: operations["transferDevice"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/grant/query": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Query what a user or key gave
         * @description Returns what a user or a key gave and what still stands: memberships and keys of roles whose members the caller manages (direct or indirect userManagement, or indirect roleManagement), and passwords of roles and relations from or to roles on which the caller has direct or indirect roleManagement. In order of role. A user who is not known has given nothing. Later changes do not change who gave something; what an administrator or an import made, nobody gave.
         *
         *     A page may be short, or empty, although others follow: read on until `nextCursor` is null. Without `limit`, it has up to 100 grants.
         *
         *     **Token:** access token or key of a role.
         */
        post: operations["queryGrants"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/rights/check": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Check rights
         * @description Returns, in the order of the checks, whether the caller has each right on the role, directly or indirectly. A role that does not exist gives false.
         *
         *     With `asOf`, returns whether the caller had each right then, on the roles of which they are a member now, and the revision that `asOf` stands for. Ends of memberships are judged at its time. History is kept for HISTORY_DAYS, and of an older database from its upgrade on; earlier: 410. Up to 10,000 relations above the roles are followed; more: 422.
         *
         *     **Token:** access token or key of a role.
         *
         *     **Specific errors:** 410 `BEFORE_HISTORY`, 422 `More relations lead to these roles than a request may follow: ask about fewer roles at a time`.
         */
        post: operations["checkRights"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/rights/explain": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Explain a right
         * @description Returns why a user or key has a right on a role, or why not: the ways on which the right gets from their memberships to the role, those on which it is lost, and the least that has to be widened for it to get through.
         *
         *     All callers may ask about themselves. Those who manage the members of the role (direct or indirect userManagement, or indirect roleManagement) may also ask about others, and so may a key with `asks` that reaches the role. Other callers get the same as for a role that does not exist: not allowed, and nothing to explain. In place of what the caller does not see there is `{ "hidden": true }`.
         *
         *     Up to 10,000 relations above the role are followed; beyond that, the explanation is `truncated`, and `allowed` still exact. With `asOf`, it explains how things were then: more relations are a 422, and a moment before the history a 410.
         *
         *     **Token:** access token or key of a role.
         *
         *     **Specific errors:** 410 `BEFORE_HISTORY`, 422 `More relations lead to these roles than a request may follow: ask about fewer roles at a time`.
         */
        post: operations["explainRight"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/role": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Collect roles
         * @deprecated
         * @description Returns the roles of which the caller is a member, directly or indirectly. Array parameters can be repeated or comma-separated. `userRights.<right>=true` limits the returned `userRights` to the rights named.
         *
         *     Superseded by `POST /v1/role/query`.
         *
         *     **Token:** access token or key of a role.
         */
        get: operations["collectRoles"];
        put?: never;
        /**
         * Create a new role
         * @description Creates a role and the manages relation that connects it to its parent. Needs direct or indirect roleManagement on the parent role. The relation must carry roleManagement, so that the new role has a role that manages it. To repeat the request safely after a lost response, send an `Idempotency-Key`.
         *
         *     **Token:** access token or key of a role.
         *
         *     **Specific errors:** 403 `User does not have sufficient rights`, 409 `The role would be left without a role that manages it`, 409 `The externalId is that of another one below the same root role: give this one a different externalId`, 422 `The change affects too many pairs of roles`, 422 `The Idempotency-Key was already used for a different request: send this one with a new key`.
         */
        post: operations["createRole"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/role/query": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Query roles
         * @description Returns the roles of which the caller is a member, directly or indirectly, in order of id. Different filters must all match; the values of one filter are alternatives, and an empty list matches nothing. An `ancestorRoleId` of which the caller is not a member matches nothing.
         *
         *     **Token:** access token or key of a role.
         */
        post: operations["queryRoles"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/role/summary": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Summarize what is around roles
         * @description Returns, for each of these roles of which the caller is a member, directly or indirectly, the number of its parents that the caller sees, of its children, and of all roles below it, in order of id. Children and roles below are counted to 100,000; parents among the first 1,000 relations. If more than 30 of the roles have more than 20,000 below them, those with the greatest ids are counted to 20,000.
         *
         *     **Token:** access token or key of a role.
         */
        post: operations["summarizeRoles"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/role/{parentRoleId}/manages": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Collect manages relations
         * @deprecated
         * @description Returns the manages relations that start from a role of which the caller is a member, directly or indirectly. Array parameters can be repeated or comma-separated.
         *
         *     Superseded by `POST /v1/role/{parentRoleId}/manages/query`.
         *
         *     **Token:** access token or key of a role.
         */
        get: operations["collectManages"];
        /**
         * Create or update a manages relation
         * @description Creates a relation between two roles, or updates the rights of an existing one.
         *
         *     Without the child role's password, one authorizing role must have direct or indirect roleManagement on the parent role and indirect roleManagement on the child role. With the password (header `X-Child-Role-Password`, UTF-8), direct or indirect roleManagement on the parent role is enough, and the relation can carry at most the rights of the password.
         *
         *     Keys use no passwords. A wrong or empty password is rejected even if the caller does not need one. Wrong passwords are throttled per child role and caller, per child role, and per caller.
         *
         *     With `replaces`, another relation to the child role is deleted in the same change, which needs the right to delete it, and is not possible together with a password. So a role is moved, and never without a parent in between.
         *
         *     With `dryRun=true`, nothing changes, and the response also has the `effect` that the change would have. It is refused like the change itself. `If-Effect` makes the change only with the effect that was seen.
         *
         *     **Token:** access token or key of a role.
         *
         *     **Specific errors:** 403 `User does not have sufficient rights`, 409 `The proposed manages relation cannot be added since it would create a cycle in the role graph`, 409 `The role would be left without a role that manages it`, 422 `The change affects too many pairs of roles`, 429 `The provided childRolePassword query parameter cannot be checked, since too many successive failed role query calls occured`, 409 `EFFECT_CHANGED`, 429 `TOO_MANY_PREVIEWS`.
         */
        put: operations["putManages"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/role/{parentRoleId}/manages/query": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Query manages relations
         * @description Returns the manages relations that start from a role of which the caller is a member, directly or indirectly, in order of id. A relation is returned only if it matches every filter. Ids that do not exist or that the caller may not see match nothing.
         *
         *     **Token:** access token or key of a role.
         */
        post: operations["queryManages"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/role/{parentRoleId}/manages/{managesId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        /**
         * Update an existing manages relation
         * @description Sets the rights of a manages relation. To add a right, one authorizing role must have direct or indirect roleManagement on the parent role and indirect roleManagement on the child role. To remove rights, it is enough to be allowed to delete the relation.
         *
         *     With `dryRun=true`, nothing changes, and the response also has the `effect` that the change would have. It is refused like the change itself. `If-Effect` makes the change only with the effect that was seen.
         *
         *     **Token:** access token or key of a role.
         *
         *     **Specific errors:** 403 `User does not have sufficient rights`, 409 `The role would be left without a role that manages it`, 422 `The change affects too many pairs of roles`, 409 `EFFECT_CHANGED`, 429 `TOO_MANY_PREVIEWS`.
         */
        put: operations["updateManages"];
        post?: never;
        /**
         * Delete a manages relation
         * @description Deletes the relation. If no other relation leads to the child role and it is not a root role, it is deleted, too, together with all roles and devices below it that would be left unconnected.
         *
         *     Needs direct or indirect roleManagement on the parent role, or indirect roleManagement on the child role. A relation that was only possible with the child role's password can also be deleted with direct roleManagement on the child role, as long as the child is a root role or has another parent.
         *
         *     Deleted devices lie in the trash for `TRASH_DAYS`. Until then, the deletion can be undone, and a nodeId is free only to the parent role.
         *
         *     With `cascade=refuse`, only the relation is deleted: if roles or devices would be, too, the response is a 409 `WOULD_DELETE` that has their numbers, and names the first ten of each.
         *
         *     With `dryRun=true`, nothing changes, and the response also has the `effect` that the change would have. It is refused like the change itself. `If-Effect` makes the change only with the effect that was seen.
         *
         *     **Token:** access token or key of a role.
         *
         *     **Specific errors:** 403 `User does not have sufficient rights`, 409 `The role would be left without a role that manages it`, 409 `WOULD_DELETE`, 422 `The change affects too many pairs of roles`, 409 `EFFECT_CHANGED`, 429 `TOO_MANY_PREVIEWS`.
         */
        delete: operations["deleteManages"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/role/{roleId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        /**
         * Update a role
         * @description Sets the name and the self rights of a role, and its external id if the request names one. Needs indirect roleManagement on the role: no role can raise its own self rights.
         *
         *     With `dryRun=true`, nothing changes, and the response also has the `effect` that the change would have. It is refused like the change itself. `If-Effect` makes the change only with the effect that was seen.
         *
         *     **Token:** access token or key of a role.
         *
         *     **Specific errors:** 403 `User does not have sufficient rights`, 409 `The externalId is that of another one below the same root role: give this one a different externalId`, 409 `EFFECT_CHANGED`, 429 `TOO_MANY_PREVIEWS`.
         */
        put: operations["updateRole"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/role/{roleId}/access/query": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Query who has access to a role
         * @description Returns the people and keys with access to the role, which are its members and those of all roles above it, with the rights that they hold on it together, which may be none. For those who manage the members of the role (direct or indirect userManagement, or indirect roleManagement), and for keys that ask; for other callers, and for an unknown role, the list is empty. In order of account, then of key.
         *
         *     A page may be short, or empty, although others follow: read on until `nextCursor` is null. Each shows one revision of the graph, which it names. Without `limit` and `cursor`, the response has all, and names the revision of the last page, too, as `revisionEnd`.
         *
         *     With `asOf`, the list is that of a moment in the past, and `revision` the one that `asOf` stands for: pages of one moment are of one snapshot. Whom the caller may ask about is decided as of now, and names are those of now. History is kept for HISTORY_DAYS; earlier: 410 with `since`, the time at which it begins. Up to 10,000 relations are followed a page; more: 422. A moment before the role was imported is a 410, too.
         *
         *     With `Accept: text/csv`, the response is a file of the whole list (RFC 4180), for an access review. A ' goes before cells that a spreadsheet would take for a formula.
         *
         *     **Token:** access token or key of a role.
         *
         *     **Specific errors:** 410 `BEFORE_HISTORY`, 422 `More relations lead to these roles than a request may follow: ask about fewer roles at a time`.
         */
        post: operations["queryAccessToRole"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/role/{roleId}/authentication-policy": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get what a role demands of its members
         * @description Returns which second factor a session of a member must have proved for the membership to count. Needs indirect roleManagement on the role, direct roleManagement on a root role, or direct or indirect userManagement.
         *
         *     **Token:** access token or key of a role.
         *
         *     **Specific errors:** 401 `SECOND_FACTOR_REQUIRED`, 403 `User does not have sufficient rights`.
         */
        get: operations["getAuthenticationPolicy"];
        /**
         * Set what a role demands of its members
         * @description Sets which second factor a session of a member must have proved, or none. In a session that has not, the membership is _dormant_: it counts as absent, and a refusal for that reason is a 401 with the message `SECOND_FACTOR_REQUIRED`. `required` is met by TOTP or a passkey, `phishing-resistant` by a passkey. Codes by mail and recovery codes meet neither, and a factor only once its owner has confirmed it by the mailed link.
         *
         *     Needs indirect roleManagement on the role, or direct roleManagement on a root role; a session that meets the demand in force and the new one; and a sudo token of the same session in `X-Sudo-Token`. A root role keeps a member with roleManagement and without an end who has met the demand: otherwise the response is a 409. A role that is made later below this one begins with its demand. This cannot be undone, only set anew.
         *
         *     With `dryRun=true`, nothing changes, and the response also has the `effect` that the change would have. It is refused like the change itself. `If-Effect` makes the change only with the effect that was seen. No sudo token is needed then.
         *
         *     **Token:** access token.
         *
         *     **Specific errors:** 401 `SUDO_TOKEN_REQUIRED`, 401 `SECOND_FACTOR_REQUIRED`, 403 `User does not have sufficient rights`, 409 `No lasting member with roleManagement on the root role is known to meet this demand: let one of them set it`, 422 `The change affects too many pairs of roles`, 409 `EFFECT_CHANGED`, 429 `TOO_MANY_PREVIEWS`.
         */
        put: operations["setAuthenticationPolicy"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/role/{roleId}/key": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Create a key
         * @description Makes a key, with which a program is a member of the role: it sends `secret` as its bearer token, to operations that accept a key. Needs direct or indirect userManagement, or indirect roleManagement, on the role. The membership that has that right must have all `rights` of the key, and must not end before the key; without `rights`, the key has those of the membership.
         *
         *     The secret is in this response only. A key makes no keys, and neither sets nor uses passwords of roles. It gives relations, rights of roles on themselves, and devices to further roles only while its maker could do so, too. Its requests count to its maker while they are a member of its role, directly or indirectly, else to the root. With `provisions`, it may also add members, as `PUT /v1/role/{roleId}/member` says. With `asks`, it may also ask who has access to the roles that it reaches and what changed there, whatever its `rights`. A role has at most 100 keys that have not ended.
         *
         *     The result outlasts the session, so a user also sends a sudo token in `X-Sudo-Token`, of the same session and at most 5 minutes old; a recent sign-in does not replace it. Without a second factor it comes from `POST /user/password/authenticate`. A second factor that the same session enrolled as the first is no proof yet: sign in with it. Keys are refused with 403.
         *
         *     With `dryRun=true`, nothing changes, and the response also has the `effect` that the change would have. It is refused like the change itself. `If-Effect` makes the change only with the effect that was seen. The key then has no `id` and no secret, and no sudo token is needed.
         *
         *     **Token:** access token.
         *
         *     **Specific errors:** 401 `SUDO_TOKEN_REQUIRED`, 403 `User does not have sufficient rights`, 409 `The role has 100 keys already: delete one that is not needed`, 409 `EFFECT_CHANGED`, 429 `TOO_MANY_PREVIEWS`.
         */
        post: operations["createKey"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/role/{roleId}/key/query": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Query keys
         * @description Returns the keys of a role that have not ended, in order of id, if the caller has direct or indirect userManagement or indirect roleManagement on the role; otherwise none.
         *
         *     **Token:** access token or key of a role.
         */
        post: operations["queryKeys"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/role/{roleId}/key/{keyId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * Delete a key
         * @description Ends a key at once. Needs direct or indirect userManagement, or indirect roleManagement, on the role. Its maker only needs to be a member of the role, directly or indirectly. A key ends another one only if its own maker could, too.
         *
         *     With `dryRun=true`, nothing changes, and the response also has the `effect` that the change would have. It is refused like the change itself. `If-Effect` makes the change only with the effect that was seen.
         *
         *     **Token:** access token or key of a role.
         *
         *     **Specific errors:** 403 `User does not have sufficient rights`, 409 `EFFECT_CHANGED`, 429 `TOO_MANY_PREVIEWS`.
         */
        delete: operations["deleteKey"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/role/{roleId}/key/{keyId}/adopt": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Adopt a key
         * @description Makes the caller the maker of a key, in place of another user or of an administrator, for example when its maker leaves. The key gets a new secret, which is in this response only, and the old one ends at once; all else stays as it is, so what the key gave is still known as given by it. A caller who ends what a user gave and made ends it with the caller's from then on.
         *
         *     Needs what making the key needs: direct or indirect userManagement, or indirect roleManagement, on the role, by a membership that must have all rights of the key, and must not end before the key. Makers may adopt their own keys, for a new secret.
         *
         *     The result outlasts the session, so a user also sends a sudo token in `X-Sudo-Token`, of the same session and at most 5 minutes old; a recent sign-in does not replace it. Without a second factor it comes from `POST /user/password/authenticate`. A second factor that the same session enrolled as the first is no proof yet: sign in with it. Keys are refused with 403.
         *
         *     With `dryRun=true`, nothing changes, and the response also has the `effect` that the change would have. It is refused like the change itself. `If-Effect` makes the change only with the effect that was seen. It shows the key as it is, and no sudo token is needed.
         *
         *     **Token:** access token.
         *
         *     **Specific errors:** 401 `SUDO_TOKEN_REQUIRED`, 403 `User does not have sufficient rights`, 409 `EFFECT_CHANGED`, 429 `TOO_MANY_PREVIEWS`.
         */
        post: operations["adoptKey"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/role/{roleId}/managed-by/query": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Query the managers of a role
         * @description Returns the manages relations that lead to the role, and so the roles that manage it. Covers only roles on which the caller has direct or indirect roleManagement.
         *
         *     **Token:** access token or key of a role.
         */
        post: operations["queryManagedBy"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/role/{roleId}/member": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Collect members
         * @deprecated
         * @description Returns the direct members of roles on which the caller has direct or indirect userManagement or indirect roleManagement, and the caller's own memberships. Array parameters can be repeated or comma-separated.
         *
         *     Superseded by `POST /v1/role/{roleId}/member/query`.
         *
         *     **Token:** access token or key of a role.
         */
        get: operations["collectMembers"];
        /**
         * Add or change a member
         * @description Makes the owner of an email address a member of the role. Needs direct or indirect userManagement, or indirect roleManagement, on the role.
         *
         *     The membership can end by itself (`until`), and let its user use only some rights (`rights`). An existing member's are changed. A caller gives no more rights, and for no longer, than the one membership of theirs that authorizes it. A root role keeps a member with roleManagement whose membership does not end.
         *
         *     A new address gets an account and an invitation, a known one gets a notice; changing an existing member sends no mail. The response is the same in all cases. A new account takes over `language`, or without it the language of the caller's account.
         *
         *     A user can add up to 50 members a day, and an address gets at most one of these mails a day.
         *
         *     A key needs `provisions`, and its maker must be able to do the same at that moment, dormant memberships included; otherwise it gets a 403. What it gives lies within its own rights and end and within those of one membership of its maker, which are also the defaults. A new member gets a mail only with `invite=true`, which counts to the maker's 50. The keys of one maker add up to `PROVISION_PER_DAY` members a day (`TOO_MANY_ADDITIONS`).
         *
         *     With `dryRun=true`, nothing changes, and the response also has the `effect` that the change would have. It is refused like the change itself. `If-Effect` makes the change only with the effect that was seen. A dry run for a new member counts as adding one, and not again if that follows within a day.
         *
         *     **Token:** access token or key of a role.
         *
         *     **Specific errors:** 403 `User does not have sufficient rights`, 409 `The root role would be left without a lasting member with roleManagement`, 429 `TOO_MANY_INVITATIONS`, 429 `TOO_MANY_ADDITIONS`, 409 `EFFECT_CHANGED`, 429 `TOO_MANY_PREVIEWS`.
         */
        put: operations["addMember"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/role/{roleId}/member/query": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Query members
         * @description Returns the direct members of roles on which the caller has direct or indirect userManagement or indirect roleManagement, and the caller's own memberships, in order of id.
         *
         *     **Token:** access token or key of a role.
         */
        post: operations["queryMembers"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/role/{roleId}/member/{memberId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * Remove a member
         * @description Ends the membership of a direct member. Needs direct or indirect userManagement, or indirect roleManagement, on the role, and of a key its maker needs it, too; users may always remove themselves. A root role keeps a member with roleManagement whose membership does not end.
         *
         *     Keys that the member made stay. The response names them, in a preview, too; `POST /v1/access/end` can end them with the membership, and what the member gave.
         *
         *     With `dryRun=true`, nothing changes, and the response also has the `effect` that the change would have. It is refused like the change itself. `If-Effect` makes the change only with the effect that was seen.
         *
         *     **Token:** access token or key of a role.
         *
         *     **Specific errors:** 403 `User does not have sufficient rights`, 409 `The root role would be left without a member`, 409 `EFFECT_CHANGED`, 429 `TOO_MANY_PREVIEWS`.
         */
        delete: operations["removeMember"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/role/{roleId}/member/{memberId}/invitation": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Send an invitation again
         * @description Mails the invitation of a member once more, while it waits because the member has never opened their account. Needs direct or indirect userManagement, or indirect roleManagement, on the role.
         *
         *     The mail has a new link, valid for 7 days; the links of earlier invitations of the account end. A member who has opened their account gets no mail, and the response says so. An account gets an invitation again at most once a day for all managers together, and the mail counts to the caller's 50 invitations a day.
         *
         *     **Token:** access token.
         *
         *     **Specific errors:** 403 `User does not have sufficient rights`, 429 `TOO_MANY_INVITATIONS`.
         */
        post: operations["inviteAgain"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/role/{roleId}/monitors": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Collect monitors relations
         * @deprecated
         * @description Returns the monitors relations of roles of which the caller is a member, directly or indirectly. Array parameters can be repeated or comma-separated.
         *
         *     Superseded by `POST /v1/role/{roleId}/monitors/query`.
         *
         *     **Token:** access token or key of a role.
         */
        get: operations["collectMonitors"];
        /**
         * Create or update a monitors relation
         * @description Lets a role monitor an existing device, or changes the period in which it does. Its members read the telemetry from `from` up to `until`, and see, manage and write the device while the relation is open, that is, between both times.
         *
         *     One authorizing role must have direct or indirect deviceManagement both on this role and on a role that monitors the device now, and the period must lie within that of this other relation. Who may delete a relation may also let it end earlier, or begin later. `until` now ends it and keeps its past.
         *
         *     A role has at most one relation with a device that is open or to come: that one is changed. Closed ones stay as they are. `from` never moves back.
         *
         *     At most 100 roles monitor a device, and it has at most 200 relations in all.
         *
         *     With `dryRun=true`, nothing changes, and the response also has the `effect` that the change would have. It is refused like the change itself. `If-Effect` makes the change only with the effect that was seen.
         *
         *     **Token:** access token or key of a role.
         *
         *     **Specific errors:** 403 `User does not have sufficient rights`, 409 `100 roles monitor the device already, or 200 have: delete one of these relations, or let a role above monitor the device`, 422 `The period does not lie within that of a relation by which you manage the device`, 422 `The period of a monitors relation cannot begin earlier than before`, 422 `The period does not end after its beginning`, 409 `EFFECT_CHANGED`, 429 `TOO_MANY_PREVIEWS`.
         */
        put: operations["addMonitors"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/role/{roleId}/monitors/query": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Query monitors relations
         * @description Returns the monitors relations of roles of which the caller is a member, directly or indirectly, in order of id. A relation is returned only if it matches every filter. Ids that do not exist or that the caller may not see match nothing.
         *
         *     **Token:** access token or key of a role.
         */
        post: operations["queryMonitors"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/role/{roleId}/monitors/{monitorsId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * Delete a monitors relation
         * @description Detaches a device from a role, and takes the past of this relation from it. A device without any other relation, open or closed, is deleted, together with its telemetry, once it has been in the trash for `TRASH_DAYS`. Until then, the deletion can be undone, and the nodeId is free only to this role. Needs direct or indirect deviceManagement, or indirect roleManagement, on the role. To keep the past, end the relation instead (`PUT` with `until`).
         *
         *     With `cascade=refuse`, only the relation is deleted: if roles or devices would be, too, the response is a 409 `WOULD_DELETE` that has their numbers, and names the first ten of each.
         *
         *     With `dryRun=true`, nothing changes, and the response also has the `effect` that the change would have. It is refused like the change itself. `If-Effect` makes the change only with the effect that was seen.
         *
         *     **Token:** access token or key of a role.
         *
         *     **Specific errors:** 403 `User does not have sufficient rights`, 409 `WOULD_DELETE`, 409 `EFFECT_CHANGED`, 429 `TOO_MANY_PREVIEWS`.
         */
        delete: operations["removeMonitors"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/role/{roleId}/neighbourhood/query": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Query what is around a role
         * @description Returns what a picture of the hierarchy around a role needs, of one revision: the role with the roles above it that the caller sees, up to 100, and a page of its children; up to 1,000 relations that lead to these; and what `POST /v1/role/summary` says of them. Of a role of which the caller is not a member, directly or indirectly, and of an unknown one, everything is empty.
         *
         *     With `userEmail`, it also returns what `POST /v1/access/query` says of that person on these roles. An address that is not known has access to nothing.
         *
         *     The way up is walked like that of an explanation, over up to 2,000 relations. For callers with more than 32 memberships, and with `userEmail`, there are fewer roles if hundreds are above each of them. Counts from 2,000 on may be of a later revision.
         *
         *     With `asOf`, the relations, rights and names are those of a moment in the past, where history has no name that of now; nothing is counted, and there are no external ids. What the caller sees, and whom they may ask about, is decided as of now. A page looks at up to 2,000 relations that ever led from the role, so it may have few children although others follow. Earlier than the history that is kept, or than that of the role: 410 with `since`. Up to 10,000 relations are followed; more: 422.
         *
         *     **Token:** access token or key of a role.
         *
         *     **Specific errors:** 410 `BEFORE_HISTORY`, 422 `More relations lead to these roles than a request may follow: ask about fewer roles at a time`.
         */
        post: operations["queryNeighbourhood"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/role/{roleId}/password": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get what is known of a role password
         * @description Returns whether the role has a password, who set it when and with which `rights`, and whether it still works. Needs the right to set it: direct or indirect roleManagement on the role.
         *
         *     **Token:** access token.
         *
         *     **Specific errors:** 403 `User does not have sufficient rights`.
         */
        get: operations["getRolePassword"];
        /**
         * Set or remove a role password
         * @description A caller who knows the password of a role, and has roleManagement on another one, can place the first below the second, with at most `rights`. Needs direct or indirect roleManagement on the role.
         *
         *     With indirect roleManagement, `rights` can be any; the default is all six. With direct roleManagement alone, they are limited to the selfRights of the role without roleManagement, which is also the default. `null` removes the password; relations created with it remain.
         *
         *     At each use the password carries at most what its setter could still give. If the setter could no longer set one, for example after their removal from the role, it is void, like a wrong password. A password that is to be sent in a header must not begin or end with white space.
         *
         *     The result outlasts the session, so a user also sends a sudo token in `X-Sudo-Token`, of the same session and at most 5 minutes old; a recent sign-in does not replace it. Without a second factor it comes from `POST /user/password/authenticate`. A second factor that the same session enrolled as the first is no proof yet: sign in with it. Keys are refused with 403.
         *
         *     **Token:** access token.
         *
         *     **Specific errors:** 401 `SUDO_TOKEN_REQUIRED`, 403 `User does not have sufficient rights`.
         */
        put: operations["setRolePassword"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/role/{roleId}/usage": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get what a role uses of its quotas
         * @description Returns how many roles and devices count to the root role that members of the role act through, and how much changes have stored lately, with what is allowed. A direct member of the root gets the figures of the whole root. A direct member of a role below it gets their own, and may use up to an eighth of each. Roles and devices count to the root that their creator acted through, and imported ones to none.
         *
         *     Needs a direct membership of the role, with or without a right such as userManagement.
         *
         *     **Token:** access token or key of a role.
         *
         *     **Specific errors:** 403 `User does not have sufficient rights`.
         */
        get: operations["getRoleUsage"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/search": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Find roles, people and devices
         * @description Returns roles by any part of their name, people by any part of their address, and devices by any part of their nodeId or of their property `name`; case does not matter. A text of digits alone also finds the role and the device with that id. Of people, it finds members of roles whose members the caller manages (direct or indirect userManagement, or indirect roleManagement).
         *
         *     Each kind has its own list, in order of id, and its own `nextCursor`, which the next request sends with that kind alone. A list may be short, or empty, although more follows.
         *
         *     **Token:** access token or key of a role.
         */
        post: operations["search"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/telemetry": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Write telemetry data
         * @description Writes points of one or more devices: all of them, or none, unless `partial=true`. The body is JSON or InfluxDB line protocol (`text/plain`, or without a `Content-Type`; timestamps in the given precision), and may be compressed with gzip. The tag `nodeId` names the device of a point.
         *
         *     The query string says where the points go, in one of three ways: `db` with or without `rp`, or `org` and `bucket`, or `namespace`.
         *
         *     Needs, for each device, direct or indirect deviceManagement, or indirect roleManagement, on a role that monitors it now. The times of its points must lie in the period of that relation, or of an earlier one on whose role the same authorizing role has these rights, too.
         *
         *     Points that cannot be written refuse the request: malformed ones (400, the first line), those of a device that does not exist or that the caller may not write (403), and those of another type or time than allowed (422). The `details` name the lines, up to 20, even without `X-Error-Details`: `line` counts from 1, also in JSON, and `nodeId` is that of the line. With `partial=true`, these lines are left out and the others written; the response is a 400 with the number of lines (`dropped`) and the same `details`.
         *
         *     Clients of InfluxDB 1.x and 2.x find their paths, `/write` and `/api/v2/write`, below this one and at the root.
         *
         *     If several points have the same series, time and field, the last one is kept. A field keeps the type (number, boolean or string) of its first value.
         *
         *     A request can hold up to 100000 values (the fields of all points), 10000 series (combinations of tag set and field) and 10 MiB.
         *
         *     An account that writes for several tenants should send `roleId`: a `nodeId` belongs to the account that registers it first, perhaps of another tenant.
         *
         *     The leaky bucket of telemetry queries is charged for writes, too, also for those that are refused: 1 for 2 values, 1 for 128 characters, 1 per series that a recent write has found, and 5 per other series, but at least 100. The headers `X-RateLimit-Cost`, `X-RateLimit-Used` and `X-RateLimit-Remaining` show its state.
         *
         *     **Token:** access token or key of a role.
         *
         *     **Specific errors:** 400 `partial write: … dropped=…`, 403 `User does not have sufficient rights`, 422 `The telemetry store refused the points`, 422 `The request costs more than the rate limit ever allows`, 429 `The rate limit of telemetry is reached`.
         */
        post: operations["writeTelemetry"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/telemetry/query": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Collect telemetry data
         * @description Executes up to 1000 telemetry queries. The response has the form of the request: one result for one query, or a list with the result of each query at its index.
         *
         *     Each query reads one device; the caller must be a member, directly or indirectly, of a role that monitors it, or did, and reads the points of all such periods, and none of the time between them. If less than the range was read, the result has `clipped: true`; if no period meets it, the result of that query is `Unauthorized`, as for a device that does not exist. A query that is malformed, not allowed or without data does not affect the others. Each tag set is a series of its own.
         *
         *     All queries together return at most 100000 points; a row counts as one point per column.
         *
         *     A leaky bucket limits the rate per user, and per role for all of its keys: a request costs 1000, each query 100 and each returned point 1. If all queries together scan more than 50 values for each returned point, 50 scanned values cost as much as a point instead. The headers `X-RateLimit-Cost`, `X-RateLimit-Used` and `X-RateLimit-Remaining` show its state.
         *
         *     **Token:** access token or key of a role.
         *
         *     **Specific errors:** 422 `The queries would return too many points`, 422 `The request costs more than the rate limit ever allows`, 429 `The rate limit of telemetry is reached`.
         */
        post: operations["collectTelemetry"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
}
export type webhooks = Record<string, never>;
export interface components {
    schemas: {
        /** @description The key, without a name if it is deleted; absent for a person */
        AccessKey: {
            /** Format: int64 */
            id: number;
            name: string | null;
        };
        /** @description What remains, for example by a membership above `under`; of roles whose members the caller manages */
        AccessLeft: {
            /**
             * Format: int64
             * @description The number of roles at and below `under` to which the person still has access
             */
            roles: number;
            /** @description There are more roles than are looked up; `POST /v1/access/query` names all */
            more?: boolean;
        };
        AccessOfPrincipal: {
            access: components["schemas"]["RoleAccess"][];
            person?: components["schemas"]["AccountName"];
            /** @description With `limit` or `cursor`: the cursor of the next page, or null at the end */
            nextCursor?: string | null;
            /**
             * Format: int64
             * @description Revision of the roles, relations and members that the page shows
             */
            revision: number;
            /**
             * Format: int64
             * @description Without `limit` and `cursor`: revision of the last page. If it equals `revision`, the whole list is of that revision
             */
            revisionEnd?: number;
        };
        AccessToRole: {
            access: components["schemas"]["PersonAccess"][];
            /** @description With `limit` or `cursor`: the cursor of the next page, or null at the end */
            nextCursor?: string | null;
            /**
             * Format: int64
             * @description Revision of the roles, relations and members that the page shows
             */
            revision: number;
            /**
             * Format: int64
             * @description Without `limit` and `cursor`: revision of the last page. If it equals `revision`, the whole list is of that revision
             */
            revisionEnd?: number;
        };
        Account: {
            /** Format: int64 */
            id: number;
            /** Format: email */
            email: string;
            /** @description Language of mails: en, nl, fr or de */
            language: string;
            /** Format: date-time */
            createdAt: string;
            /** @description Its id in the system that it was imported from. Absent without one */
            externalId?: string;
        };
        AccountExport: {
            account: {
                /** Format: int64 */
                id: number;
                /** Format: email */
                email: string;
                /** @description Language of mails: en, nl, fr or de */
                language: string;
                /** Format: date-time */
                createdAt: string;
                externalId: string | null;
                hasPassword: boolean;
                /** Format: date-time */
                passwordChangedAt: string | null;
            };
            membership: {
                /** Format: int64 */
                id: number;
                /** Format: int64 */
                roleId: number;
                roleName: string;
                rights: components["schemas"]["Rights"];
                /** Format: date-time */
                until: string | null;
            }[];
            /** @description The keys that the user made */
            key: {
                /** Format: int64 */
                id: number;
                /** Format: int64 */
                roleId: number;
                name: string;
                /** Format: date-time */
                createdAt: string;
            }[];
            session: {
                id: string;
                /** Format: date-time */
                createdAt: string;
                /** Format: date-time */
                authenticatedAt: string;
                /** Format: date-time */
                lastTokenAt: string;
                /** Format: date-time */
                expiresAt: string;
                client: string;
                /** Format: date-time */
                endedAt: string | null;
                endedReason: string | null;
            }[];
            pendingSignIn: {
                /** Format: date-time */
                authenticatedAt: string;
                /** Format: date-time */
                expiresAt: string;
                client: string;
                /** Format: date-time */
                endedAt: string | null;
            }[];
            knownAddress: {
                address: string;
                /** Format: date-time */
                lastSignInAt: string;
            }[];
            secondFactor: {
                kind: string;
                /** Format: email */
                email: string | null;
                /** Format: date-time */
                activatedAt: string | null;
                /** Format: email */
                pendingEmail: string | null;
                /** Format: date-time */
                pendingUntil: string | null;
                /** Format: date-time */
                lastMailAt: string | null;
                /** Format: int64 */
                failures: number;
            }[];
            passkey: {
                name: string;
                /** Format: date-time */
                createdAt: string;
                /** Format: date-time */
                lastUsedAt: string | null;
                /** @description JSON list of the ways to reach its authenticator */
                transports: string;
                /** Format: int64 */
                counter: number;
            }[];
            recoveryCode: {
                /** Format: int64 */
                position: number;
                /** Format: date-time */
                usedAt: string | null;
            }[];
            code: {
                purpose: string;
                /** Format: email */
                email: string | null;
                /** Format: date-time */
                createdAt: string;
                /** Format: date-time */
                expiresAt: string;
                /** Format: date-time */
                endedAt: string | null;
            }[];
            passwordLink: {
                purpose: string;
                /** Format: date-time */
                createdAt: string;
                /** Format: date-time */
                expiresAt: string;
                /** Format: date-time */
                endedAt: string | null;
            }[];
            undoLink: {
                /** Format: email */
                email: string;
                /** Format: date-time */
                createdAt: string;
                /** Format: date-time */
                expiresAt: string;
                /** Format: date-time */
                endedAt: string | null;
            }[];
            reservedEmail: {
                /** Format: email */
                email: string;
                /** Format: date-time */
                reservedUntil: string;
            }[];
            mail: {
                template: string;
                language: string;
                /** Format: email */
                recipient: string | null;
                /** Format: date-time */
                createdAt: string;
                /** Format: date-time */
                deliveredAt: string | null;
            }[];
            event: components["schemas"]["SecurityEvent"][];
        };
        /** @description The person that the request is about; absent for a key, and without any access in the response */
        AccountName: {
            /**
             * Format: int64
             * @description Id of the account
             */
            userId: number;
            /**
             * Format: email
             * @description Null if the account is deleted
             */
            userEmail: string | null;
        };
        /** @description A person or key, and exactly what they gain and lose on roles whose lists of access the caller reads. */
        AffectedPerson: {
            /** @description Of a person */
            userEmail?: string;
            /** @description Of a key; its id is null if it is not made yet */
            key?: {
                /** Format: int64 */
                id: number | null;
                name: string;
            };
            on: {
                roleIds: number[];
                gained: ("roleManagement" | "userManagement" | "viewManagement" | "deviceManagement" | "reportManagement" | "alarmManagement")[];
                lost: ("roleManagement" | "userManagement" | "viewManagement" | "deviceManagement" | "reportManagement" | "alarmManagement")[];
                /** @description Rights that a role of theirs gains or loses, and that they have before and after */
                kept: ("roleManagement" | "userManagement" | "viewManagement" | "deviceManagement" | "reportManagement" | "alarmManagement")[];
                /** @description The first 10 roles of theirs by which they keep these, of those that the caller sees */
                through: number[];
                /** @description They keep some of these only through roles that the caller does not see */
                hidden: boolean;
            }[];
            /**
             * Format: int64
             * @description On how many further roles they may gain or lose, but what they keep there is not told
             */
            others: number;
        };
        /** @description An error: the status, its name, and a message that identifies the error. */
        ApiError: {
            /** Format: int64 */
            statusCode: number;
            error: string;
            message: string;
            /**
             * Format: int64
             * @description Seconds until the next attempt; with a 429
             */
            retryAfter?: number;
            /** @description The partial token; with `2FA_REQUIRED` */
            partialAuthToken?: string;
            /** @description The second factors that can complete the login; with `2FA_REQUIRED` */
            methods?: ("passkey" | "totp" | "emailOtp" | "recoveryCode")[];
            /** @description With `WOULD_DELETE`, the roles that would be deleted; of a deletion that would leave roles without a role that manages them, these: how many, and up to 10 of them */
            roles?: {
                /** Format: int64 */
                count: number;
                first: {
                    /** Format: int64 */
                    id: number;
                    name: string;
                }[];
            };
            /** @description Of a transfer that would have to end monitors relations which the caller may not end, these: those that the caller sees, and the number of others */
            monitors?: {
                first: {
                    /** Format: int64 */
                    id: number;
                    /** Format: int64 */
                    roleId: number;
                }[];
                /** Format: int64 */
                hidden: number;
            };
            /** @description With `WOULD_DELETE`, the devices that would be deleted: how many, and up to 10 of them */
            devices?: {
                /** Format: int64 */
                count: number;
                first: {
                    /** Format: int64 */
                    id: number;
                    nodeId: string;
                }[];
            };
            /** @description The malformed fields; with a 400, if requested by `X-Error-Details: true`. Of a list of new devices, the first nodeIds that are taken, with the 409. Of a write of telemetry, up to 20 lines that cannot be written: their numbers from 1, and their nodeIds */
            details?: {
                path: string;
                /** Format: int64 */
                line?: number;
                nodeId?: string;
                message: string;
            }[];
            /**
             * Format: int64
             * @description Of a partial write of telemetry, the number of lines that were left out
             */
            dropped?: number;
        };
        /** @description Asks about the past: a revision, which stands for the time when it was made, or a time (ISO 8601), which stands for the last revision at or before it. Who may ask, and what they see, is decided as of now */
        AsOf: number | string;
        /** @description What a role demands of the sessions of its members. No demand concerns keys. */
        AuthenticationPolicy: {
            /**
             * @description What a session needs for a membership of the role to count: nothing; proof of a TOTP or passkey; or of a passkey
             * @enum {string}
             */
            secondFactor: "none" | "required" | "phishing-resistant";
            /**
             * Format: date-time
             * @description From when on, if that is in the future; null: now
             */
            from: string | null;
            /** @description What it demands until then; null without `from` */
            before: ("none" | "required" | "phishing-resistant") | null;
        };
        AuthzenAction: {
            /** @description On a role one of the six rights, or `member`; on a device `read`, `write` or `manage`. No other is permitted */
            name: string;
            /** @description Ignored: rights follow from roles alone */
            properties?: {
                [key: string]: unknown;
            };
        };
        AuthzenActionSearch: {
            subject: components["schemas"]["AuthzenSubject"];
            resource: components["schemas"]["AuthzenResource"];
            /** @description With `explain: true`, a single evaluation explains a decision about a right on a role, as `reason_user`. `acr` and `aal` say what the subject's session has proved, as the claims of its access token do: a membership of a role that demands more counts as absent, and without them only roles that demand nothing count. For the caller themselves, their session counts. Everything else is ignored */
            context?: {
                [key: string]: unknown;
            };
            page?: {
                /** @description `next_token` of the page before; the rest as it was */
                token?: string;
                /**
                 * Format: int64
                 * @description Maximum number of results; 100 by default, and at most 1,000
                 */
                limit?: number;
                /** @description Ignored: rights follow from roles alone */
                properties?: {
                    [key: string]: unknown;
                };
            };
        };
        AuthzenActions: {
            page: {
                /** @description For the next page; empty at the end */
                next_token: string;
                /** Format: int64 */
                count: number;
            };
            context: {
                /** Format: int64 */
                revision: number;
            };
            results: {
                name: string;
            }[];
        };
        AuthzenConfiguration: {
            policy_decision_point: string;
            access_evaluation_endpoint: string;
            access_evaluations_endpoint: string;
            search_subject_endpoint: string;
            search_resource_endpoint: string;
            search_action_endpoint: string;
        };
        AuthzenDecision: {
            decision: boolean;
            context: {
                /**
                 * Format: int64
                 * @description The revision at which it was decided
                 */
                revision: number;
                /**
                 * @description On a denial: permitted if the subject's session meets this
                 * @enum {string}
                 */
                needs?: "none" | "required" | "phishing-resistant";
                reason_user?: components["schemas"]["Explanation"];
                /** @description Of a question that is denied whatever is stored: the type, the action or the form of id that does not exist */
                reason?: string;
                /** @description What is wrong with an item of a list */
                error?: {
                    /** @constant */
                    status: 400;
                    message: string;
                };
            };
        };
        AuthzenDecisions: {
            evaluations: components["schemas"]["AuthzenDecision"][];
        };
        AuthzenEvaluation: {
            subject: components["schemas"]["AuthzenSubject"];
            action: components["schemas"]["AuthzenAction"];
            resource: components["schemas"]["AuthzenResource"];
            /** @description With `explain: true`, a single evaluation explains a decision about a right on a role, as `reason_user`. `acr` and `aal` say what the subject's session has proved, as the claims of its access token do: a membership of a role that demands more counts as absent, and without them only roles that demand nothing count. For the caller themselves, their session counts. Everything else is ignored */
            context?: {
                [key: string]: unknown;
            };
        };
        AuthzenEvaluationList: {
            subject?: components["schemas"]["AuthzenSubject"];
            action?: components["schemas"]["AuthzenAction"];
            resource?: components["schemas"]["AuthzenResource"];
            /** @description With `explain: true`, a single evaluation explains a decision about a right on a role, as `reason_user`. `acr` and `aal` say what the subject's session has proved, as the claims of its access token do: a membership of a role that demands more counts as absent, and without them only roles that demand nothing count. For the caller themselves, their session counts. Everything else is ignored */
            context?: {
                [key: string]: unknown;
            };
            /** @description What an item does not have, it takes from the top level */
            evaluations: (components["schemas"]["AuthzenItem"] | unknown)[];
            options?: {
                /**
                 * @description By default `execute_all`. The others end the list with the first denial or permit
                 * @enum {string}
                 */
                evaluations_semantic?: "execute_all" | "deny_on_first_deny" | "permit_on_first_permit";
            };
        };
        AuthzenEvaluations: components["schemas"]["AuthzenEvaluation"] | components["schemas"]["AuthzenEvaluationList"];
        AuthzenItem: {
            subject?: components["schemas"]["AuthzenSubject"];
            action?: components["schemas"]["AuthzenAction"];
            resource?: components["schemas"]["AuthzenResource"];
            /** @description With `explain: true`, a single evaluation explains a decision about a right on a role, as `reason_user`. `acr` and `aal` say what the subject's session has proved, as the claims of its access token do: a membership of a role that demands more counts as absent, and without them only roles that demand nothing count. For the caller themselves, their session counts. Everything else is ignored */
            context?: {
                [key: string]: unknown;
            };
        };
        AuthzenResource: {
            /** @description `role` or `device`; nothing is of another type */
            type: string;
            /** @description Its id; of a device also the nodeId, unless that is a number, which is always taken as an id */
            id: string;
            /** @description Ignored: rights follow from roles alone */
            properties?: {
                [key: string]: unknown;
            };
        };
        AuthzenResourceSearch: {
            subject: components["schemas"]["AuthzenSubject"];
            action: components["schemas"]["AuthzenAction"];
            resource: {
                /** @description `role` or `device`; nothing is of another type */
                type: string;
                /** @description Ignored: this is what is searched for */
                id?: string;
                /** @description Ignored: rights follow from roles alone */
                properties?: {
                    [key: string]: unknown;
                };
            };
            /** @description With `explain: true`, a single evaluation explains a decision about a right on a role, as `reason_user`. `acr` and `aal` say what the subject's session has proved, as the claims of its access token do: a membership of a role that demands more counts as absent, and without them only roles that demand nothing count. For the caller themselves, their session counts. Everything else is ignored */
            context?: {
                [key: string]: unknown;
            };
            page?: {
                /** @description `next_token` of the page before; the rest as it was */
                token?: string;
                /**
                 * Format: int64
                 * @description Maximum number of results; 100 by default, and at most 1,000
                 */
                limit?: number;
                /** @description Ignored: rights follow from roles alone */
                properties?: {
                    [key: string]: unknown;
                };
            };
        };
        AuthzenResources: {
            page: {
                /** @description For the next page; empty at the end */
                next_token: string;
                /** Format: int64 */
                count: number;
            };
            context: {
                /** Format: int64 */
                revision: number;
            };
            results: {
                /** @enum {string} */
                type: "role" | "device";
                id: string;
            }[];
        };
        AuthzenSubject: {
            /** @description `user` or `key`; there is no other type */
            type: string;
            /** @description Of a user the account's id or the address, of a key its id */
            id: string;
            /** @description Ignored: rights follow from roles alone */
            properties?: {
                [key: string]: unknown;
            };
        };
        AuthzenSubjectSearch: {
            subject: {
                /** @description `user` or `key`; there is no other type */
                type: string;
                /** @description Ignored: this is what is searched for */
                id?: string;
                /** @description Ignored: rights follow from roles alone */
                properties?: {
                    [key: string]: unknown;
                };
            };
            action: components["schemas"]["AuthzenAction"];
            resource: components["schemas"]["AuthzenResource"];
            /** @description With `ids: "email"`, the ids of users are their addresses, which those who may search for them see in the list of access, too. `acr` and `aal` as in an evaluation */
            context?: {
                [key: string]: unknown;
            };
            page?: {
                /** @description `next_token` of the page before; the rest as it was */
                token?: string;
                /**
                 * Format: int64
                 * @description Maximum number of results; 100 by default, and at most 1,000
                 */
                limit?: number;
                /** @description Ignored: rights follow from roles alone */
                properties?: {
                    [key: string]: unknown;
                };
            };
        };
        AuthzenSubjects: {
            page: {
                /** @description For the next page; empty at the end */
                next_token: string;
                /** Format: int64 */
                count: number;
            };
            context: {
                /** Format: int64 */
                revision: number;
            };
            results: {
                /** @enum {string} */
                type: "user" | "key";
                id: string;
            }[];
        };
        BlockedWay: {
            /** @description The membership that the way begins with */
            memberOf: components["schemas"]["ExplainedMembership"] | components["schemas"]["HiddenPart"];
            /** @description From the role of the membership down; empty if the role's `selfRights` count */
            relations: (components["schemas"]["ExplainedRelation"] | components["schemas"]["HiddenPart"])[];
            /** @description The relations of the way that do not carry the right */
            lostAt: (number | components["schemas"]["HiddenPart"])[];
            /** @description The membership does not carry it */
            lostAtMember?: boolean;
            /** @description The role's `selfRights` lack it */
            lostAtRole?: boolean;
        };
        ChallengeTokens: {
            sudoToken: string;
            /** @description With a partial token only */
            accessToken?: string;
            /** @description With a partial token only */
            refreshToken?: string;
        };
        /** @description A change of roles, relations, members, keys or devices, or a refusal of one. */
        Change: {
            /**
             * Format: int64
             * @description The revision of the change, which is also its id
             */
            revision: number;
            /**
             * Format: date-time
             * @description Its time, which is never before that of an earlier one
             */
            at: string;
            /** @description The user or key that did or tried it. The address, or the name, is for callers who see the role through which they acted, even if they have left it; of a refusal, for callers who manage a role to which they have access. Null: an administrator, or an import (`importRun`) */
            actor: (components["schemas"]["UserActor"] | components["schemas"]["KeyActor"]) | null;
            /**
             * Format: int64
             * @description The role through which they acted: the oldest of which a membership authorizes the change. Null: a refusal, or the caller does not see it
             */
            viaRoleId: number | null;
            viaRoleName: string | null;
            /** @description What was done or tried: `role.create`, `role.update`, `role.password_set`, `role.password_removed`, `role.authentication_policy`, `role.bootstrap`, `manages.put`, `manages.update`, `manages.move`, `manages.delete`, `manages.restore`, `member.add`, `member.update`, `member.remove`, `member.leave`, `member.end`, `member.invite`, `key.create`, `key.adopt`, `key.delete`, `key.end`, `access.end`, `monitors.add`, `monitors.update`, `monitors.remove`, `monitors.end`, `device.create`, `device.transfer`, `device.restore`, `device.forget`, `hierarchy.import`. Later versions may have more */
            kind: string;
            /** @description `ok`, `noop` (it was so already), or why it was refused: `proof_required`, `denied`, `needs_step_up`, `cycle`, `unmanaged`, `root_without_member`, `root_without_manager`, `root_without_awake`, `node_id_taken`, `external_id_taken`, `too_many_invitations`, `too_many_additions`, `too_many_role_passwords`, `too_many_keys`, `too_many_monitors`, `period_outside`, `period_begins_earlier`, `period_empty`, `cannot_end`, `too_large`, `too_much_to_end`, `moved`, `key_reused`, `changed_since`, `cannot_undo` */
            decision: string;
            /**
             * Format: int64
             * @description The role that the change is about: of a relation, the child. Null: none, or the caller does not see it
             */
            roleId: number | null;
            /** @description Its name then, after the change. Null also in rows from before names were kept */
            roleName: string | null;
            /** @description Of a role that was renamed: its name before */
            oldName: string | null;
            /** @description Of a role that was renamed: its name since */
            newName: string | null;
            /**
             * Format: int64
             * @description The parent of a relation, or of a new role. Null: none, or the caller does not see it
             */
            parentRoleId: number | null;
            parentRoleName: string | null;
            /** Format: int64 */
            managesId: number | null;
            /**
             * Format: email
             * @description Whose membership it is about, or whose access was ended. Null: it is about none, or the caller does not see its user. Who had nothing that ended is shown to callers who see that they have access from elsewhere
             */
            memberEmail: string | null;
            /**
             * Format: date-time
             * @description The beginning that the period of the monitors relation had before. Null: it had none
             */
            oldFrom: string | null;
            /**
             * Format: date-time
             * @description The end that the membership, or that period, had before
             */
            oldUntil: string | null;
            /**
             * Format: date-time
             * @description The beginning that the period has since
             */
            from: string | null;
            /**
             * Format: date-time
             * @description The end that the membership or period has since
             */
            until: string | null;
            /** Format: int64 */
            keyId: number | null;
            keyName: string | null;
            /** Format: int64 */
            deviceId: number | null;
            /** @description The device's name for itself, unless the change was refused */
            nodeId: string | null;
            /**
             * Format: int64
             * @description How many devices a transfer of several gave to the role, or took from it; `deviceId` and `nodeId` are null then
             */
            devices: number | null;
            /** @description Of such a transfer: these devices, at most 100 */
            deviceIds: number[];
            oldRights: components["schemas"]["Rights"] | null;
            newRights: components["schemas"]["Rights"] | null;
            /** @description Of a demand that was set or lifted: what the role demanded before */
            oldAuthenticationPolicy: components["schemas"]["AuthenticationPolicy"] | null;
            /** @description Of a demand that was set or lifted: what the role demands since */
            newAuthenticationPolicy: components["schemas"]["AuthenticationPolicy"] | null;
            /**
             * Format: int64
             * @description The revision of the change that this one undid or would have
             */
            undoes: number | null;
            /** @description The run of the import that made the change, as `deno task import` printed it */
            importRun: string | null;
            /** @description Roles, then devices */
            deletedNodeIds: number[];
            /**
             * Format: double
             * @description How many of them are roles
             */
            deletedRoles: number;
            /**
             * Format: double
             * @description How many of them are devices
             */
            deletedDevices: number;
            deletedRelationIds: number[];
        };
        ChangeList: {
            /** @description Oldest first */
            change: components["schemas"]["Change"][];
            /**
             * Format: int64
             * @description How far the page looked: `after` of the next request
             */
            nextRevision: number;
        };
        CompanyList: {
            company: Record<string, never>[];
        };
        CreatedDevice: {
            device: {
                /**
                 * Format: int64
                 * @description Null only in the response of a dry run that would create it
                 */
                id: number | null;
                /** @description Its id in another system. Absent without one, or if the caller may not update the device */
                externalId?: string;
                properties: {
                    nodeId: string;
                } & {
                    [key: string]: unknown;
                };
                /**
                 * Format: date-time
                 * @description Time of the last change of the properties or the external id, with milliseconds; later with each change
                 */
                lastUpdate: string;
                userRights: components["schemas"]["DeviceRights"];
            };
            monitors: {
                /**
                 * Format: int64
                 * @description Null only in the response of a dry run that would create it
                 */
                id: number | null;
                /** Format: int64 */
                roleId: number;
                /**
                 * Format: int64
                 * @description Null only in the response of a dry run that would create it
                 */
                deviceId: number | null;
                /**
                 * Format: date-time
                 * @description The beginning of the period in which the role monitors the device. Absent: no bound
                 */
                from?: string;
                /**
                 * Format: date-time
                 * @description Its end, which is not part of it. Absent: no bound
                 */
                until?: string;
            };
            effect?: components["schemas"]["Effect"];
        };
        CreatedKey: {
            key: {
                /**
                 * Format: int64
                 * @description Null only in the response of a dry run that would create it
                 */
                id: number | null;
                /** Format: int64 */
                roleId: number;
                name: string;
                /** @description The start of its secret; null if that is absent */
                prefix: string | null;
                rights: components["schemas"]["Rights"];
                /** @description Whether it may also ask about the access of others, and read the log */
                asks: boolean;
                /** @description Whether it may add members, within what its maker could */
                provisions: boolean;
                /** Format: date-time */
                expiresAt: string;
                /**
                 * Format: date-time
                 * @description When it was made, or adopted
                 */
                createdAt: string;
                /**
                 * Format: email
                 * @description Who made or adopted it; null if the account is deleted, an administrator made the key, or the caller does not see the role through which it was made
                 */
                createdBy: string | null;
                /**
                 * Format: date-time
                 * @description The hour in which it was last used; null if it never was
                 */
                lastUsedAt: string | null;
                /** @description In a list of a role's keys: the `rights` of the key that now work on no role that it reaches, as in the response to its making. Absent if all work, or if the role has more than 200 children */
                ineffective?: ("roleManagement" | "userManagement" | "viewManagement" | "deviceManagement" | "reportManagement" | "alarmManagement")[];
            };
            /** @description The bearer token of the key. It is not shown again, and absent only in the response of a dry run */
            secret?: string;
            /** @description The `rights` of the key that now work on no role that it reaches: its role does not have them on itself, and no relation to a child carries them. Absent if all work, or if the role has more than 200 children */
            ineffective?: ("roleManagement" | "userManagement" | "viewManagement" | "deviceManagement" | "reportManagement" | "alarmManagement")[];
            effect?: components["schemas"]["Effect"];
        };
        CreatedRole: {
            manages: components["schemas"]["Manages"];
            role: components["schemas"]["Role"];
            authenticationPolicy?: components["schemas"]["AuthenticationPolicy"];
        };
        Deletion: {
            /** @description The deleted roles and devices */
            deletedNodeIds: number[];
            /** @description The deleted relations and memberships */
            deletedRelationIds: number[];
            effect?: components["schemas"]["Effect"];
        };
        Device: {
            /** Format: int64 */
            id: number;
            /** @description Its id in another system. Absent without one, or if the caller may not update the device */
            externalId?: string;
            properties: {
                nodeId: string;
            } & {
                [key: string]: unknown;
            };
            /**
             * Format: date-time
             * @description Time of the last change of the properties or the external id, with milliseconds; later with each change
             */
            lastUpdate: string;
            userRights: components["schemas"]["DeviceRights"];
        };
        DeviceList: {
            device: components["schemas"]["ListedDevice"][];
            /** @description With `limit` or `cursor`: the cursor of the next page, or null at the end */
            nextCursor?: string | null;
        };
        DeviceResponse: {
            device: components["schemas"]["Device"];
        };
        DeviceRights: {
            propertyEditabilities: Record<string, never>;
            /** @description Whether the caller may update the device */
            monitorManagement: boolean;
        };
        Difference: {
            /** Format: int64 */
            gained: number;
            /** Format: int64 */
            lost: number;
        };
        /** @description What a change would do; only in the response of a dry run. */
        Effect: {
            /** @description Send it as `If-Effect` to make the change only with this effect */
            tag: string;
            /**
             * Format: int64
             * @description The revision at which the change would have this effect
             */
            revision: number;
            /** @description For each right, the pairs of an acting role and a role that gain or lose it */
            rights: {
                roleManagement: components["schemas"]["Difference"];
                userManagement: components["schemas"]["Difference"];
                viewManagement: components["schemas"]["Difference"];
                deviceManagement: components["schemas"]["Difference"];
                reportManagement: components["schemas"]["Difference"];
                alarmManagement: components["schemas"]["Difference"];
            };
            /** @description Up to how many users and keys gain or lose a right by a membership of such an acting role. Those in `keeps` are not among them; others may have the right by other memberships, too */
            people: {
                /** Format: int64 */
                gained: number;
                /** Format: int64 */
                lost: number;
            };
            /** @description The first people and keys that gain or lose; 20 together with `keeps` */
            named: components["schemas"]["AffectedPerson"][];
            /** @description Those for whom nothing changes, since they have the same rights by other memberships */
            keeps: components["schemas"]["AffectedPerson"][];
            /** @description The roles that would be left without a person who has roleManagement on them; up to 1000 */
            unmanaged: number[];
            /**
             * Format: int64
             * @description How many such roles the caller does not see
             */
            hiddenUnmanaged: number;
            reading: components["schemas"]["ReadingEffect"];
            /** @description How many roles and devices it would delete */
            deletes: {
                /** Format: int64 */
                roles: number;
                /** Format: int64 */
                devices: number;
            };
            /** @description The pairs of roles, in order; up to 1000, and only those of which the caller sees both roles */
            changes: {
                /** Format: int64 */
                actingRoleId: number;
                /** Format: int64 */
                roleId: number;
                gained: ("roleManagement" | "userManagement" | "viewManagement" | "deviceManagement" | "reportManagement" | "alarmManagement")[];
                lost: ("roleManagement" | "userManagement" | "viewManagement" | "deviceManagement" | "reportManagement" | "alarmManagement")[];
            }[];
            /**
             * Format: int64
             * @description How many pairs the caller does not see
             */
            hidden: number;
            /** @description Whether a list or a count stopped at its limit */
            truncated: boolean;
        };
        EndedAccess: {
            /** @description What was ended, or would be: memberships and keys by id, then role passwords by role */
            ended: components["schemas"]["EndedThing"][];
            /** @description The relations from and to these roles that the person or their keys made, and with `granted` those who have access by them; up to 100, of roles on which the caller has roleManagement. They stay: end them one by one */
            relations: components["schemas"]["RelationLeft"][];
            /** @description There may be more relations than those */
            moreRelations?: boolean;
            left: components["schemas"]["AccessLeft"];
            effect?: components["schemas"]["EndingEffect"];
        };
        EndedThing: {
            /** @enum {string} */
            kind: "membership" | "key" | "rolePassword";
            /**
             * Format: int64
             * @description The id of the membership or key
             */
            id?: number;
            /** Format: int64 */
            roleId: number;
            /**
             * Format: email
             * @description Of a membership: its user; null if the account is deleted
             */
            userEmail?: string | null;
            /** @description Of a membership that was deleted with its role: undoing that deletion will not bring it back */
            inTrash?: boolean;
            /** @description Of a key: its name */
            name?: string;
            rights: components["schemas"]["Rights"];
            /**
             * Format: date-time
             * @description When the membership or key would have ended by itself; absent if it would not
             */
            until?: string;
        };
        /** @description Only in the response of a dry run. */
        EndingEffect: {
            /** @description Send it as `If-Effect` to end exactly this */
            tag: string;
            /**
             * Format: int64
             * @description The revision at which this would be ended
             */
            revision: number;
        };
        ExplainedMembership: {
            /** Format: int64 */
            roleId: number;
            /** @description The name of the role */
            name: string;
            /**
             * Format: date-time
             * @description When the membership ends; absent if it does not
             */
            until?: string;
            rights?: components["schemas"]["Rights"];
            /**
             * @description What its role demands of the session; absent if nothing, and with `asOf`
             * @enum {string}
             */
            needs?: "none" | "required" | "phishing-resistant";
            /** @description The caller's own membership, which counts as absent: their session does not meet that */
            dormant?: boolean;
        };
        ExplainedRelation: {
            /** Format: int64 */
            managesId: number;
            /** Format: int64 */
            parentRoleId: number;
            /** Format: int64 */
            childRoleId: number;
            /** @description The name of the child role */
            name: string;
            /** @description The rights that the relation carries */
            rights: ("roleManagement" | "userManagement" | "viewManagement" | "deviceManagement" | "reportManagement" | "alarmManagement")[];
        };
        Explanation: {
            /** @description What a rights check says at this revision */
            allowed: boolean;
            /**
             * Format: int64
             * @description The revision that is explained
             */
            revision: number;
            /** @description Up to 10 ways on which the right gets from a membership to the role, shortest first */
            ways: components["schemas"]["Way"][];
            /** @description Up to 10 ways on which it is lost, fewest losses first */
            blocked: components["schemas"]["BlockedWay"][];
            /** @description On a denial, the least that has to be widened for the right to get through. Empty if nothing connects the memberships to the role */
            fix: (components["schemas"]["RelationToWiden"] | components["schemas"]["RoleToWiden"] | components["schemas"]["MembershipToWiden"] | components["schemas"]["HiddenPart"])[];
            /**
             * @description The right gets through in a session of the caller that meets this: step up
             * @enum {string}
             */
            stepUp?: "none" | "required" | "phishing-resistant";
            /** @description There are too many relations to follow: ways may be missing, and there is no `fix` */
            truncated: boolean;
        };
        Found: {
            /** @description Roles of which the caller is a member, directly or indirectly, in order of id */
            role: components["schemas"]["FoundRole"][];
            /** @description Members of roles whose members the caller manages, in order of id */
            person: components["schemas"]["FoundPerson"][];
            /** @description Devices that roles monitor now of which the caller is a member, in order of id */
            device: components["schemas"]["FoundDevice"][];
            /**
             * @description Whether hits contain the text anywhere, or begin with it: a text of one or two characters is found only at the beginning
             * @enum {string}
             */
            matched: "anywhere" | "beginning";
            /** @description For each kind the cursor of its next hits, or null if there are no more. A list may be short, or empty, although more follows */
            nextCursor: {
                role: string | null;
                person: string | null;
                device: string | null;
            };
        };
        FoundAuthenticationPolicy: {
            authenticationPolicy: components["schemas"]["AuthenticationPolicy"];
        };
        FoundDevice: {
            /**
             * Format: int64
             * @description Id of the device
             */
            id: number;
            nodeId: string;
            /** @description The property `name`, if it is a text; up to its first 256 characters */
            name?: string;
            /** @description The first three roles that monitor it now, of those that the caller sees */
            roles: components["schemas"]["NamedRole"][];
        };
        FoundPerson: {
            /**
             * Format: int64
             * @description Id of the account
             */
            userId: number;
            /** Format: email */
            userEmail: string;
            /** @description The first three roles that they are direct members of, of those whose members the caller manages */
            roles: components["schemas"]["NamedRole"][];
        };
        FoundRole: {
            /**
             * Format: int64
             * @description Id of the role
             */
            id: number;
            name: string;
            /** @description The first three roles that manage it, of those that the caller sees */
            parents: components["schemas"]["NamedRole"][];
        };
        Grant: {
            /** @enum {string} */
            kind: "membership" | "key" | "rolePassword" | "relation";
            /**
             * Format: int64
             * @description The id of the membership, key or relation
             */
            id?: number;
            /**
             * Format: int64
             * @description The role on which it was given; of a relation, the child
             */
            roleId: number;
            /**
             * Format: int64
             * @description Of a relation: the parent; null if the caller does not see it
             */
            parentRoleId?: number | null;
            /**
             * Format: email
             * @description Of a membership: its user; null if the account is deleted
             */
            userEmail?: string | null;
            /** @description Of a key: its name */
            name?: string;
            rights?: components["schemas"]["Rights"];
            /**
             * Format: date-time
             * @description When it ends by itself; absent if it does not
             */
            until?: string;
            /**
             * Format: date-time
             * @description Of a key or a password: when it was made or set; absent if that is not known
             */
            at?: string;
            /**
             * Format: int64
             * @description The role through which it was given: the oldest that allowed it. Null: the caller does not see it, or it is not on record
             */
            viaRoleId: number | null;
        };
        GrantList: {
            grant: components["schemas"]["Grant"][];
            /** @description The cursor of the next page, or null at the end */
            nextCursor: string | null;
            /**
             * Format: int64
             * @description Revision of the roles, relations and members that the page begins with
             */
            revision: number;
        };
        Health: {
            /** @constant */
            status: "ok";
        };
        /** @description In place of something that the caller does not see */
        HiddenPart: {
            hidden: boolean;
        };
        InvitedAgain: {
            /** @description False: the member has opened their account, so there is no mail */
            sent: boolean;
        };
        JsonWebKey: {
            /** @constant */
            kty: "OKP";
            /** @constant */
            crv: "Ed25519";
            x: string;
            kid: string;
            /** @constant */
            alg: "EdDSA";
            /** @constant */
            use: "sig";
        };
        JsonWebKeySet: {
            keys: components["schemas"]["JsonWebKey"][];
        };
        KeyActor: {
            /** @enum {string} */
            type: "key";
            /**
             * Format: int64
             * @description Id of the key
             */
            id: number;
            name: string | null;
            /**
             * Format: email
             * @description Null: keys have no address
             */
            email: string | null;
        };
        /** @description A device in a list. It is complete unless the request has `fields`, or the filter `ended`: then it has only its id, its nodeId, `userRights` and `periods`. */
        ListedDevice: {
            /** Format: int64 */
            id: number;
            /** @description Its id in another system. Absent without one, or if the caller may not update the device */
            externalId?: string;
            properties?: {
                nodeId?: string;
            } & {
                [key: string]: unknown;
            };
            /**
             * Format: date-time
             * @description Time of the last change of the properties or the external id, with milliseconds; later with each change
             */
            lastUpdate?: string;
            userRights?: components["schemas"]["DeviceRights"];
            /** @description Only with the filter `ended`: when the caller may read its telemetry, in order of time */
            periods?: {
                /**
                 * Format: date-time
                 * @description The beginning of the period in which the role monitors the device. Absent: no bound
                 */
                from?: string;
                /**
                 * Format: date-time
                 * @description Its end, which is not part of it. Absent: no bound
                 */
                until?: string;
            }[];
        };
        /** @description A manages relation: links a parent role to a child role and carries rights. */
        Manages: {
            /** Format: int64 */
            id: number;
            /** Format: int64 */
            parentRoleId: number;
            /** Format: int64 */
            childRoleId: number;
            roleManagement: boolean;
            userManagement: boolean;
            viewManagement: boolean;
            deviceManagement: boolean;
            reportManagement: boolean;
            alarmManagement: boolean;
        };
        ManagesList: {
            manages: components["schemas"]["Manages"][];
            /** @description With `limit` or `cursor`: the cursor of the next page, or null at the end */
            nextCursor?: string | null;
        };
        ManagesResponse: {
            manages: {
                /**
                 * Format: int64
                 * @description Null only in the response of a dry run that would create it
                 */
                id: number | null;
                /** Format: int64 */
                parentRoleId: number;
                /** Format: int64 */
                childRoleId: number;
                roleManagement: boolean;
                userManagement: boolean;
                viewManagement: boolean;
                deviceManagement: boolean;
                reportManagement: boolean;
                alarmManagement: boolean;
            };
            effect?: components["schemas"]["Effect"];
        };
        /** @description A membership: makes the user with this address a direct member of the role. */
        Member: {
            /** Format: int64 */
            id: number;
            /** Format: int64 */
            roleId: number;
            /**
             * Format: int64
             * @description In lists: the id of the user's account
             */
            userId?: number;
            /** Format: email */
            userEmail: string;
            /**
             * Format: date-time
             * @description When the membership ends by itself; absent if it does not
             */
            until?: string;
            rights?: components["schemas"]["Rights"];
            /** @description In lists: the user's id in another system, if an import made both the account and this membership, or if the membership is the caller's */
            externalId?: string;
            /**
             * Format: date-time
             * @description In lists, if the role demands a second factor, or will: the hour in which a session that made changes as this member last met that demand; null: none is on record since it was set or raised
             */
            lastMetAt?: string | null;
            /**
             * Format: date-time
             * @description In lists, while the invitation waits, because the user has never opened their account: when they were added; null if the log no longer has that. Otherwise absent
             */
            waitingSince?: string | null;
        };
        MemberList: {
            member: components["schemas"]["Member"][];
            /** @description With `limit` or `cursor`: the cursor of the next page, or null at the end */
            nextCursor?: string | null;
        };
        MemberResponse: {
            member: {
                /**
                 * Format: int64
                 * @description Null only in the response of a dry run that would create it
                 */
                id: number | null;
                /** Format: int64 */
                roleId: number;
                /**
                 * Format: int64
                 * @description In lists: the id of the user's account
                 */
                userId?: number;
                /** Format: email */
                userEmail: string;
                /**
                 * Format: date-time
                 * @description When the membership ends by itself; absent if it does not
                 */
                until?: string;
                rights?: components["schemas"]["Rights"];
                /** @description In lists: the user's id in another system, if an import made both the account and this membership, or if the membership is the caller's */
                externalId?: string;
                /**
                 * Format: date-time
                 * @description In lists, if the role demands a second factor, or will: the hour in which a session that made changes as this member last met that demand; null: none is on record since it was set or raised
                 */
                lastMetAt?: string | null;
                /**
                 * Format: date-time
                 * @description In lists, while the invitation waits, because the user has never opened their account: when they were added; null if the log no longer has that. Otherwise absent
                 */
                waitingSince?: string | null;
            };
            effect?: components["schemas"]["Effect"];
        };
        MembershipToWiden: {
            /**
             * Format: int64
             * @description A membership, or a key: its `rights`
             */
            memberId: number;
            /**
             * @description The right to add
             * @enum {string}
             */
            right: "roleManagement" | "userManagement" | "viewManagement" | "deviceManagement" | "reportManagement" | "alarmManagement";
            /** @description Whether the caller may add it */
            mayYou: boolean;
        };
        /** @description A monitors relation: links a role to a device that it monitors. */
        Monitors: {
            /** Format: int64 */
            id: number;
            /** Format: int64 */
            roleId: number;
            /** Format: int64 */
            deviceId: number;
            /**
             * Format: date-time
             * @description The beginning of the period in which the role monitors the device. Absent: no bound
             */
            from?: string;
            /**
             * Format: date-time
             * @description Its end, which is not part of it. Absent: no bound
             */
            until?: string;
            /** @description That of the device, if the relation has a period */
            nodeId?: string;
        };
        MonitorsList: {
            monitors: components["schemas"]["Monitors"][];
            /** @description With `limit` or `cursor`: the cursor of the next page, or null at the end */
            nextCursor?: string | null;
        };
        MonitorsResponse: {
            monitors: {
                /**
                 * Format: int64
                 * @description Null only in the response of a dry run that would create it
                 */
                id: number | null;
                /** Format: int64 */
                roleId: number;
                /** Format: int64 */
                deviceId: number;
                /**
                 * Format: date-time
                 * @description The beginning of the period in which the role monitors the device. Absent: no bound
                 */
                from?: string;
                /**
                 * Format: date-time
                 * @description Its end, which is not part of it. Absent: no bound
                 */
                until?: string;
            };
            effect?: components["schemas"]["Effect"];
        };
        NamedRole: {
            /**
             * Format: int64
             * @description Id of the role
             */
            id: number;
            name: string;
        };
        Neighbourhood: {
            /** @description The role, the roles above it that the caller sees, nearest first, and a page of its children in order of relation */
            role: components["schemas"]["Role"][];
            /** @description The relations that lead to these roles, from any that the caller sees, in order of id */
            manages: components["schemas"]["Manages"][];
            /** @description What is around each of these roles, in order of id; empty with `asOf` */
            summary: components["schemas"]["RoleSummary"][];
            /** @description Ids of those of these roles of which the caller is a direct member */
            memberOf: number[];
            person?: components["schemas"]["NeighbourhoodPerson"];
            /**
             * Format: int64
             * @description With `asOf`: the revision that it stands for
             */
            revision?: number;
            /** @description There may be more roles above, farther away */
            moreAbove: boolean;
            /** @description There may be more relations that lead to these roles */
            moreManages: boolean;
            /** @description The cursor of the next page of children, or null at the end */
            nextCursor: string | null;
        };
        NeighbourhoodPerson: {
            /** @description What the person has access to, of the roles in `mayAsk`, in order of role */
            access: components["schemas"]["RoleAccess"][];
            /** @description Ids of roles of which the person is a direct member: of those in `mayAsk`, and if the role itself is one, also of those above it */
            memberOf: number[];
            /** @description Ids of those of these roles about which the caller may ask what the person has access to */
            mayAsk: number[];
        };
        NewDevice: {
            /** @description `nodeId` and any other JSON values, returned as they were sent; at most 16384 bytes of UTF-8 and 8 levels of nesting */
            properties: {
                /** @description The identifier under which the device writes telemetry: unique, fixed once set, 1 to 128 characters, no control characters. It is stored without the blanks at its ends and in NFC */
                nodeId: string;
            } & {
                [key: string]: unknown;
            };
            /** @description The id of the device in another system, unique among the devices below the same root role: 1 to 128 characters, no control characters; null: none. It is stored without the blanks at its ends and in NFC. */
            externalId?: string | null;
            id?: unknown;
            lastUpdate?: unknown;
            userRights?: unknown;
        };
        OwnAccount: {
            /** Format: int64 */
            id: number;
            /** Format: email */
            email: string;
            /** @description Language of mails: en, nl, fr or de */
            language: string;
            /** Format: date-time */
            createdAt: string;
            /** @description Its id in the system that it was imported from. Absent without one */
            externalId?: string;
            /** @description The first 100 roles of which the user is a direct member in this session, by id */
            memberOf: {
                /** Format: int64 */
                roleId: number;
                name: string;
                rights: components["schemas"]["Rights"];
                /**
                 * Format: date-time
                 * @description When it ends by itself; absent if it does not
                 */
                until?: string;
            }[];
            /** @description The first 100 memberships that count as absent in this session, since their roles demand more than it has proved: step up */
            dormant: {
                /** Format: int64 */
                roleId: number;
                /** @enum {string} */
                needs: "none" | "required" | "phishing-resistant";
            }[];
            /** @description The first 100 memberships that will count as absent in a session like this */
            dormantFrom: {
                /** Format: int64 */
                roleId: number;
                /** @enum {string} */
                needs: "none" | "required" | "phishing-resistant";
                /** Format: date-time */
                from: string;
            }[];
        };
        OwnRoleKeyList: {
            key: components["schemas"]["RoleKey"][];
            /** @description The cursor of the next page, or null at the end */
            nextCursor: string | null;
        };
        Passkey: {
            /** Format: int64 */
            id: number;
            /** @description Id of the credential, in base64url */
            credentialId: string;
            name: string;
            /** Format: date-time */
            createdAt: string;
            /**
             * Format: date-time
             * @description Null if never
             */
            lastUsedAt: string | null;
            /** @description Whether its mailed link was opened, or was not needed */
            confirmed: boolean;
            /** @description Whether the user's other devices have it, too */
            synced: boolean;
            /** @description How browsers reach the authenticator */
            transports: ("ble" | "cable" | "hybrid" | "internal" | "nfc" | "smart-card" | "usb")[];
        };
        /** @description `PublicKeyCredential.toJSON()` of `navigator.credentials.get()` */
        PasskeyAssertion: {
            /** @description Id of the credential, in base64url */
            id: string;
            /** @description Id of the credential, in base64url */
            rawId: string;
            /** @constant */
            type: "public-key";
            clientExtensionResults: {
                [key: string]: unknown;
            };
            response: {
                clientDataJSON: string;
                authenticatorData: string;
                signature: string;
                userHandle?: string | null;
            } & {
                [key: string]: unknown;
            };
        } & {
            [key: string]: unknown;
        };
        /** @description `PublicKeyCredential.toJSON()` of `navigator.credentials.create()` */
        PasskeyCreation: {
            /** @description Id of the credential, in base64url */
            id: string;
            /** @description Id of the credential, in base64url */
            rawId: string;
            /** @constant */
            type: "public-key";
            clientExtensionResults: {
                [key: string]: unknown;
            };
            response: {
                clientDataJSON: string;
                attestationObject: string;
                transports?: string[];
            } & {
                [key: string]: unknown;
            };
        } & {
            [key: string]: unknown;
        };
        PasskeyCreationOptions: {
            /** @description For `PublicKeyCredential.parseCreationOptionsFromJSON()` */
            options: {
                /** @description Can be answered once, within 5 minutes, with the token that it was requested with */
                challenge: string;
                rp: {
                    id?: string;
                    name: string;
                };
                user: {
                    id: string;
                    name: string;
                    displayName: string;
                };
                excludeCredentials?: components["schemas"]["PasskeyDescriptor"][];
            } & {
                [key: string]: unknown;
            };
        };
        PasskeyDescriptor: {
            id: string;
            /** @constant */
            type: "public-key";
            transports?: string[];
        };
        PasskeyList: {
            passkey: components["schemas"]["Passkey"][];
            /** @description The account as authenticators know it, for `signalAllAcceptedCredentials` */
            userHandle: string | null;
        };
        PasskeyRequestOptions: {
            /** @description For `PublicKeyCredential.parseRequestOptionsFromJSON()` */
            options: {
                /** @description Can be answered once, within 5 minutes, with the token that it was requested with */
                challenge: string;
                rpId?: string;
                allowCredentials?: components["schemas"]["PasskeyDescriptor"][];
                userVerification?: string;
            } & {
                [key: string]: unknown;
            };
        };
        PersonAccess: {
            /**
             * Format: int64
             * @description Id of the person's account; absent for a key
             */
            userId?: number;
            /**
             * Format: email
             * @description Address of the person; null if the account is deleted, absent for a key
             */
            userEmail?: string | null;
            key?: components["schemas"]["AccessKey"];
            rights: components["schemas"]["Rights"];
            /** @description Whether they are a direct member of the role */
            direct: boolean;
            /** @description Up to 10 other roles that give the access, of those that the caller sees, by id */
            through: number[];
            /**
             * Format: int64
             * @description How many more roles give the access
             */
            hidden: number;
            /**
             * Format: date-time
             * @description When the access ends by itself; absent if it does not
             */
            until?: string;
        };
        Readiness: {
            ready: boolean;
            /** @description `database` and `schema`, which the service depends on; `points`, if recent points are carried over in time; and `telemetry` if points are kept in a separate file or engine */
            parts: {
                [key: string]: "ok" | "failed" | "unavailable";
            };
        };
        /** @description Who gains and loses the reading of devices, or of a part of their time: by acting role. It takes no right, only a membership of the monitoring role or of one above it */
        ReadingEffect: {
            roles: components["schemas"]["Difference"];
            people: components["schemas"]["Difference"];
            /** @description Of the acting roles that the caller sees, in order, up to how many devices they gain and lose by roles that the caller sees; up to 1000 */
            changes: {
                /** Format: int64 */
                actingRoleId: number;
                /** Format: int64 */
                gained: number;
                /** Format: int64 */
                lost: number;
            }[];
            /**
             * Format: int64
             * @description How many of these acting roles are not in `changes`
             */
            hidden: number;
        };
        RecoveryCodes: {
            /** @description Ten codes, each for one use, that are not shown again; empty if the account already has a set */
            recoveryCodes: string[];
        };
        RelationLeft: {
            /**
             * Format: int64
             * @description The id of the relation
             */
            id: number;
            /**
             * Format: int64
             * @description Null if the caller does not see it
             */
            parentRoleId: number | null;
            /** Format: int64 */
            childRoleId: number;
            rights: components["schemas"]["Rights"];
        };
        RelationToWiden: {
            /**
             * Format: int64
             * @description A relation
             */
            managesId: number;
            /**
             * @description The right to add
             * @enum {string}
             */
            right: "roleManagement" | "userManagement" | "viewManagement" | "deviceManagement" | "reportManagement" | "alarmManagement";
            /** @description Whether the caller may add it */
            mayYou: boolean;
        };
        RemovedMember: {
            /** @description The deleted roles and devices */
            deletedNodeIds: number[];
            /** @description The deleted relations and memberships */
            deletedRelationIds: number[];
            effect?: components["schemas"]["Effect"];
            /** @description The keys that the removed member made, of this role and roles below it, as far as the role that lets the caller remove the member manages their members, too; up to 100. They stay: delete those whose secret the member may know, or end all of them by `POST /v1/access/end`. Absent if there are none, and for users who remove themselves */
            keys?: components["schemas"]["StayingKey"][];
            /** @description There may be further keys: the removed member made more, in all roles together, than are scanned or named. List the keys of the roles that they managed. Absent if `keys` are all that the caller may see */
            moreKeys?: boolean;
            /** @description The removed member kept a root role that demands a second factor, and no other member who keeps it is on record for meeting that in the last 90 days: perhaps no member can act as its administrator then. Otherwise absent */
            lastAwake?: boolean;
        };
        Restored: {
            /** Format: int64 */
            roles: number;
            /** Format: int64 */
            devices: number;
            /**
             * Format: int64
             * @description Manages relations
             */
            relations: number;
            /**
             * Format: int64
             * @description Monitors relations
             */
            monitors: number;
            /**
             * Format: int64
             * @description Memberships of users
             */
            members: number;
        };
        /** @description The six management rights. A request must give all of them. */
        Rights: {
            roleManagement: boolean;
            userManagement: boolean;
            viewManagement: boolean;
            deviceManagement: boolean;
            reportManagement: boolean;
            alarmManagement: boolean;
        };
        RightsCheckResult: {
            allowed: boolean[];
            /**
             * Format: int64
             * @description With `asOf`: the revision that it stands for
             */
            revision?: number;
        };
        Role: {
            /** Format: int64 */
            id: number;
            name: string;
            /** @description Its id in another system. Absent without one, or if the caller may not update the role */
            externalId?: string;
            selfRights: components["schemas"]["Rights"];
            userRights: components["schemas"]["UserRights"];
        };
        RoleAccess: {
            /** Format: int64 */
            roleId: number;
            name: string;
            rights: components["schemas"]["Rights"];
            /** @description Whether they are a direct member of the role */
            direct: boolean;
            /**
             * Format: date-time
             * @description When the access ends by itself; absent if it does not
             */
            until?: string;
        };
        /** @description A key: makes a program a member of the role. */
        RoleKey: {
            /** Format: int64 */
            id: number;
            /** Format: int64 */
            roleId: number;
            name: string;
            /** @description The start of its secret */
            prefix: string;
            rights: components["schemas"]["Rights"];
            /** @description Whether it may also ask about the access of others, and read the log */
            asks: boolean;
            /** @description Whether it may add members, within what its maker could */
            provisions: boolean;
            /** Format: date-time */
            expiresAt: string;
            /**
             * Format: date-time
             * @description When it was made, or adopted
             */
            createdAt: string;
            /**
             * Format: email
             * @description Who made or adopted it; null if the account is deleted, an administrator made the key, or the caller does not see the role through which it was made
             */
            createdBy: string | null;
            /**
             * Format: date-time
             * @description The hour in which it was last used; null if it never was
             */
            lastUsedAt: string | null;
            /** @description In a list of a role's keys: the `rights` of the key that now work on no role that it reaches, as in the response to its making. Absent if all work, or if the role has more than 200 children */
            ineffective?: ("roleManagement" | "userManagement" | "viewManagement" | "deviceManagement" | "reportManagement" | "alarmManagement")[];
        };
        RoleKeyList: {
            key: components["schemas"]["RoleKey"][];
            /** @description With `limit` or `cursor`: the cursor of the next page, or null at the end */
            nextCursor?: string | null;
        };
        RoleList: {
            role: components["schemas"]["Role"][];
            /** @description With `limit` or `cursor`: the cursor of the next page, or null at the end */
            nextCursor?: string | null;
        };
        RolePassword: {
            /** @description Whether the role has a password */
            set: boolean;
            /** @description Rights that the password was set with; null without a password */
            rights: components["schemas"]["Rights"] | null;
            /**
             * Format: int64
             * @description Id of the user who set it; null without a password, or if it was voided
             */
            setBy: number | null;
            /**
             * Format: date-time
             * @description When it was set; null without a password, or if that is not known
             */
            setAt: string | null;
            /** @description Whether the password is valid. It then carries those of its `rights` that `setBy` could give now */
            works: boolean;
        };
        RoleResponse: {
            role: components["schemas"]["Role"];
            effect?: components["schemas"]["Effect"];
        };
        RoleSummary: {
            /** Format: int64 */
            id: number;
            /**
             * Format: int64
             * @description Roles that manage it, of those that the caller sees
             */
            parents: number;
            /**
             * Format: int64
             * @description Roles that it manages
             */
            children: number;
            /**
             * Format: int64
             * @description Roles below it
             */
            descendants: number;
        };
        RoleSummaryList: {
            summary: components["schemas"]["RoleSummary"][];
        };
        RoleToWiden: {
            /**
             * Format: int64
             * @description The role: its `selfRights`
             */
            roleId: number;
            /**
             * @description The right to add
             * @enum {string}
             */
            right: "roleManagement" | "userManagement" | "viewManagement" | "deviceManagement" | "reportManagement" | "alarmManagement";
            /** @description Whether the caller may add it */
            mayYou: boolean;
        };
        RoleUsage: {
            /**
             * @description Whether the figures are those of the whole root role, or those of the caller, who acts below it
             * @enum {string}
             */
            of: "root" | "caller";
            roles: components["schemas"]["Share"];
            devices: components["schemas"]["Share"];
            changes: components["schemas"]["Share"];
        };
        SecondFactors: {
            /** @description Whether a login needs a second factor */
            enabled: boolean;
            passkey?: {
                /** Format: date-time */
                completedAt: string;
            };
            emailOtp?: {
                /**
                 * Format: email
                 * @description The address that codes are sent to; masked for a partial token
                 */
                email: string;
                /** Format: date-time */
                completedAt: string;
            };
            totp?: {
                /** Format: date-time */
                completedAt: string;
                /** @description Whether its mailed link was opened, or was not needed */
                confirmed: boolean;
            };
            recoveryCodes?: {
                /** Format: date-time */
                completedAt: string;
                /**
                 * Format: int64
                 * @description Number of unused codes
                 */
                remaining: number;
            };
        };
        SecurityEvent: {
            /** Format: int64 */
            id: number;
            /** Format: date-time */
            at: string;
            /** @description What was attempted, such as `login` */
            event: string;
            /** @description `ok`, or the reason for the refusal */
            result: string;
            /**
             * Format: int64
             * @description Attempts that the entry stands for: equal refusals within a minute share one entry
             */
            attempts: number;
            sessionId: string | null;
            /** @description IP address of the client */
            address: string | null;
        };
        SecurityLog: {
            event: components["schemas"]["SecurityEvent"][];
            /** @description The cursor of the next page, or null at the end */
            nextCursor: string | null;
        };
        Session: {
            id: string;
            /** Format: date-time */
            createdAt: string;
            /**
             * Format: date-time
             * @description When its latest token was issued
             */
            lastTokenAt: string;
            /** @description `User-Agent` of the client that logged in */
            client: string;
            /** @description Whether this request belongs to the session */
            current: boolean;
        };
        SessionList: {
            session: components["schemas"]["Session"][];
            /** @description With `limit` or `cursor`: the cursor of the next page, or null at the end */
            nextCursor?: string | null;
        };
        SetAuthenticationPolicy: {
            authenticationPolicy: components["schemas"]["AuthenticationPolicy"];
            /** @description In the response of a dry run, for a caller who reads the role's members: the members other than the caller for whom no session is on record that met the role's demand, or the planned one, while it acted in this role. Nothing is recorded before a demand is set or planned, so all members count for a higher one */
            unmet?: {
                /** Format: int64 */
                count: number;
                /** @description The first 20; none for a demand above that which the role has or plans */
                named: string[];
            };
            effect?: components["schemas"]["Effect"];
        };
        Share: {
            /** Format: int64 */
            used: number;
            /**
             * Format: int64
             * @description The maximum; changes beyond it are refused
             */
            allowed: number;
        };
        ShortenedMonitors: {
            /**
             * Format: int64
             * @description The id of the monitors relation
             */
            id: number;
            /** Format: int64 */
            roleId: number;
            /** Format: int64 */
            deviceId: number;
            /**
             * Format: date-time
             * @description The time of the deletion, up to which the relation returns; absent if nothing from before returns
             */
            until?: string;
            /**
             * @description `interrupted`: it also goes on from the restoration to its end, and only the time between is left out. Otherwise it does not go on: `ended`, its end has passed since; `unmanaged`, the caller could not make it now by a role that has monitored the device since before the deletion, for example since the device was transferred; `full`, the device has too many relations, so that nothing of it returns; `deleted`, the device lies in the trash itself, or is gone, so that nothing returns
             * @enum {string}
             */
            reason: "interrupted" | "ended" | "unmanaged" | "full" | "deleted";
        };
        SignedIn: {
            /** @description The first one of the session */
            refreshToken: string;
            /** @description Address of the account, which may not be whom the link reached */
            userEmail: string;
        };
        StayingKey: {
            /** Format: int64 */
            id: number;
            /**
             * Format: int64
             * @description The role of the key
             */
            roleId: number;
            /** @description The name of the key */
            name: string;
        };
        SudoToken: {
            sudoToken: string;
        };
        TelemetryPoint: {
            measurement: string;
            /** @description In the same form as in queries; by default the time of the request */
            time?: number | string;
            /** @description Up to 32 tags, 4096 characters in all names and values together. `nodeId` names the device */
            tags: {
                nodeId: string;
            } & {
                [key: string]: string;
            };
            /** @description 1 to 256 fields; a string has at most 4096 bytes of UTF-8. A field cannot be named `time` or like a tag of its point */
            fields: {
                [key: string]: number | boolean | string;
            };
        };
        TelemetryQuery: {
            /** @description Either fields or functions, not both; each column once */
            select: (string | {
                field: string;
                /** @enum {string} */
                function: "sum" | "min" | "max" | "mean" | "count" | "first" | "last";
            })[];
            from: {
                measurement: string;
                database: string;
                /** @description `autogen` by default */
                retentionPolicy?: string;
            } | {
                measurement: string;
                namespace: {
                    /** @constant */
                    version: "1";
                    database: string;
                    /** @description `autogen` by default */
                    retentionPolicy?: string;
                } | {
                    /** @constant */
                    version: "2";
                    /** @description Accepted and ignored */
                    organization: string;
                    /** @description `database/retentionPolicy` (split at the last slash), or `database` alone */
                    bucket: string;
                } | {
                    /** @constant */
                    version: "IOx";
                    /** @description A database, whose default retention policy is read */
                    value: string;
                };
            };
            where: {
                /** @description Conditions that must all hold; by default there is no bound */
                time?: {
                    /** @enum {string} */
                    operator: "<" | "<=" | ">" | ">=" | "=";
                    /** @description Milliseconds since 1970, or ISO 8601 with `Z` or an offset and up to 9 fractional digits of a second. A date alone means midnight UTC */
                    value: number | string;
                }[];
                /** @description Up to 32 tags, 4096 characters in all names and values together. `nodeId` names the device */
                tags: {
                    nodeId: string;
                } & {
                    [key: string]: string;
                };
            };
            /** @description Groups rows into time windows, aligned to 1970-01-01 UTC; only with functions. Empty windows are left out */
            groupBy?: {
                time: string;
            };
            /**
             * @description Order by time; `ASC` by default
             * @enum {string}
             */
            orderBy?: "ASC" | "DESC";
            /**
             * Format: int64
             * @description Maximum number of rows per series
             */
            limit?: number;
        };
        TelemetryResult: {
            /**
             * Format: int64
             * @description Index of the query in the request
             */
            statement_id: number;
            /** @description One series per tag set; absent if there is no data */
            series?: {
                /** @description The measurement */
                name: string;
                tags: {
                    [key: string]: string;
                };
                /** @description `time`, then the columns of `select` */
                columns: string[];
                /** @description Rows; times are in ISO 8601, UTC */
                values: (string | number | boolean | null)[][];
            }[];
            /** @description Present if the caller may read only parts of the query's range, which were read: those in which roles that they reach monitor the device */
            clipped?: boolean;
            /** @description `Unauthorized` if the device does not exist, or the caller may not read it in any part of the range, `SECOND_FACTOR_REQUIRED` if they may after a step-up, or `Invalid format: …` */
            error?: string;
        };
        TokenUser: {
            /** Format: int64 */
            userId: number;
        };
        TotpSetup: {
            /** @description An `otpauth:` URL, which contains the secret */
            url: string;
            /** @description The same as a QR code: an SVG picture. Null if the URL is too long for one */
            qrCode: string | null;
        };
        Transfer: {
            monitors: {
                /**
                 * Format: int64
                 * @description Null only in the response of a dry run that would create it
                 */
                id: number | null;
                /** Format: int64 */
                roleId: number;
                /** Format: int64 */
                deviceId: number;
                /**
                 * Format: date-time
                 * @description The beginning of the period in which the role monitors the device. Absent: no bound
                 */
                from?: string;
                /**
                 * Format: date-time
                 * @description Its end, which is not part of it. Absent: no bound
                 */
                until?: string;
            };
            effect?: components["schemas"]["Effect"];
            /** @description The relations that end with the transfer */
            endedRelationIds: number[];
            /** @description Deleted relations, which were to come */
            deletedRelationIds: number[];
        };
        Transfers: {
            /** @description The relation of each device, in the order of the request */
            monitors: {
                /**
                 * Format: int64
                 * @description Null only in the response of a dry run that would create it
                 */
                id: number | null;
                /** Format: int64 */
                roleId: number;
                /** Format: int64 */
                deviceId: number;
                /**
                 * Format: date-time
                 * @description The beginning of the period in which the role monitors the device. Absent: no bound
                 */
                from?: string;
                /**
                 * Format: date-time
                 * @description Its end, which is not part of it. Absent: no bound
                 */
                until?: string;
            }[];
            /** @description The relations that end with the transfer */
            endedRelationIds: number[];
            /** @description Deleted relations, which were to come */
            deletedRelationIds: number[];
            effect?: components["schemas"]["Effect"];
        };
        Undone: {
            /**
             * Format: int64
             * @description The revision of the change to undo
             */
            undoes: number;
            restored?: components["schemas"]["Restored"];
            leftOut?: components["schemas"]["Restored"];
            /** @description The first 100 monitors relations to devices that this change did not delete which do not return whole, and why. `restored` counts those that go on, `leftOut` the others, even if their past returns. Absent if there are none */
            shortened?: components["schemas"]["ShortenedMonitors"][];
            effect?: components["schemas"]["Effect"];
        };
        UserActor: {
            /** @enum {string} */
            type: "user";
            /**
             * Format: int64
             * @description The id of the account, which stays when the account is erased
             */
            id: number;
            /** Format: email */
            email: string | null;
            /** @description The account no longer exists */
            erased?: boolean;
        };
        /** @description The caller's effective rights on the role; only those that the request names, if it names any. */
        UserRights: {
            roleManagement?: boolean;
            userManagement?: boolean;
            viewManagement?: boolean;
            deviceManagement?: boolean;
            reportManagement?: boolean;
            alarmManagement?: boolean;
        };
        Wait: {
            /**
             * Format: int64
             * @description Whole seconds; 0 means now
             */
            duration: number;
        };
        Way: {
            /** @description The membership that the way begins with */
            memberOf: components["schemas"]["ExplainedMembership"] | components["schemas"]["HiddenPart"];
            /** @description From the role of the membership down; empty if the role's `selfRights` count */
            relations: (components["schemas"]["ExplainedRelation"] | components["schemas"]["HiddenPart"])[];
        };
    };
    responses: never;
    parameters: never;
    requestBodies: never;
    headers: {
        /** @description Revision of the roles, relations, members and devices: after this change, or as it was read. It never decreases. Without `limit`, that of the first page. */
        Revision: number;
    };
    pathItems: never;
}
export type $defs = Record<string, never>;
export interface operations {
    getAuthzenConfiguration: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "policy_decision_point": "https://rolegrid.example.com",
                     *       "access_evaluation_endpoint": "https://rolegrid.example.com/access/v1/evaluation",
                     *       "access_evaluations_endpoint": "https://rolegrid.example.com/access/v1/evaluations",
                     *       "search_subject_endpoint": "https://rolegrid.example.com/access/v1/search/subject",
                     *       "search_resource_endpoint": "https://rolegrid.example.com/access/v1/search/resource",
                     *       "search_action_endpoint": "https://rolegrid.example.com/access/v1/search/action"
                     *     }
                     */
                    "application/json": components["schemas"]["AuthzenConfiguration"];
                };
            };
            /** @description Bad Request: `Missing or misformatted query parameter or body` */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
            /** @description Internal Server Error: `Internal server error` */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
            /** @description Service Unavailable: `The service is temporarily unavailable, try again later` */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
        };
    };
    getJwks: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "keys": [
                     *         {
                     *           "kty": "OKP",
                     *           "crv": "Ed25519",
                     *           "x": "11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo",
                     *           "kid": "kPrK_qmxVWaYVA9wwBF6Iuo3vVzz7TxHCTwXBygrS4k",
                     *           "alg": "EdDSA",
                     *           "use": "sig"
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["JsonWebKeySet"];
                };
            };
            /** @description Bad Request: `Missing or misformatted query parameter or body` */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
            /** @description Internal Server Error: `Internal server error` */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
            /** @description Service Unavailable: `The service is temporarily unavailable, try again later` */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
        };
    };
    evaluate: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "subject": {
                 *         "type": "user",
                 *         "id": "ada@example.com"
                 *       },
                 *       "action": {
                 *         "name": "roleManagement"
                 *       },
                 *       "resource": {
                 *         "type": "role",
                 *         "id": "1017"
                 *       }
                 *     }
                 */
                "application/json": components["schemas"]["AuthzenEvaluation"];
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "X-Rolegrid-Revision": components["headers"]["Revision"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "decision": true,
                     *       "context": {
                     *         "revision": 8150
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["AuthzenDecision"];
                };
            };
            /** @description Bad Request: `Missing or misformatted query parameter or body` */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
            /** @description Unauthorized: `NO_TOKEN_PROVIDED`, `Failed to verify token` */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
            /** @description Request Timeout: `The request body did not arrive in time` */
            408: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
            /** @description Payload Too Large: `The request body is too large` */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
            /** @description Unsupported Media Type: `The request body must be sent as application/json, without compression` */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
            /** @description Unprocessable Entity: `The evaluations cost too much together: send fewer` */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
            /** @description Internal Server Error: `Internal server error` */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
            /** @description Service Unavailable: `The service is temporarily unavailable, try again later` */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
        };
    };
    evaluateList: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "subject": {
                 *         "type": "user",
                 *         "id": "ada@example.com"
                 *       },
                 *       "evaluations": [
                 *         {
                 *           "action": {
                 *             "name": "member"
                 *           },
                 *           "resource": {
                 *             "type": "role",
                 *             "id": "1017"
                 *           }
                 *         },
                 *         {
                 *           "action": {
                 *             "name": "write"
                 *           },
                 *           "resource": {
                 *             "type": "device",
                 *             "id": "house-meter-1"
                 *           }
                 *         }
                 *       ]
                 *     }
                 */
                "application/json": components["schemas"]["AuthzenEvaluations"];
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "X-Rolegrid-Revision": components["headers"]["Revision"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "evaluations": [
                     *         {
                     *           "decision": true,
                     *           "context": {
                     *             "revision": 8150
                     *           }
                     *         },
                     *         {
                     *           "decision": true,
                     *           "context": {
                     *             "revision": 8150
                     *           }
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["AuthzenDecision"] | components["schemas"]["AuthzenDecisions"];
                };
            };
            /** @description Bad Request: `Missing or misformatted query parameter or body` */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
            /** @description Unauthorized: `NO_TOKEN_PROVIDED`, `Failed to verify token` */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
            /** @description Request Timeout: `The request body did not arrive in time` */
            408: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
            /** @description Payload Too Large: `The request body is too large` */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
            /** @description Unsupported Media Type: `The request body must be sent as application/json, without compression` */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
            /** @description Unprocessable Entity: `The evaluations cost too much together: send fewer` */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
            /** @description Too Many Requests: `The rate limit of evaluations is reached` */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
            /** @description Internal Server Error: `Internal server error` */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
            /** @description Service Unavailable: `The service is temporarily unavailable, try again later` */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
        };
    };
    forwardAuth: {
        parameters: {
            query: {
                /**
                 * @description A right, `member`, or an action on a device
                 * @example viewManagement
                 */
                right: string;
                /**
                 * @description Id of the role
                 * @example 1017
                 */
                roleId?: number;
                /** @description Id of the device */
                deviceId?: number;
                /** @description nodeId of the device */
                nodeId?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "X-Rolegrid-Revision": components["headers"]["Revision"];
                    /** @description The caller: `user:` or `key:` and the id */
                    "X-Rolegrid-Subject"?: string;
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Unauthorized: `SECOND_FACTOR_REQUIRED`, `NO_TOKEN_PROVIDED`, `Failed to verify token` */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Forbidden: `User does not have sufficient rights` */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Internal Server Error: `Internal server error` */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Service Unavailable: `The service is temporarily unavailable, try again later` */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    searchActions: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "subject": {
                 *         "type": "user",
                 *         "id": "ada@example.com"
                 *       },
                 *       "resource": {
                 *         "type": "device",
                 *         "id": "house-meter-1"
                 *       }
                 *     }
                 */
                "application/json": components["schemas"]["AuthzenActionSearch"];
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "X-Rolegrid-Revision": components["headers"]["Revision"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "page": {
                     *         "next_token": "",
                     *         "count": 3
                     *       },
                     *       "context": {
                     *         "revision": 8150
                     *       },
                     *       "results": [
                     *         {
                     *           "name": "read"
                     *         },
                     *         {
                     *           "name": "write"
                     *         },
                     *         {
                     *           "name": "manage"
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["AuthzenActions"];
                };
            };
            /** @description Bad Request: `Missing or misformatted query parameter or body` */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
            /** @description Unauthorized: `NO_TOKEN_PROVIDED`, `Failed to verify token` */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
            /** @description Request Timeout: `The request body did not arrive in time` */
            408: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
            /** @description Payload Too Large: `The request body is too large` */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
            /** @description Unsupported Media Type: `The request body must be sent as application/json, without compression` */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
            /** @description Unprocessable Entity: `The evaluations cost too much together: send fewer` */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
            /** @description Internal Server Error: `Internal server error` */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
            /** @description Service Unavailable: `The service is temporarily unavailable, try again later` */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
        };
    };
    searchResources: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "subject": {
                 *         "type": "user",
                 *         "id": "ada@example.com"
                 *       },
                 *       "action": {
                 *         "name": "write"
                 *       },
                 *       "resource": {
                 *         "type": "device"
                 *       }
                 *     }
                 */
                "application/json": components["schemas"]["AuthzenResourceSearch"];
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "X-Rolegrid-Revision": components["headers"]["Revision"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "page": {
                     *         "next_token": "",
                     *         "count": 1
                     *       },
                     *       "context": {
                     *         "revision": 8150
                     *       },
                     *       "results": [
                     *         {
                     *           "type": "device",
                     *           "id": "1107"
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["AuthzenResources"];
                };
            };
            /** @description Bad Request: `Missing or misformatted query parameter or body` */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
            /** @description Unauthorized: `NO_TOKEN_PROVIDED`, `Failed to verify token` */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
            /** @description Request Timeout: `The request body did not arrive in time` */
            408: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
            /** @description Payload Too Large: `The request body is too large` */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
            /** @description Unsupported Media Type: `The request body must be sent as application/json, without compression` */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
            /** @description Internal Server Error: `Internal server error` */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
            /** @description Service Unavailable: `The service is temporarily unavailable, try again later` */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
        };
    };
    searchSubjects: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "subject": {
                 *         "type": "user"
                 *       },
                 *       "action": {
                 *         "name": "read"
                 *       },
                 *       "resource": {
                 *         "type": "device",
                 *         "id": "house-meter-1"
                 *       },
                 *       "page": {
                 *         "limit": 10
                 *       }
                 *     }
                 */
                "application/json": components["schemas"]["AuthzenSubjectSearch"];
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "X-Rolegrid-Revision": components["headers"]["Revision"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "page": {
                     *         "next_token": "",
                     *         "count": 1
                     *       },
                     *       "context": {
                     *         "revision": 8150
                     *       },
                     *       "results": [
                     *         {
                     *           "type": "user",
                     *           "id": "4021"
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["AuthzenSubjects"];
                };
            };
            /** @description Bad Request: `Missing or misformatted query parameter or body` */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
            /** @description Unauthorized: `NO_TOKEN_PROVIDED`, `Failed to verify token` */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
            /** @description Request Timeout: `The request body did not arrive in time` */
            408: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
            /** @description Payload Too Large: `The request body is too large` */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
            /** @description Unsupported Media Type: `The request body must be sent as application/json, without compression` */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
            /** @description Internal Server Error: `Internal server error` */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
            /** @description Service Unavailable: `The service is temporarily unavailable, try again later` */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
        };
    };
    getAccessTokenAlias: {
        parameters: {
            query?: {
                /** @description The service that the token is for, one of `AUDIENCES`; by default this one */
                audience?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /** @example eyJhbGciOiJFZERTQSIsInR5cCI6ImF0K2p3dCJ9.eyJzdWIiOiI0MDIxIn0.c2lnbmF0dXJl */
                    "text/plain": string;
                };
            };
            /** @description Bad Request: `Missing or misformatted query parameter or body` */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
            /** @description Unauthorized: `NO_TOKEN_PROVIDED`, `Failed to verify token` */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
            /** @description Internal Server Error: `Internal server error` */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
            /** @description Service Unavailable: `The service is temporarily unavailable, try again later` */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
        };
    };
    getAccessToken: {
        parameters: {
            query?: {
                /** @description The service that the token is for, one of `AUDIENCES`; by default this one */
                audience?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /** @example eyJhbGciOiJFZERTQSIsInR5cCI6ImF0K2p3dCJ9.eyJzdWIiOiI0MDIxIn0.c2lnbmF0dXJl */
                    "text/plain": string;
                };
            };
            /** @description Bad Request: `Missing or misformatted query parameter or body` */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
            /** @description Unauthorized: `NO_TOKEN_PROVIDED`, `Failed to verify token` */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
            /** @description Internal Server Error: `Internal server error` */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
            /** @description Service Unavailable: `The service is temporarily unavailable, try again later` */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
        };
    };
    validateAccessToken: {
        parameters: {
            query?: {
                /** @description The service that the token is for, one of `AUDIENCES`; by default this one */
                audience?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "userId": 4021
                     *     }
                     */
                    "application/json": components["schemas"]["TokenUser"];
                };
            };
            /** @description Bad Request: `Missing or misformatted query parameter or body` */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
            /** @description Unauthorized: `NO_TOKEN_PROVIDED`, `Failed to verify token` */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
            /** @description Internal Server Error: `Internal server error` */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
            /** @description Service Unavailable: `The service is temporarily unavailable, try again later` */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
        };
    };
    login: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "username": "ada@example.com",
                 *       "password": "the example's own password"
                 *     }
                 */
                "application/json": {
                    /**
                     * Format: email
                     * @description Email address of the account
                     */
                    username: string;
                    /** @description At most 256 characters */
                    password: string;
                };
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /** @example ZXhhbXBsZS1vZi1hLXNlc3Npb24.1.ZXhhbXBsZS1vZi1hLXRva2Vu */
                    "text/plain": string;
                };
            };
            /** @description Bad Request: `Missing or misformatted query parameter or body` */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
            /** @description Unauthorized: `PASSWORD_INCORRECT`, `2FA_REQUIRED` */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
            /** @description Request Timeout: `The request body did not arrive in time` */
            408: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
            /** @description Payload Too Large: `The request body is too large` */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
            /** @description Unsupported Media Type: `The request body must be sent as application/json, without compression` */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
            /** @description Too Many Requests: `TOO_MANY_FAILED_PASSWORD_CHECKS` */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
            /** @description Internal Server Error: `Internal server error` */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
            /** @description Service Unavailable: `The service is temporarily unavailable, try again later` */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
        };
    };
    logout: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success, without a body */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Bad Request: `Missing or misformatted query parameter or body` */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
            /** @description Unauthorized: `NO_TOKEN_PROVIDED`, `Failed to verify token` */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
            /** @description Internal Server Error: `Internal server error` */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
            /** @description Service Unavailable: `The service is temporarily unavailable, try again later` */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
        };
    };
    challengePasskeyLogin: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: {
            content: {
                /** @example {} */
                "application/json": Record<string, never>;
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "options": {
                     *         "challenge": "ZXhhbXBsZS1vZi1hLXNlYWxlZC1jaGFsbGVuZ2U",
                     *         "rpId": "rolegrid.example.com",
                     *         "timeout": 300000,
                     *         "userVerification": "required"
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["PasskeyRequestOptions"];
                };
            };
            /** @description Bad Request: `Missing or misformatted query parameter or body` */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
            /** @description Request Timeout: `The request body did not arrive in time` */
            408: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
            /** @description Payload Too Large: `The request body is too large` */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
            /** @description Unsupported Media Type: `The request body must be sent as application/json, without compression` */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
            /** @description Internal Server Error: `Internal server error` */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
            /** @description Service Unavailable: `The service is temporarily unavailable, try again later` */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
        };
    };
    loginWithPasskey: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "response": {
                 *         "id": "ZXhhbXBsZS1vZi1hbi1pZA",
                 *         "rawId": "ZXhhbXBsZS1vZi1hbi1pZA",
                 *         "type": "public-key",
                 *         "clientExtensionResults": {},
                 *         "response": {
                 *           "clientDataJSON": "eyJ0eXBlIjoid2ViYXV0aG4uZ2V0IiwiIjoiIn0",
                 *           "authenticatorData": "ZGF0YS1vZi1hLWxvZ2lu",
                 *           "signature": "c2lnbmF0dXJlLW9mLWEtbG9naW4",
                 *           "userHandle": "ZXhhbXBsZSBvZiAzMiByYW5kb20gYnl0ZXMgYXMgaGE"
                 *         }
                 *       }
                 *     }
                 */
                "application/json": {
                    response: components["schemas"]["PasskeyAssertion"];
                };
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /** @example ZXhhbXBsZS1vZi1hLXNlc3Npb24.1.ZXhhbXBsZS1vZi1hLXRva2Vu */
                    "text/plain": string;
                };
            };
            /** @description Bad Request: `Missing or misformatted query parameter or body` */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
            /** @description Unauthorized: `PASSKEY_INVALID`, `PASSKEY_UNKNOWN` */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
            /** @description Request Timeout: `The request body did not arrive in time` */
            408: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
            /** @description Conflict: `PASSKEY_UNCONFIRMED` */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
            /** @description Payload Too Large: `The request body is too large` */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
            /** @description Unsupported Media Type: `The request body must be sent as application/json, without compression` */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
            /** @description Too Many Requests: `TOO_MANY_PASSKEY_CHECKS` */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
            /** @description Internal Server Error: `Internal server error` */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
            /** @description Service Unavailable: `The service is temporarily unavailable, try again later` */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
        };
    };
    rotateRefreshToken: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /** @example ZXhhbXBsZS1vZi1hLXNlc3Npb24.1.ZXhhbXBsZS1vZi1hLXRva2Vu */
                    "text/plain": string;
                };
            };
            /** @description Bad Request: `Missing or misformatted query parameter or body` */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
            /** @description Unauthorized: `NO_TOKEN_PROVIDED`, `Failed to verify token` */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
            /** @description Internal Server Error: `Internal server error` */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
            /** @description Service Unavailable: `The service is temporarily unavailable, try again later` */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
        };
    };
    validateRefreshToken: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "userId": 4021
                     *     }
                     */
                    "application/json": components["schemas"]["TokenUser"];
                };
            };
            /** @description Bad Request: `Missing or misformatted query parameter or body` */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
            /** @description Unauthorized: `NO_TOKEN_PROVIDED`, `Failed to verify token` */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
            /** @description Internal Server Error: `Internal server error` */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
            /** @description Service Unavailable: `The service is temporarily unavailable, try again later` */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
        };
    };
    confirmFactorPage: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example <!doctype html>
                     *     <html lang="en">
                     *     …
                     *     </html>
                     */
                    "text/html": string;
                };
            };
            /** @description Internal Server Error: `Internal server error` */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
            /** @description Service Unavailable: `The service is temporarily unavailable, try again later` */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
        };
    };
    getDocs: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example <!doctype html>
                     *     <html lang="en">
                     *     …
                     *     </html>
                     */
                    "text/html": string;
                };
            };
            /** @description Internal Server Error: `Internal server error` */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
            /** @description Service Unavailable: `The service is temporarily unavailable, try again later` */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
        };
    };
    getHealth: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "status": "ok"
                     *     }
                     */
                    "application/json": components["schemas"]["Health"];
                };
            };
            /** @description Bad Request: `Missing or misformatted query parameter or body` */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
            /** @description Internal Server Error: `Internal server error` */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
            /** @description Service Unavailable: `The service is temporarily unavailable, try again later` */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
        };
    };
    getOpenApi: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "openapi": "3.1.0"
                     *     }
                     */
                    "application/json": {
                        openapi: string;
                    } & {
                        [key: string]: unknown;
                    };
                };
            };
            /** @description Bad Request: `Missing or misformatted query parameter or body` */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
            /** @description Internal Server Error: `Internal server error` */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
            /** @description Service Unavailable: `The service is temporarily unavailable, try again later` */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
        };
    };
    getReadiness: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "ready": true,
                     *       "parts": {
                     *         "database": "ok",
                     *         "schema": "ok"
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["Readiness"];
                };
            };
            /** @description Bad Request: `Missing or misformatted query parameter or body` */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
            /** @description Internal Server Error: `Internal server error` */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
            /** @description Service Unavailable: `The service is temporarily unavailable, try again later` */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
        };
    };
    resetPasswordPage: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example <!doctype html>
                     *     <html lang="en">
                     *     …
                     *     </html>
                     */
                    "text/html": string;
                };
            };
            /** @description Internal Server Error: `Internal server error` */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
            /** @description Service Unavailable: `The service is temporarily unavailable, try again later` */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
        };
    };
    undoEmailTransferPage: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example <!doctype html>
                     *     <html lang="en">
                     *     …
                     *     </html>
                     */
                    "text/html": string;
                };
            };
            /** @description Internal Server Error: `Internal server error` */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
            /** @description Service Unavailable: `The service is temporarily unavailable, try again later` */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
        };
    };
    getAccount: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": 4021,
                     *       "email": "ada@example.com",
                     *       "language": "en",
                     *       "createdAt": "2026-01-01T09:00:00.000Z",
                     *       "memberOf": [
                     *         {
                     *           "roleId": 1001,
                     *           "name": "Energy Inc",
                     *           "rights": {
                     *             "roleManagement": true,
                     *             "userManagement": true,
                     *             "viewManagement": true,
                     *             "deviceManagement": true,
                     *             "reportManagement": true,
                     *             "alarmManagement": true
                     *           }
                     *         }
                     *       ],
                     *       "dormant": [],
                     *       "dormantFrom": []
                     *     }
                     */
                    "application/json": components["schemas"]["OwnAccount"];
                };
            };
            /** @description Bad Request: `Missing or misformatted query parameter or body` */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
            /** @description Unauthorized: `NO_TOKEN_PROVIDED`, `Failed to verify token` */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
            /** @description Internal Server Error: `Internal server error` */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
            /** @description Service Unavailable: `The service is temporarily unavailable, try again later` */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
        };
    };
    updateAccount: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "language": "nl"
                 *     }
                 */
                "application/json": {
                    /** @description Language of mails: en, nl, fr or de; any other is stored as en */
                    language: string;
                    id?: unknown;
                    email?: unknown;
                    createdAt?: unknown;
                    externalId?: unknown;
                    memberOf?: unknown;
                    dormant?: unknown;
                    dormantFrom?: unknown;
                };
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": 4021,
                     *       "email": "ada@example.com",
                     *       "language": "nl",
                     *       "createdAt": "2026-01-01T09:00:00.000Z"
                     *     }
                     */
                    "application/json": components["schemas"]["Account"];
                };
            };
            /** @description Bad Request: `Missing or misformatted query parameter or body` */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
            /** @description Unauthorized: `NO_TOKEN_PROVIDED`, `Failed to verify token` */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
            /** @description Request Timeout: `The request body did not arrive in time` */
            408: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
            /** @description Payload Too Large: `The request body is too large` */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
            /** @description Unsupported Media Type: `The request body must be sent as application/json, without compression` */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
            /** @description Internal Server Error: `Internal server error` */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
            /** @description Service Unavailable: `The service is temporarily unavailable, try again later` */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
        };
    };
    deleteAccount: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /** @example null */
                    "application/json": null;
                };
            };
            /** @description Bad Request: `Missing or misformatted query parameter or body` */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
            /** @description Unauthorized: `SUDO_TOKEN_REQUIRED`, `NO_TOKEN_PROVIDED`, `Failed to verify token` */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
            /** @description Conflict: `The root role would be left without a member`, `TRANSFER_TOO_SOON` */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
            /** @description Internal Server Error: `Internal server error` */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
            /** @description Service Unavailable: `The service is temporarily unavailable, try again later` */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
        };
    };
    getSecondFactors: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "enabled": true,
                     *       "passkey": {
                     *         "completedAt": "2026-01-01T09:00:00.000Z"
                     *       },
                     *       "emailOtp": {
                     *         "email": "codes@example.com",
                     *         "completedAt": "2026-01-01T09:00:00.000Z"
                     *       },
                     *       "totp": {
                     *         "completedAt": "2026-01-01T09:00:00.000Z",
                     *         "confirmed": true
                     *       },
                     *       "recoveryCodes": {
                     *         "completedAt": "2026-01-01T09:00:00.000Z",
                     *         "remaining": 9
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["SecondFactors"];
                };
            };
            /** @description Bad Request: `Missing or misformatted query parameter or body` */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
            /** @description Unauthorized: `NO_TOKEN_PROVIDED`, `Failed to verify token` */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
            /** @description Internal Server Error: `Internal server error` */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
            /** @description Service Unavailable: `The service is temporarily unavailable, try again later` */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
        };
    };
    confirmFactor: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "token": "example-of-the-token-of-a-link-that-confirms"
                 *     }
                 */
                "application/json": {
                    /** @description The token in the mailed link */
                    token: string;
                };
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /** @example null */
                    "application/json": null;
                };
            };
            /** @description Bad Request: `Missing or misformatted query parameter or body` */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
            /** @description Unauthorized: `OTP_INVALID_EXPIRED` */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
            /** @description Request Timeout: `The request body did not arrive in time` */
            408: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
            /** @description Payload Too Large: `The request body is too large` */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
            /** @description Unsupported Media Type: `The request body must be sent as application/json, without compression` */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
            /** @description Internal Server Error: `Internal server error` */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
            /** @description Service Unavailable: `The service is temporarily unavailable, try again later` */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
        };
    };
    deactivateEmailOtp: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /** @example null */
                    "application/json": null;
                };
            };
            /** @description Bad Request: `Missing or misformatted query parameter or body` */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
            /** @description Unauthorized: `SUDO_TOKEN_REQUIRED`, `NO_TOKEN_PROVIDED`, `Failed to verify token` */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
            /** @description Conflict: `EMAIL_OTP_ALREADY_INACTIVE` */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
            /** @description Internal Server Error: `Internal server error` */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
            /** @description Service Unavailable: `The service is temporarily unavailable, try again later` */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
        };
    };
    proveEmailOtp: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "otp": "T4P8VZ"
                 *     }
                 */
                "application/json": {
                    /** @description The mailed code */
                    otp: string;
                };
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "sudoToken": "eyJhbGciOiJFZERTQSIsInR5cCI6InN1ZG8rand0In0.eyJzdWIiOiI0MDIxIn0.c2lnbmF0dXJl"
                     *     }
                     */
                    "application/json": components["schemas"]["ChallengeTokens"];
                };
            };
            /** @description Bad Request: `Missing or misformatted query parameter or body` */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
            /** @description Unauthorized: `OTP_INVALID_EXPIRED`, `NO_TOKEN_PROVIDED`, `Failed to verify token` */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
            /** @description Request Timeout: `The request body did not arrive in time` */
            408: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
            /** @description Conflict: `EMAIL_OTP_INACTIVE` */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
            /** @description Payload Too Large: `The request body is too large` */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
            /** @description Unsupported Media Type: `The request body must be sent as application/json, without compression` */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
            /** @description Too Many Requests: `TOO_MANY_EMAIL_OTP_CHECKS` */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
            /** @description Internal Server Error: `Internal server error` */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
            /** @description Service Unavailable: `The service is temporarily unavailable, try again later` */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
        };
    };
    sendEmailOtp: {
        parameters: {
            query?: {
                /** @description Name of the configured sender of the mail */
                origin?: string;
                /**
                 * @description Language of the mail: en, nl, fr or de (any other: en); default: that of the account
                 * @example nl
                 */
                language?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: {
            content: {
                /** @example {} */
                "application/json": Record<string, never>;
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /** @example null */
                    "application/json": null;
                };
            };
            /** @description Bad Request: `Missing or misformatted query parameter or body` */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
            /** @description Unauthorized: `NO_TOKEN_PROVIDED`, `Failed to verify token` */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
            /** @description Request Timeout: `The request body did not arrive in time` */
            408: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
            /** @description Conflict: `EMAIL_OTP_UNINITIALIZED` */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
            /** @description Payload Too Large: `The request body is too large` */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
            /** @description Unsupported Media Type: `The request body must be sent as application/json, without compression` */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
            /** @description Too Many Requests: `TOO_MANY_OTP_EMAILS` */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
            /** @description Internal Server Error: `Internal server error` */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
            /** @description Service Unavailable: `The service is temporarily unavailable, try again later` */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
        };
    };
    activateEmailOtp: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "otp": "T4P8VZ"
                 *     }
                 */
                "application/json": {
                    /** @description The mailed code */
                    otp: string;
                };
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "recoveryCodes": [
                     *         "7KQ2-M4XD-9RTB-W1ZH",
                     *         "0C5N-T8GW-K3JY-6QFP",
                     *         "V2HB-7XME-4DRA-90ST",
                     *         "QJ6K-1ZWC-8NPG-5TBY",
                     *         "M9RD-3AFX-H7VE-2KWQ",
                     *         "4TGS-J0PN-6CYB-X8DM",
                     *         "E7WV-Q5RK-1HZT-3NAF",
                     *         "8BXJ-M2CD-Y9GP-0RSE",
                     *         "K4ND-6VTH-5WQA-7FJZ",
                     *         "P1YG-9ESB-R3MX-C6TK"
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["RecoveryCodes"];
                };
            };
            /** @description Bad Request: `Missing or misformatted query parameter or body` */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
            /** @description Unauthorized: `OTP_INVALID_EXPIRED`, `NO_TOKEN_PROVIDED`, `Failed to verify token` */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
            /** @description Request Timeout: `The request body did not arrive in time` */
            408: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
            /** @description Conflict: `EMAIL_OTP_UNINITIALIZED` */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
            /** @description Payload Too Large: `The request body is too large` */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
            /** @description Unsupported Media Type: `The request body must be sent as application/json, without compression` */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
            /** @description Too Many Requests: `TOO_MANY_EMAIL_OTP_CHECKS` */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
            /** @description Internal Server Error: `Internal server error` */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
            /** @description Service Unavailable: `The service is temporarily unavailable, try again later` */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
        };
    };
    nextEmailOtp: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "duration": 0
                     *     }
                     */
                    "application/json": components["schemas"]["Wait"];
                };
            };
            /** @description Bad Request: `Missing or misformatted query parameter or body` */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
            /** @description Unauthorized: `NO_TOKEN_PROVIDED`, `Failed to verify token` */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
            /** @description Conflict: `EMAIL_OTP_UNINITIALIZED` */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
            /** @description Internal Server Error: `Internal server error` */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
            /** @description Service Unavailable: `The service is temporarily unavailable, try again later` */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
        };
    };
    setUpEmailOtp: {
        parameters: {
            query?: {
                /** @description Name of the configured sender of the mail */
                origin?: string;
                /**
                 * @description Language of the mail: en, nl, fr or de (any other: en); default: that of the account
                 * @example nl
                 */
                language?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "email": "codes@example.com"
                 *     }
                 */
                "application/json": {
                    /**
                     * Format: email
                     * @description The address to send codes to; case does not matter
                     */
                    email: string;
                };
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /** @example null */
                    "application/json": null;
                };
            };
            /** @description Bad Request: `Missing or misformatted query parameter or body` */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
            /** @description Unauthorized: `SUDO_TOKEN_REQUIRED`, `NO_TOKEN_PROVIDED`, `Failed to verify token` */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
            /** @description Request Timeout: `The request body did not arrive in time` */
            408: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
            /** @description Payload Too Large: `The request body is too large` */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
            /** @description Unsupported Media Type: `The request body must be sent as application/json, without compression` */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
            /** @description Too Many Requests: `TOO_MANY_OTP_EMAILS` */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
            /** @description Internal Server Error: `Internal server error` */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
            /** @description Service Unavailable: `The service is temporarily unavailable, try again later` */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
        };
    };
    listPasskeys: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "passkey": [
                     *         {
                     *           "id": 4109,
                     *           "credentialId": "ZXhhbXBsZS1vZi1hbi1pZA",
                     *           "name": "Laptop",
                     *           "createdAt": "2026-01-01T09:00:00.000Z",
                     *           "lastUsedAt": "2026-01-08T17:30:00.000Z",
                     *           "confirmed": true,
                     *           "synced": true,
                     *           "transports": [
                     *             "internal"
                     *           ]
                     *         }
                     *       ],
                     *       "userHandle": "ZXhhbXBsZSBvZiAzMiByYW5kb20gYnl0ZXMgYXMgaGE"
                     *     }
                     */
                    "application/json": components["schemas"]["PasskeyList"];
                };
            };
            /** @description Bad Request: `Missing or misformatted query parameter or body` */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
            /** @description Unauthorized: `NO_TOKEN_PROVIDED`, `Failed to verify token` */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
            /** @description Internal Server Error: `Internal server error` */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
            /** @description Service Unavailable: `The service is temporarily unavailable, try again later` */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
        };
    };
    provePasskey: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "response": {
                 *         "id": "ZXhhbXBsZS1vZi1hbi1pZA",
                 *         "rawId": "ZXhhbXBsZS1vZi1hbi1pZA",
                 *         "type": "public-key",
                 *         "clientExtensionResults": {},
                 *         "response": {
                 *           "clientDataJSON": "eyJ0eXBlIjoid2ViYXV0aG4uZ2V0In0",
                 *           "authenticatorData": "ZGF0YS1vZi1hLXByb29m",
                 *           "signature": "c2lnbmF0dXJlLW9mLWEtcHJvb2Y",
                 *           "userHandle": "ZXhhbXBsZSBvZiAzMiByYW5kb20gYnl0ZXMgYXMgaGE"
                 *         }
                 *       }
                 *     }
                 */
                "application/json": {
                    response: components["schemas"]["PasskeyAssertion"];
                };
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "sudoToken": "eyJhbGciOiJFZERTQSIsInR5cCI6InN1ZG8rand0In0.eyJzdWIiOiI0MDIxIn0.c2lnbmF0dXJl"
                     *     }
                     */
                    "application/json": components["schemas"]["ChallengeTokens"];
                };
            };
            /** @description Bad Request: `Missing or misformatted query parameter or body` */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
            /** @description Unauthorized: `PASSKEY_INVALID`, `NO_TOKEN_PROVIDED`, `Failed to verify token` */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
            /** @description Request Timeout: `The request body did not arrive in time` */
            408: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
            /** @description Conflict: `PASSKEY_UNINITIALIZED` */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
            /** @description Payload Too Large: `The request body is too large` */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
            /** @description Unsupported Media Type: `The request body must be sent as application/json, without compression` */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
            /** @description Too Many Requests: `TOO_MANY_PASSKEY_CHECKS` */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
            /** @description Internal Server Error: `Internal server error` */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
            /** @description Service Unavailable: `The service is temporarily unavailable, try again later` */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
        };
    };
    challengePasskey: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: {
            content: {
                /** @example {} */
                "application/json": Record<string, never>;
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "options": {
                     *         "challenge": "ZXhhbXBsZS1vZi1hLXNlYWxlZC1jaGFsbGVuZ2U",
                     *         "rpId": "rolegrid.example.com",
                     *         "timeout": 300000,
                     *         "allowCredentials": [
                     *           {
                     *             "id": "ZXhhbXBsZS1vZi1hbi1pZA",
                     *             "type": "public-key",
                     *             "transports": [
                     *               "internal"
                     *             ]
                     *           }
                     *         ],
                     *         "userVerification": "preferred"
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["PasskeyRequestOptions"];
                };
            };
            /** @description Bad Request: `Missing or misformatted query parameter or body` */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
            /** @description Unauthorized: `NO_TOKEN_PROVIDED`, `Failed to verify token` */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
            /** @description Request Timeout: `The request body did not arrive in time` */
            408: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
            /** @description Conflict: `PASSKEY_UNINITIALIZED` */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
            /** @description Payload Too Large: `The request body is too large` */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
            /** @description Unsupported Media Type: `The request body must be sent as application/json, without compression` */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
            /** @description Internal Server Error: `Internal server error` */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
            /** @description Service Unavailable: `The service is temporarily unavailable, try again later` */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
        };
    };
    activatePasskey: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "response": {
                 *         "id": "ZXhhbXBsZS1vZi1hLW5ldy1pZA",
                 *         "rawId": "ZXhhbXBsZS1vZi1hLW5ldy1pZA",
                 *         "type": "public-key",
                 *         "clientExtensionResults": {},
                 *         "response": {
                 *           "clientDataJSON": "eyJ0eXBlIjoid2ViYXV0aG4uY3JlYXRlIn0",
                 *           "attestationObject": "o2NmbXRkbm9uZQ"
                 *         }
                 *       },
                 *       "name": "Laptop"
                 *     }
                 */
                "application/json": {
                    response: components["schemas"]["PasskeyCreation"];
                    /** @description A name by which its owner knows it */
                    name?: string;
                };
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "recoveryCodes": []
                     *     }
                     */
                    "application/json": components["schemas"]["RecoveryCodes"];
                };
            };
            /** @description Bad Request: `Missing or misformatted query parameter or body` */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
            /** @description Unauthorized: `SUDO_TOKEN_REQUIRED`, `PASSKEY_INVALID`, `NO_TOKEN_PROVIDED`, `Failed to verify token` */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
            /** @description Request Timeout: `The request body did not arrive in time` */
            408: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
            /** @description Conflict: `PASSKEY_ALREADY_ACTIVE`, `The account has 20 passkeys already: remove one that is not needed` */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
            /** @description Payload Too Large: `The request body is too large` */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
            /** @description Unsupported Media Type: `The request body must be sent as application/json, without compression` */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
            /** @description Too Many Requests: `TOO_MANY_PASSKEY_CHECKS` */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
            /** @description Internal Server Error: `Internal server error` */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
            /** @description Service Unavailable: `The service is temporarily unavailable, try again later` */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
        };
    };
    setUpPasskey: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: {
            content: {
                /** @example {} */
                "application/json": Record<string, never>;
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "options": {
                     *         "challenge": "ZXhhbXBsZS1vZi1hLXNlYWxlZC1jaGFsbGVuZ2U",
                     *         "rp": {
                     *           "id": "rolegrid.example.com",
                     *           "name": "Rolegrid"
                     *         },
                     *         "user": {
                     *           "id": "ZXhhbXBsZSBvZiAzMiByYW5kb20gYnl0ZXMgYXMgaGE",
                     *           "name": "ada@example.com",
                     *           "displayName": ""
                     *         },
                     *         "pubKeyCredParams": [
                     *           {
                     *             "alg": -8,
                     *             "type": "public-key"
                     *           }
                     *         ],
                     *         "timeout": 300000,
                     *         "attestation": "none",
                     *         "excludeCredentials": [
                     *           {
                     *             "id": "ZXhhbXBsZS1vZi1hbi1pZA",
                     *             "type": "public-key",
                     *             "transports": [
                     *               "internal"
                     *             ]
                     *           }
                     *         ],
                     *         "authenticatorSelection": {
                     *           "residentKey": "required",
                     *           "userVerification": "preferred",
                     *           "requireResidentKey": true
                     *         },
                     *         "extensions": {
                     *           "credProps": true
                     *         },
                     *         "hints": []
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["PasskeyCreationOptions"];
                };
            };
            /** @description Bad Request: `Missing or misformatted query parameter or body` */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
            /** @description Unauthorized: `SUDO_TOKEN_REQUIRED`, `NO_TOKEN_PROVIDED`, `Failed to verify token` */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
            /** @description Request Timeout: `The request body did not arrive in time` */
            408: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
            /** @description Conflict: `The account has 20 passkeys already: remove one that is not needed` */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
            /** @description Payload Too Large: `The request body is too large` */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
            /** @description Unsupported Media Type: `The request body must be sent as application/json, without compression` */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
            /** @description Internal Server Error: `Internal server error` */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
            /** @description Service Unavailable: `The service is temporarily unavailable, try again later` */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
        };
    };
    renamePasskey: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Id of the passkey in the list
                 * @example 4109
                 */
                passkeyId: number;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "name": "Old laptop"
                 *     }
                 */
                "application/json": {
                    /** @description A name by which its owner knows it */
                    name: string;
                };
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /** @example null */
                    "application/json": null;
                };
            };
            /** @description Bad Request: `Missing or misformatted query parameter or body` */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
            /** @description Unauthorized: `NO_TOKEN_PROVIDED`, `Failed to verify token` */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
            /** @description Forbidden: `User does not have sufficient rights` */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
            /** @description Request Timeout: `The request body did not arrive in time` */
            408: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
            /** @description Payload Too Large: `The request body is too large` */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
            /** @description Unsupported Media Type: `The request body must be sent as application/json, without compression` */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
            /** @description Internal Server Error: `Internal server error` */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
            /** @description Service Unavailable: `The service is temporarily unavailable, try again later` */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
        };
    };
    removePasskey: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Id of the passkey in the list
                 * @example 4109
                 */
                passkeyId: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /** @example null */
                    "application/json": null;
                };
            };
            /** @description Bad Request: `Missing or misformatted query parameter or body` */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
            /** @description Unauthorized: `SUDO_TOKEN_REQUIRED`, `NO_TOKEN_PROVIDED`, `Failed to verify token` */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
            /** @description Forbidden: `User does not have sufficient rights` */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
            /** @description Internal Server Error: `Internal server error` */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
            /** @description Service Unavailable: `The service is temporarily unavailable, try again later` */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
        };
    };
    proveRecoveryCode: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "recoveryCode": "7KQ2-M4XD-9RTB-W1ZH"
                 *     }
                 */
                "application/json": {
                    /** @description Case, hyphens and spaces do not matter; O is read as 0, I and L as 1 */
                    recoveryCode: string;
                };
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "sudoToken": "eyJhbGciOiJFZERTQSIsInR5cCI6InN1ZG8rand0In0.eyJzdWIiOiI0MDIxIn0.c2lnbmF0dXJl"
                     *     }
                     */
                    "application/json": components["schemas"]["ChallengeTokens"];
                };
            };
            /** @description Bad Request: `Missing or misformatted query parameter or body` */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
            /** @description Unauthorized: `RECOVERY_CODE_INVALID`, `NO_TOKEN_PROVIDED`, `Failed to verify token` */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
            /** @description Request Timeout: `The request body did not arrive in time` */
            408: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
            /** @description Conflict: `RECOVERY_CODES_UNINITIALIZED` */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
            /** @description Payload Too Large: `The request body is too large` */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
            /** @description Unsupported Media Type: `The request body must be sent as application/json, without compression` */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
            /** @description Too Many Requests: `TOO_MANY_RECOVERY_CODE_CHECKS` */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
            /** @description Internal Server Error: `Internal server error` */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
            /** @description Service Unavailable: `The service is temporarily unavailable, try again later` */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
        };
    };
    nextRecoveryGuess: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "duration": 0
                     *     }
                     */
                    "application/json": components["schemas"]["Wait"];
                };
            };
            /** @description Bad Request: `Missing or misformatted query parameter or body` */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
            /** @description Unauthorized: `NO_TOKEN_PROVIDED`, `Failed to verify token` */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
            /** @description Conflict: `RECOVERY_CODES_UNINITIALIZED` */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
            /** @description Internal Server Error: `Internal server error` */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
            /** @description Service Unavailable: `The service is temporarily unavailable, try again later` */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
        };
    };
    resetRecoveryCodes: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: {
            content: {
                /** @example {} */
                "application/json": Record<string, never>;
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "recoveryCodes": [
                     *         "7KQ2-M4XD-9RTB-W1ZH",
                     *         "0C5N-T8GW-K3JY-6QFP",
                     *         "V2HB-7XME-4DRA-90ST",
                     *         "QJ6K-1ZWC-8NPG-5TBY",
                     *         "M9RD-3AFX-H7VE-2KWQ",
                     *         "4TGS-J0PN-6CYB-X8DM",
                     *         "E7WV-Q5RK-1HZT-3NAF",
                     *         "8BXJ-M2CD-Y9GP-0RSE",
                     *         "K4ND-6VTH-5WQA-7FJZ",
                     *         "P1YG-9ESB-R3MX-C6TK"
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["RecoveryCodes"];
                };
            };
            /** @description Bad Request: `Missing or misformatted query parameter or body` */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
            /** @description Unauthorized: `SUDO_TOKEN_REQUIRED`, `NO_TOKEN_PROVIDED`, `Failed to verify token` */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
            /** @description Request Timeout: `The request body did not arrive in time` */
            408: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
            /** @description Conflict: `2FA_IS_DISABLED` */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
            /** @description Payload Too Large: `The request body is too large` */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
            /** @description Unsupported Media Type: `The request body must be sent as application/json, without compression` */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
            /** @description Internal Server Error: `Internal server error` */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
            /** @description Service Unavailable: `The service is temporarily unavailable, try again later` */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
        };
    };
    deactivateTotp: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /** @example null */
                    "application/json": null;
                };
            };
            /** @description Bad Request: `Missing or misformatted query parameter or body` */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
            /** @description Unauthorized: `SUDO_TOKEN_REQUIRED`, `NO_TOKEN_PROVIDED`, `Failed to verify token` */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
            /** @description Conflict: `TOTP_ALREADY_INACTIVE` */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
            /** @description Internal Server Error: `Internal server error` */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
            /** @description Service Unavailable: `The service is temporarily unavailable, try again later` */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
        };
    };
    proveTotp: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "totp": "492039"
                 *     }
                 */
                "application/json": {
                    /** @description The code that the authenticator app shows */
                    totp: string;
                };
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "sudoToken": "eyJhbGciOiJFZERTQSIsInR5cCI6InN1ZG8rand0In0.eyJzdWIiOiI0MDIxIn0.c2lnbmF0dXJl"
                     *     }
                     */
                    "application/json": components["schemas"]["ChallengeTokens"];
                };
            };
            /** @description Bad Request: `Missing or misformatted query parameter or body` */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
            /** @description Unauthorized: `TOTP_INVALID`, `NO_TOKEN_PROVIDED`, `Failed to verify token` */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
            /** @description Request Timeout: `The request body did not arrive in time` */
            408: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
            /** @description Conflict: `TOTP_UNINITIALIZED`, `TOTP_INACTIVE` */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
            /** @description Payload Too Large: `The request body is too large` */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
            /** @description Unsupported Media Type: `The request body must be sent as application/json, without compression` */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
            /** @description Too Many Requests: `TOO_MANY_TOTP_CHECKS` */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
            /** @description Internal Server Error: `Internal server error` */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
            /** @description Service Unavailable: `The service is temporarily unavailable, try again later` */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
        };
    };
    activateTotp: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "totp": "492039"
                 *     }
                 */
                "application/json": {
                    /** @description The code that the authenticator app shows */
                    totp: string;
                };
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "recoveryCodes": [
                     *         "7KQ2-M4XD-9RTB-W1ZH",
                     *         "0C5N-T8GW-K3JY-6QFP",
                     *         "V2HB-7XME-4DRA-90ST",
                     *         "QJ6K-1ZWC-8NPG-5TBY",
                     *         "M9RD-3AFX-H7VE-2KWQ",
                     *         "4TGS-J0PN-6CYB-X8DM",
                     *         "E7WV-Q5RK-1HZT-3NAF",
                     *         "8BXJ-M2CD-Y9GP-0RSE",
                     *         "K4ND-6VTH-5WQA-7FJZ",
                     *         "P1YG-9ESB-R3MX-C6TK"
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["RecoveryCodes"];
                };
            };
            /** @description Bad Request: `Missing or misformatted query parameter or body` */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
            /** @description Unauthorized: `TOTP_INVALID`, `NO_TOKEN_PROVIDED`, `Failed to verify token` */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
            /** @description Request Timeout: `The request body did not arrive in time` */
            408: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
            /** @description Conflict: `TOTP_UNINITIALIZED` */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
            /** @description Payload Too Large: `The request body is too large` */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
            /** @description Unsupported Media Type: `The request body must be sent as application/json, without compression` */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
            /** @description Too Many Requests: `TOO_MANY_TOTP_CHECKS` */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
            /** @description Internal Server Error: `Internal server error` */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
            /** @description Service Unavailable: `The service is temporarily unavailable, try again later` */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
        };
    };
    nextTotpGuess: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "duration": 0
                     *     }
                     */
                    "application/json": components["schemas"]["Wait"];
                };
            };
            /** @description Bad Request: `Missing or misformatted query parameter or body` */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
            /** @description Unauthorized: `NO_TOKEN_PROVIDED`, `Failed to verify token` */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
            /** @description Conflict: `TOTP_UNINITIALIZED` */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
            /** @description Internal Server Error: `Internal server error` */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
            /** @description Service Unavailable: `The service is temporarily unavailable, try again later` */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
        };
    };
    setUpTotp: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: {
            content: {
                /** @example {} */
                "application/json": Record<string, never>;
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "url": "otpauth://totp/Rolegrid:ada%40example.com?issuer=Rolegrid&secret=GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ&algorithm=SHA1&digits=6&period=30",
                     *       "qrCode": "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 65 65\">…</svg>"
                     *     }
                     */
                    "application/json": components["schemas"]["TotpSetup"];
                };
            };
            /** @description Bad Request: `Missing or misformatted query parameter or body` */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
            /** @description Unauthorized: `SUDO_TOKEN_REQUIRED`, `NO_TOKEN_PROVIDED`, `Failed to verify token` */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
            /** @description Request Timeout: `The request body did not arrive in time` */
            408: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
            /** @description Payload Too Large: `The request body is too large` */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
            /** @description Unsupported Media Type: `The request body must be sent as application/json, without compression` */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
            /** @description Internal Server Error: `Internal server error` */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
            /** @description Service Unavailable: `The service is temporarily unavailable, try again later` */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
        };
    };
    completeEmailTransfer: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "otp": "9WD2HN"
                 *     }
                 */
                "application/json": {
                    /** @description The code that was mailed to the new address; case does not matter */
                    otp: string;
                };
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /** @example null */
                    "application/json": null;
                };
            };
            /** @description Bad Request: `Missing or misformatted query parameter or body` */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
            /** @description Unauthorized: `OTP_INVALID_EXPIRED`, `NO_TOKEN_PROVIDED`, `Failed to verify token` */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
            /** @description Request Timeout: `The request body did not arrive in time` */
            408: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
            /** @description Conflict: `NEW_EMAIL_ALREADY_IN_USE` */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
            /** @description Payload Too Large: `The request body is too large` */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
            /** @description Unsupported Media Type: `The request body must be sent as application/json, without compression` */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
            /** @description Internal Server Error: `Internal server error` */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
            /** @description Service Unavailable: `The service is temporarily unavailable, try again later` */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
        };
    };
    initiateEmailTransfer: {
        parameters: {
            query?: {
                /** @description Name of the configured sender of the mail */
                origin?: string;
                /**
                 * @description Language of the mail: en, nl, fr or de (any other: en); default: that of the account
                 * @example nl
                 */
                language?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "email": "ada@example.org"
                 *     }
                 */
                "application/json": {
                    /**
                     * Format: email
                     * @description An email address; case does not matter
                     */
                    email: string;
                };
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /** @example null */
                    "application/json": null;
                };
            };
            /** @description Bad Request: `Missing or misformatted query parameter or body` */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
            /** @description Unauthorized: `SUDO_TOKEN_REQUIRED`, `NO_TOKEN_PROVIDED`, `Failed to verify token` */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
            /** @description Request Timeout: `The request body did not arrive in time` */
            408: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
            /** @description Conflict: `TRANSFER_TOO_SOON` */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
            /** @description Payload Too Large: `The request body is too large` */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
            /** @description Unsupported Media Type: `The request body must be sent as application/json, without compression` */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
            /** @description Too Many Requests: `TOO_MANY_TRANSFER_ATTEMPTS` */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
            /** @description Internal Server Error: `Internal server error` */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
            /** @description Service Unavailable: `The service is temporarily unavailable, try again later` */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
        };
    };
    undoEmailTransfer: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "token": "example-of-the-token-of-a-link-that-undoes0"
                 *     }
                 */
                "application/json": {
                    /** @description The token in the mailed link */
                    token: string;
                };
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /** @example null */
                    "application/json": null;
                };
            };
            /** @description Bad Request: `Missing or misformatted query parameter or body` */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
            /** @description Unauthorized: `OTP_INVALID_EXPIRED` */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
            /** @description Request Timeout: `The request body did not arrive in time` */
            408: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
            /** @description Payload Too Large: `The request body is too large` */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
            /** @description Unsupported Media Type: `The request body must be sent as application/json, without compression` */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
            /** @description Internal Server Error: `Internal server error` */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
            /** @description Service Unavailable: `The service is temporarily unavailable, try again later` */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
        };
    };
    exportAccount: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "account": {
                     *         "id": 4021,
                     *         "email": "ada@example.com",
                     *         "language": "en",
                     *         "createdAt": "2026-01-01T09:00:00.000Z",
                     *         "hasPassword": true,
                     *         "passwordChangedAt": null,
                     *         "externalId": null
                     *       },
                     *       "membership": [
                     *         {
                     *           "id": 2003,
                     *           "roleId": 1001,
                     *           "roleName": "Energy Inc",
                     *           "rights": {
                     *             "roleManagement": true,
                     *             "userManagement": true,
                     *             "viewManagement": true,
                     *             "deviceManagement": true,
                     *             "reportManagement": true,
                     *             "alarmManagement": true
                     *           },
                     *           "until": null
                     *         }
                     *       ],
                     *       "key": [
                     *         {
                     *           "id": 2084,
                     *           "roleId": 1042,
                     *           "name": "Meter gateway",
                     *           "createdAt": "2026-01-01T09:00:00.000Z"
                     *         }
                     *       ],
                     *       "session": [
                     *         {
                     *           "id": "k3VtZ1Qx0aYp7cRnW8sLfA",
                     *           "createdAt": "2026-01-01T09:00:00.000Z",
                     *           "authenticatedAt": "2026-01-01T09:00:00.000Z",
                     *           "lastTokenAt": "2026-01-08T17:30:00.000Z",
                     *           "expiresAt": "2026-04-01T09:00:00.000Z",
                     *           "client": "Firefox on Linux",
                     *           "endedAt": null,
                     *           "endedReason": null
                     *         }
                     *       ],
                     *       "pendingSignIn": [],
                     *       "knownAddress": [
                     *         {
                     *           "address": "192.0.2.1",
                     *           "lastSignInAt": "2026-01-08T17:30:00.000Z"
                     *         }
                     *       ],
                     *       "secondFactor": [],
                     *       "passkey": [],
                     *       "recoveryCode": [],
                     *       "code": [
                     *         {
                     *           "purpose": "email_transfer",
                     *           "email": "ada@example.org",
                     *           "createdAt": "2026-01-08T17:30:00.000Z",
                     *           "expiresAt": "2026-01-08T17:40:00.000Z",
                     *           "endedAt": null
                     *         }
                     *       ],
                     *       "passwordLink": [
                     *         {
                     *           "purpose": "invitation",
                     *           "createdAt": "2026-01-08T17:30:00.000Z",
                     *           "expiresAt": "2026-01-08T17:40:00.000Z",
                     *           "endedAt": null
                     *         }
                     *       ],
                     *       "undoLink": [],
                     *       "reservedEmail": [],
                     *       "mail": [
                     *         {
                     *           "template": "email_transfer_otp",
                     *           "language": "en",
                     *           "recipient": "ada@example.org",
                     *           "createdAt": "2026-01-08T17:30:00.000Z",
                     *           "deliveredAt": null
                     *         }
                     *       ],
                     *       "event": [
                     *         {
                     *           "id": 8150,
                     *           "at": "2026-01-08T17:30:00.000Z",
                     *           "event": "login",
                     *           "result": "ok",
                     *           "attempts": 1,
                     *           "sessionId": "k3VtZ1Qx0aYp7cRnW8sLfA",
                     *           "address": "192.0.2.1"
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["AccountExport"];
                };
            };
            /** @description Bad Request: `Missing or misformatted query parameter or body` */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
            /** @description Unauthorized: `NO_TOKEN_PROVIDED`, `Failed to verify token` */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
            /** @description Too Many Requests: `TOO_MANY_EXPORTS` */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
            /** @description Internal Server Error: `Internal server error` */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
            /** @description Service Unavailable: `The service is temporarily unavailable, try again later` */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
        };
    };
    listOwnKeys: {
        parameters: {
            query?: {
                /**
                 * @description Maximum number of keys, from 1 to 1000
                 * @example 10
                 */
                limit?: number;
                /** @description `nextCursor` of the previous page */
                cursor?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "key": [
                     *         {
                     *           "id": 2084,
                     *           "roleId": 1042,
                     *           "name": "Meter gateway",
                     *           "prefix": "rgk_2084_ZXhh",
                     *           "rights": {
                     *             "roleManagement": false,
                     *             "userManagement": false,
                     *             "viewManagement": true,
                     *             "deviceManagement": true,
                     *             "reportManagement": false,
                     *             "alarmManagement": false
                     *           },
                     *           "asks": false,
                     *           "provisions": false,
                     *           "expiresAt": "2026-04-01T09:00:00.000Z",
                     *           "createdAt": "2026-01-01T09:00:00.000Z",
                     *           "createdBy": "ada@example.com",
                     *           "lastUsedAt": null
                     *         }
                     *       ],
                     *       "nextCursor": null
                     *     }
                     */
                    "application/json": components["schemas"]["OwnRoleKeyList"];
                };
            };
            /** @description Bad Request: `Missing or misformatted query parameter or body` */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
            /** @description Unauthorized: `NO_TOKEN_PROVIDED`, `Failed to verify token` */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
            /** @description Internal Server Error: `Internal server error` */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
            /** @description Service Unavailable: `The service is temporarily unavailable, try again later` */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
        };
    };
    provePassword: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "password": "the example's own password"
                 *     }
                 */
                "application/json": {
                    /** @description At most 256 characters */
                    password: string;
                };
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "sudoToken": "eyJhbGciOiJFZERTQSIsInR5cCI6InN1ZG8rand0In0.eyJzdWIiOiI0MDIxIn0.c2lnbmF0dXJl"
                     *     }
                     */
                    "application/json": components["schemas"]["SudoToken"];
                };
            };
            /** @description Bad Request: `Missing or misformatted query parameter or body` */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
            /** @description Unauthorized: `PASSWORD_INCORRECT`, `SUDO_TOKEN_REQUIRED`, `NO_TOKEN_PROVIDED`, `Failed to verify token` */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
            /** @description Request Timeout: `The request body did not arrive in time` */
            408: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
            /** @description Payload Too Large: `The request body is too large` */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
            /** @description Unsupported Media Type: `The request body must be sent as application/json, without compression` */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
            /** @description Too Many Requests: `TOO_MANY_FAILED_PASSWORD_CHECKS` */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
            /** @description Internal Server Error: `Internal server error` */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
            /** @description Service Unavailable: `The service is temporarily unavailable, try again later` */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
        };
    };
    setPasswordByLink: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "token": "example-of-the-token-of-an-invitation-link0",
                 *       "newPassword": "four words nobody guesses"
                 *     }
                 */
                "application/json": {
                    /** @description The token in the mailed link */
                    token: string;
                    /** @description 8 to 256 characters; not a common password, the address or the name of the service */
                    newPassword: string;
                    /** @description Sign in, too: by the invitation of an account that never had a password or second factor */
                    signIn?: boolean;
                };
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /** @example null */
                    "application/json": components["schemas"]["SignedIn"] | null;
                };
            };
            /** @description Bad Request: `PASSWORD_TOO_SHORT`, `PASSWORD_TOO_LONG`, `PASSWORD_TOO_COMMON`, `PASSWORD_EQUALS_NAME`, `PASSWORD_BREACHED`, `Missing or misformatted query parameter or body` */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
            /** @description Unauthorized: `OTP_INVALID_EXPIRED` */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
            /** @description Request Timeout: `The request body did not arrive in time` */
            408: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
            /** @description Payload Too Large: `The request body is too large` */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
            /** @description Unsupported Media Type: `The request body must be sent as application/json, without compression` */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
            /** @description Internal Server Error: `Internal server error` */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
            /** @description Service Unavailable: `The service is temporarily unavailable, try again later` */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
        };
    };
    changePassword: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "oldPassword": "the example's own password",
                 *       "newPassword": "four words nobody guesses"
                 *     }
                 */
                "application/json": {
                    /** @description At most 256 characters */
                    oldPassword: string;
                    /** @description 8 to 256 characters; not a common password, the address or the name of the service */
                    newPassword: string;
                };
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /** @example null */
                    "application/json": null;
                };
            };
            /** @description Bad Request: `PASSWORD_TOO_SHORT`, `PASSWORD_TOO_LONG`, `PASSWORD_TOO_COMMON`, `PASSWORD_EQUALS_NAME`, `PASSWORD_BREACHED`, `Missing or misformatted query parameter or body` */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
            /** @description Unauthorized: `PASSWORD_INCORRECT`, `SUDO_TOKEN_REQUIRED`, `NO_TOKEN_PROVIDED`, `Failed to verify token` */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
            /** @description Request Timeout: `The request body did not arrive in time` */
            408: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
            /** @description Payload Too Large: `The request body is too large` */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
            /** @description Unsupported Media Type: `The request body must be sent as application/json, without compression` */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
            /** @description Too Many Requests: `TOO_MANY_FAILED_PASSWORD_CHECKS` */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
            /** @description Internal Server Error: `Internal server error` */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
            /** @description Service Unavailable: `The service is temporarily unavailable, try again later` */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
        };
    };
    setPasswordByOtp: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "userEmail": "joan@example.com",
                 *       "otp": "K7M4QX",
                 *       "newPassword": "four words nobody guesses"
                 *     }
                 */
                "application/json": {
                    /**
                     * Format: email
                     * @description An email address; case does not matter
                     */
                    userEmail: string;
                    /** @description The mailed code; case does not matter */
                    otp: string;
                    /** @description 8 to 256 characters; not a common password, the address or the name of the service */
                    newPassword: string;
                };
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /** @example null */
                    "application/json": null;
                };
            };
            /** @description Bad Request: `PASSWORD_TOO_SHORT`, `PASSWORD_TOO_LONG`, `PASSWORD_TOO_COMMON`, `PASSWORD_EQUALS_NAME`, `PASSWORD_BREACHED`, `Missing or misformatted query parameter or body` */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
            /** @description Unauthorized: `OTP_INVALID_EXPIRED` */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
            /** @description Request Timeout: `The request body did not arrive in time` */
            408: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
            /** @description Payload Too Large: `The request body is too large` */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
            /** @description Unsupported Media Type: `The request body must be sent as application/json, without compression` */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
            /** @description Internal Server Error: `Internal server error` */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
            /** @description Service Unavailable: `The service is temporarily unavailable, try again later` */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
        };
    };
    sendPasswordResetEmail: {
        parameters: {
            query?: {
                /** @description Name of the configured sender of the mail */
                origin?: string;
                /**
                 * @description Language of the mail: en, nl, fr or de (any other: en); default: that of the account
                 * @example nl
                 */
                language?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "email": "joan@example.com"
                 *     }
                 */
                "application/json": {
                    /**
                     * Format: email
                     * @description An email address; case does not matter
                     */
                    email: string;
                };
            };
        };
        responses: {
            /** @description Success, without a body */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Bad Request: `Missing or misformatted query parameter or body` */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
            /** @description Request Timeout: `The request body did not arrive in time` */
            408: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
            /** @description Payload Too Large: `The request body is too large` */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
            /** @description Unsupported Media Type: `The request body must be sent as application/json, without compression` */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
            /** @description Too Many Requests: `TOO_MANY_RESET_MAIL_ATTEMPTS` */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
            /** @description Internal Server Error: `Internal server error` */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
            /** @description Service Unavailable: `The service is temporarily unavailable, try again later` */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
        };
    };
    sendPasswordResetOtp: {
        parameters: {
            query?: {
                /** @description Name of the configured sender of the mail */
                origin?: string;
                /**
                 * @description Language of the mail: en, nl, fr or de (any other: en); default: that of the account
                 * @example nl
                 */
                language?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "email": "joan@example.com"
                 *     }
                 */
                "application/json": {
                    /**
                     * Format: email
                     * @description An email address; case does not matter
                     */
                    email: string;
                };
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /** @example null */
                    "application/json": null;
                };
            };
            /** @description Bad Request: `Missing or misformatted query parameter or body` */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
            /** @description Request Timeout: `The request body did not arrive in time` */
            408: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
            /** @description Payload Too Large: `The request body is too large` */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
            /** @description Unsupported Media Type: `The request body must be sent as application/json, without compression` */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
            /** @description Too Many Requests: `TOO_MANY_RESET_MAIL_ATTEMPTS` */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
            /** @description Internal Server Error: `Internal server error` */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
            /** @description Service Unavailable: `The service is temporarily unavailable, try again later` */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
        };
    };
    validatePasswordResetOtp: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "email": "joan@example.com",
                 *       "otp": "K7M4QX"
                 *     }
                 */
                "application/json": {
                    /**
                     * Format: email
                     * @description An email address; case does not matter
                     */
                    email: string;
                    /** @description The mailed code; case does not matter */
                    otp: string;
                };
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /** @example null */
                    "application/json": null;
                };
            };
            /** @description Bad Request: `Missing or misformatted query parameter or body` */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
            /** @description Unauthorized: `OTP_INVALID_EXPIRED` */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
            /** @description Request Timeout: `The request body did not arrive in time` */
            408: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
            /** @description Payload Too Large: `The request body is too large` */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
            /** @description Unsupported Media Type: `The request body must be sent as application/json, without compression` */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
            /** @description Internal Server Error: `Internal server error` */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
            /** @description Service Unavailable: `The service is temporarily unavailable, try again later` */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
        };
    };
    listSecurityEvents: {
        parameters: {
            query?: {
                /**
                 * @description Maximum number of events, from 1 to 1000
                 * @example 100
                 */
                limit?: number;
                /** @description `nextCursor` of the previous page */
                cursor?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "event": [
                     *         {
                     *           "id": 8150,
                     *           "at": "2026-01-08T17:30:00.000Z",
                     *           "event": "login",
                     *           "result": "ok",
                     *           "attempts": 1,
                     *           "sessionId": "k3VtZ1Qx0aYp7cRnW8sLfA",
                     *           "address": "192.0.2.1"
                     *         }
                     *       ],
                     *       "nextCursor": null
                     *     }
                     */
                    "application/json": components["schemas"]["SecurityLog"];
                };
            };
            /** @description Bad Request: `Missing or misformatted query parameter or body` */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
            /** @description Unauthorized: `NO_TOKEN_PROVIDED`, `Failed to verify token` */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
            /** @description Internal Server Error: `Internal server error` */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
            /** @description Service Unavailable: `The service is temporarily unavailable, try again later` */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
        };
    };
    listSessions: {
        parameters: {
            query?: {
                /**
                 * @description Maximum number of sessions, from 1 to 1000. Without `limit` and `cursor`, all are returned
                 * @example 10
                 */
                limit?: number;
                /** @description `nextCursor` of the previous page */
                cursor?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "session": [
                     *         {
                     *           "id": "k3VtZ1Qx0aYp7cRnW8sLfA",
                     *           "createdAt": "2026-01-01T09:00:00.000Z",
                     *           "lastTokenAt": "2026-01-08T17:30:00.000Z",
                     *           "client": "Firefox on Linux",
                     *           "current": true
                     *         },
                     *         {
                     *           "id": "b9XwT5Hd2mGu4eKjN6qPzQ",
                     *           "createdAt": "2026-01-01T09:00:00.000Z",
                     *           "lastTokenAt": "2026-01-08T17:30:00.000Z",
                     *           "client": "Firefox on Linux",
                     *           "current": false
                     *         }
                     *       ],
                     *       "nextCursor": null
                     *     }
                     */
                    "application/json": components["schemas"]["SessionList"];
                };
            };
            /** @description Bad Request: `Missing or misformatted query parameter or body` */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
            /** @description Unauthorized: `NO_TOKEN_PROVIDED`, `Failed to verify token` */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
            /** @description Internal Server Error: `Internal server error` */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
            /** @description Service Unavailable: `The service is temporarily unavailable, try again later` */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
        };
    };
    endOtherSessions: {
        parameters: {
            query?: {
                /**
                 * @description Whether to delete the keys that the user made, too
                 * @example false
                 */
                keys?: boolean;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /** @example null */
                    "application/json": null;
                };
            };
            /** @description Bad Request: `Missing or misformatted query parameter or body` */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
            /** @description Unauthorized: `SUDO_TOKEN_REQUIRED`, `NO_TOKEN_PROVIDED`, `Failed to verify token` */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
            /** @description Internal Server Error: `Internal server error` */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
            /** @description Service Unavailable: `The service is temporarily unavailable, try again later` */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
        };
    };
    endSession: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Id of the session
                 * @example b9XwT5Hd2mGu4eKjN6qPzQ
                 */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /** @example null */
                    "application/json": null;
                };
            };
            /** @description Bad Request: `Missing or misformatted query parameter or body` */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
            /** @description Unauthorized: `NO_TOKEN_PROVIDED`, `Failed to verify token` */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
            /** @description Forbidden: `User does not have sufficient rights` */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
            /** @description Internal Server Error: `Internal server error` */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
            /** @description Service Unavailable: `The service is temporarily unavailable, try again later` */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
        };
    };
    endAccess: {
        parameters: {
            query?: {
                /** @description Return what the change would do as `effect`, and change nothing. Ids that it would draw are null */
                dryRun?: boolean;
            };
            header?: {
                /** @description A sudo token of the session of the access token */
                "X-Sudo-Token"?: string;
                /** @description The `tag` of an effect that a dry run of the same request returned: make the change only if that is still its effect. Otherwise the response is a 409, and nothing is done. Not together with `dryRun`. */
                "If-Effect"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "userEmail": "grace@example.com",
                 *       "under": 1001,
                 *       "granted": true
                 *     }
                 */
                "application/json": {
                    /**
                     * Format: email
                     * @description The person, by address. Finds of what they made only that whose maker the caller sees: what they made through a role that the caller is a member of, or above which the caller is a member
                     */
                    userEmail: string;
                    /**
                     * Format: int64
                     * @description The role at and below which access ends
                     */
                    under: number;
                    /** @description Also end the memberships, keys and role passwords that the person gave at and below the role, and those that people whom they made members gave by these memberships, and so on, also memberships that were deleted with their roles and that an undo would bring back. By default they stay */
                    granted?: boolean;
                } | {
                    /**
                     * Format: int64
                     * @description Id of the account of the person
                     */
                    userId: number;
                    /**
                     * Format: int64
                     * @description The role at and below which access ends
                     */
                    under: number;
                    /** @description Also end the memberships, keys and role passwords that the person gave at and below the role, and those that people whom they made members gave by these memberships, and so on, also memberships that were deleted with their roles and that an undo would bring back. By default they stay */
                    granted?: boolean;
                };
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "X-Rolegrid-Revision": components["headers"]["Revision"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "ended": [
                     *         {
                     *           "kind": "membership",
                     *           "id": 2063,
                     *           "roleId": 1001,
                     *           "userEmail": "grace@example.com",
                     *           "rights": {
                     *             "roleManagement": true,
                     *             "userManagement": true,
                     *             "viewManagement": true,
                     *             "deviceManagement": true,
                     *             "reportManagement": true,
                     *             "alarmManagement": true
                     *           }
                     *         }
                     *       ],
                     *       "relations": [],
                     *       "left": {
                     *         "roles": 0
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["EndedAccess"];
                };
            };
            /** @description Bad Request: `Missing or misformatted query parameter or body` */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
            /** @description Unauthorized: `SUDO_TOKEN_REQUIRED`, `NO_TOKEN_PROVIDED`, `Failed to verify token` */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
            /** @description Forbidden: `User does not have sufficient rights` */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
            /** @description Request Timeout: `The request body did not arrive in time` */
            408: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
            /** @description Conflict: `The root role would be left without a member`, `EFFECT_CHANGED` */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
            /** @description Payload Too Large: `The request body is too large` */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
            /** @description Unsupported Media Type: `The request body must be sent as application/json, without compression` */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
            /** @description Unprocessable Entity: `Too much would end at once` */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
            /** @description Too Many Requests: `TOO_MANY_PREVIEWS` */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
            /** @description Internal Server Error: `Internal server error` */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
            /** @description Service Unavailable: `The service is temporarily unavailable, try again later` */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
        };
    };
    queryAccess: {
        parameters: {
            query?: {
                /** @description Maximum number of results, from 1 to 1000. Without `limit` and `cursor`, all results are returned */
                limit?: number;
                /** @description `nextCursor` of the previous page */
                cursor?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "userEmail": "grace@example.com",
                 *       "roleId": [
                 *         1042
                 *       ],
                 *       "limit": 100
                 *     }
                 */
                "application/json": {
                    /**
                     * Format: email
                     * @description Address of the person that the request is about
                     */
                    userEmail: string;
                    /** @description Only roles with one of these ids */
                    roleId?: number[];
                    /** @description Only roles on which they hold this right, or all of these rights */
                    right?: ("roleManagement" | "userManagement" | "viewManagement" | "deviceManagement" | "reportManagement" | "alarmManagement") | ("roleManagement" | "userManagement" | "viewManagement" | "deviceManagement" | "reportManagement" | "alarmManagement")[];
                    /** @description Maximum number of results, from 1 to 1000. Without `limit` and `cursor`, all results are returned */
                    limit?: number;
                    /** @description `nextCursor` of the previous page */
                    cursor?: string;
                    asOf?: components["schemas"]["AsOf"];
                } | {
                    /**
                     * Format: int64
                     * @description Id of the account of the person that the request is about
                     */
                    userId: number;
                    /** @description Only roles with one of these ids */
                    roleId?: number[];
                    /** @description Only roles on which they hold this right, or all of these rights */
                    right?: ("roleManagement" | "userManagement" | "viewManagement" | "deviceManagement" | "reportManagement" | "alarmManagement") | ("roleManagement" | "userManagement" | "viewManagement" | "deviceManagement" | "reportManagement" | "alarmManagement")[];
                    /** @description Maximum number of results, from 1 to 1000. Without `limit` and `cursor`, all results are returned */
                    limit?: number;
                    /** @description `nextCursor` of the previous page */
                    cursor?: string;
                    asOf?: components["schemas"]["AsOf"];
                } | {
                    /**
                     * Format: int64
                     * @description Id of the key that the request is about
                     */
                    keyId: number;
                    /** @description Only roles with one of these ids */
                    roleId?: number[];
                    /** @description Only roles on which they hold this right, or all of these rights */
                    right?: ("roleManagement" | "userManagement" | "viewManagement" | "deviceManagement" | "reportManagement" | "alarmManagement") | ("roleManagement" | "userManagement" | "viewManagement" | "deviceManagement" | "reportManagement" | "alarmManagement")[];
                    /** @description Maximum number of results, from 1 to 1000. Without `limit` and `cursor`, all results are returned */
                    limit?: number;
                    /** @description `nextCursor` of the previous page */
                    cursor?: string;
                    asOf?: components["schemas"]["AsOf"];
                };
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "X-Rolegrid-Revision": components["headers"]["Revision"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "access": [
                     *         {
                     *           "roleId": 1042,
                     *           "name": "Boiler",
                     *           "rights": {
                     *             "roleManagement": true,
                     *             "userManagement": true,
                     *             "viewManagement": true,
                     *             "deviceManagement": true,
                     *             "reportManagement": true,
                     *             "alarmManagement": true
                     *           },
                     *           "direct": false
                     *         }
                     *       ],
                     *       "person": {
                     *         "userId": 4037,
                     *         "userEmail": "grace@example.com"
                     *       },
                     *       "nextCursor": null,
                     *       "revision": 8206
                     *     }
                     */
                    "application/json": components["schemas"]["AccessOfPrincipal"];
                };
            };
            /** @description Bad Request: `Missing or misformatted query parameter or body` */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
            /** @description Unauthorized: `NO_TOKEN_PROVIDED`, `Failed to verify token` */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
            /** @description Request Timeout: `The request body did not arrive in time` */
            408: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
            /** @description Gone: `BEFORE_HISTORY` */
            410: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
            /** @description Payload Too Large: `The request body is too large` */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
            /** @description Unsupported Media Type: `The request body must be sent as application/json, without compression` */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
            /** @description Unprocessable Entity: `More relations lead to these roles than a request may follow: ask about fewer roles at a time` */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
            /** @description Internal Server Error: `Internal server error` */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
            /** @description Service Unavailable: `The service is temporarily unavailable, try again later` */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
        };
    };
    forgotPassword: {
        parameters: {
            query?: {
                /** @description Name of the configured sender of the mail */
                origin?: string;
                /**
                 * @description Language of the mail: en, nl, fr or de (any other: en); default: that of the account
                 * @example nl
                 */
                language?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "email": "joan@example.com"
                 *     }
                 */
                "application/json": {
                    /**
                     * Format: email
                     * @description An email address; case does not matter
                     */
                    email: string;
                };
            };
        };
        responses: {
            /** @description Success, without a body */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Bad Request: `Missing or misformatted query parameter or body` */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
            /** @description Request Timeout: `The request body did not arrive in time` */
            408: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
            /** @description Payload Too Large: `The request body is too large` */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
            /** @description Unsupported Media Type: `The request body must be sent as application/json, without compression` */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
            /** @description Too Many Requests: `TOO_MANY_RESET_MAIL_ATTEMPTS` */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
            /** @description Internal Server Error: `Internal server error` */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
            /** @description Service Unavailable: `The service is temporarily unavailable, try again later` */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
        };
    };
    queryChanges: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: {
            content: {
                /**
                 * @example {
                 *       "filter": {
                 *         "roleId": 1042,
                 *         "decision": "ok"
                 *       },
                 *       "after": 0,
                 *       "limit": 100
                 *     }
                 */
                "application/json": {
                    filter?: {
                        /**
                         * Format: int64
                         * @description Only changes about this role, or below it as a parent
                         */
                        roleId?: number;
                        /** @description Only changes by the user with this address, whatever they are a member of now, and where the caller sees the address; case does not matter */
                        actorEmail?: string;
                        /**
                         * Format: int64
                         * @description Only changes by the account with this id, which may be erased
                         */
                        actorId?: number;
                        /**
                         * Format: int64
                         * @description Only changes by this key, and of it; it may be deleted
                         */
                        keyId?: number;
                        /** @description Only changes of this kind; see `Change` */
                        kind?: string;
                        /** @description Only changes with this decision; see `Change` */
                        decision?: string;
                        /**
                         * Format: date-time
                         * @description Only changes at or after this time
                         */
                        from?: string;
                        /**
                         * Format: date-time
                         * @description Only changes at or before this time
                         */
                        to?: string;
                    };
                    /**
                     * Format: int64
                     * @description Only changes with a later revision: the `nextRevision` of the previous response. By default all that are kept
                     */
                    after?: number;
                    /** @description Maximum number of changes, from 1 to 1000, which is also the default */
                    limit?: number;
                    /** @description Seconds for which the response is held back if there is no change yet; it comes within a second or two of one */
                    wait?: number;
                };
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "X-Rolegrid-Revision": components["headers"]["Revision"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "change": [
                     *         {
                     *           "revision": 3017,
                     *           "at": "2026-01-08T17:30:00.000Z",
                     *           "actor": {
                     *             "type": "user",
                     *             "id": 4021,
                     *             "email": "ada@example.com"
                     *           },
                     *           "viaRoleId": 1017,
                     *           "viaRoleName": "Plant North",
                     *           "kind": "role.create",
                     *           "decision": "ok",
                     *           "roleId": 1042,
                     *           "roleName": "Building 4",
                     *           "oldName": null,
                     *           "newName": null,
                     *           "parentRoleId": 1017,
                     *           "parentRoleName": "Plant North",
                     *           "managesId": 2058,
                     *           "memberEmail": null,
                     *           "oldFrom": null,
                     *           "oldUntil": null,
                     *           "from": null,
                     *           "until": null,
                     *           "keyId": null,
                     *           "keyName": null,
                     *           "deviceId": null,
                     *           "devices": null,
                     *           "deviceIds": [],
                     *           "nodeId": null,
                     *           "oldRights": null,
                     *           "newRights": {
                     *             "roleManagement": true,
                     *             "userManagement": true,
                     *             "viewManagement": true,
                     *             "deviceManagement": true,
                     *             "reportManagement": true,
                     *             "alarmManagement": true
                     *           },
                     *           "oldAuthenticationPolicy": null,
                     *           "newAuthenticationPolicy": null,
                     *           "undoes": null,
                     *           "importRun": null,
                     *           "deletedNodeIds": [],
                     *           "deletedRoles": 0,
                     *           "deletedDevices": 0,
                     *           "deletedRelationIds": []
                     *         }
                     *       ],
                     *       "nextRevision": 3020
                     *     }
                     */
                    "application/json": components["schemas"]["ChangeList"];
                    "text/csv": string;
                };
            };
            /** @description Bad Request: `Missing or misformatted query parameter or body` */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
            /** @description Unauthorized: `NO_TOKEN_PROVIDED`, `Failed to verify token` */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
            /** @description Request Timeout: `The request body did not arrive in time` */
            408: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
            /** @description Payload Too Large: `The request body is too large` */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
            /** @description Unsupported Media Type: `The request body must be sent as application/json, without compression` */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
            /** @description Too Many Requests: `TOO_MANY_WAITS` */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
            /** @description Internal Server Error: `Internal server error` */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
            /** @description Service Unavailable: `The service is temporarily unavailable, try again later` */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
        };
    };
    undoChange: {
        parameters: {
            query?: {
                /**
                 * @description Return what the change would do as `effect`, and change nothing. Ids that it would draw are null
                 * @example false
                 */
                dryRun?: boolean;
            };
            header?: {
                /** @description The `tag` of an effect that a dry run of the same request returned: make the change only if that is still its effect. Otherwise the response is a 409, and nothing is done. Not together with `dryRun`. */
                "If-Effect"?: string;
            };
            path: {
                /**
                 * @description The revision of the change to undo
                 * @example 8190
                 */
                revision: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "X-Rolegrid-Revision": components["headers"]["Revision"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "undoes": 8190
                     *     }
                     */
                    "application/json": components["schemas"]["Undone"];
                };
            };
            /** @description Bad Request: `Missing or misformatted query parameter or body` */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
            /** @description Unauthorized: `NO_TOKEN_PROVIDED`, `Failed to verify token` */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
            /** @description Forbidden: `User does not have sufficient rights` */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
            /** @description Conflict: `CANNOT_UNDO`, `CHANGED_SINCE`, `The proposed manages relation cannot be added since it would create a cycle in the role graph`, `The role would be left without a role that manages it`, `The root role would be left without a member`, `The root role would be left without a lasting member with roleManagement`, `The externalId is that of another one below the same root role: give this one a different externalId`, `The device has monitors relations that you may not end: ask those who manage them to do it`, `100 roles monitor the device already, or 200 have: delete one of these relations, or let a role above monitor the device`, `EFFECT_CHANGED` */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
            /** @description Unprocessable Entity: `The period does not lie within that of a relation by which you manage the device`, `The change affects too many pairs of roles` */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
            /** @description Too Many Requests: `TOO_MANY_PREVIEWS` */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
            /** @description Internal Server Error: `Internal server error` */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
            /** @description Service Unavailable: `The service is temporarily unavailable, try again later` */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
        };
    };
    collectCompanies: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "X-Rolegrid-Revision": components["headers"]["Revision"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "company": []
                     *     }
                     */
                    "application/json": components["schemas"]["CompanyList"];
                };
            };
            /** @description Bad Request: `Missing or misformatted query parameter or body` */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
            /** @description Unauthorized: `NO_TOKEN_PROVIDED`, `Failed to verify token` */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
            /** @description Internal Server Error: `Internal server error` */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
            /** @description Service Unavailable: `The service is temporarily unavailable, try again later` */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
        };
    };
    collectDevices: {
        parameters: {
            query?: {
                /**
                 * @description Only devices with one of these ids
                 * @example [
                 *       1107
                 *     ]
                 */
                id?: number[];
                /** @description Only devices whose nodeId is one of these */
                nodeId?: string[];
                /** @description Only devices with one of these external ids that the caller may update */
                externalId?: string[];
                /** @description Only devices that one of these roles monitors */
                roleId?: number[];
                /** @description Only devices that one of these roles, or a role below one of them, monitors; at most 32 roles */
                ancestorRoleId?: number[];
                /** @description Instead of the devices that the caller sees now, those that they no longer see, and whose telemetry they may read for the time in which one of their roles monitored them. Not together with `externalId`, `property`, `fields` or `skipHash`, which are about what a device is now */
                ended?: boolean;
                /** @description Ignored: devices of all types are returned. To this service `nodeType` is a property like any other */
                nodeType?: string[];
                /** @description Ignored: all devices are returned. This service does not know which of them are active */
                isActive?: boolean;
                /** @description What to return of each device besides `id`: `externalId`, `lastUpdate`, `properties`, `userRights`, or names of single properties. If only properties are named, the other three are returned, too. An empty list returns everything */
                fields?: string[];
                /** @description The response is a 204 without a body if this is the hash of all matching devices: sort them by `id`, concatenate their `lastUpdate`, and encode the SHA-256 of that text in base64. It does not cover `userRights`. Not together with `limit` or `cursor` */
                skipHash?: string;
                /** @description Maximum number of results, from 1 to 1000. Without `limit` and `cursor`, all results are returned */
                limit?: number;
                /** @description `nextCursor` of the previous page */
                cursor?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "X-Rolegrid-Revision": components["headers"]["Revision"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "device": [
                     *         {
                     *           "id": 1107,
                     *           "properties": {
                     *             "nodeId": "house-meter-1"
                     *           },
                     *           "lastUpdate": "2026-01-01T09:00:00.000Z",
                     *           "userRights": {
                     *             "propertyEditabilities": {},
                     *             "monitorManagement": true
                     *           }
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["DeviceList"];
                };
            };
            /** @description The hash in `skipHash` is that of the devices: nothing has changed */
            204: {
                headers: {
                    "X-Rolegrid-Revision": components["headers"]["Revision"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Bad Request: `Missing or misformatted query parameter or body` */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
            /** @description Unauthorized: `NO_TOKEN_PROVIDED`, `Failed to verify token` */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
            /** @description Internal Server Error: `Internal server error` */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
            /** @description Service Unavailable: `The service is temporarily unavailable, try again later` */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
        };
    };
    createDevice: {
        parameters: {
            query: {
                /**
                 * @description Id of the role
                 * @example 1017
                 */
                roleId: number;
                /** @description Return what the change would do as `effect`, and change nothing. Ids that it would draw are null */
                dryRun?: boolean;
            };
            header?: {
                /**
                 * @description A unique value that the client chooses for each new request, of 1 to 64 printable ASCII characters. If the same request is repeated with the same key within 24 hours, for example after a lost response, the first success is returned again and nothing is created. A different request with the same key gets a 422. A refused request does not use up the key.
                 * @example heat-pump-7b1c4e
                 */
                "Idempotency-Key"?: string;
                /** @description The `tag` of an effect that a dry run of the same request returned: make the change only if that is still its effect. Otherwise the response is a 409, and nothing is done. Not together with `dryRun`. */
                "If-Effect"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "properties": {
                 *         "nodeId": "heat-pump-1",
                 *         "name": "Heat pump"
                 *       }
                 *     }
                 */
                "application/json": components["schemas"]["NewDevice"] | components["schemas"]["NewDevice"][];
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "X-Rolegrid-Revision": components["headers"]["Revision"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "device": {
                     *         "id": 1112,
                     *         "properties": {
                     *           "nodeId": "heat-pump-1",
                     *           "name": "Heat pump"
                     *         },
                     *         "lastUpdate": "2026-01-08T17:30:00.000Z",
                     *         "userRights": {
                     *           "propertyEditabilities": {},
                     *           "monitorManagement": true
                     *         }
                     *       },
                     *       "monitors": {
                     *         "id": 2071,
                     *         "roleId": 1017,
                     *         "deviceId": 1112
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["CreatedDevice"] | components["schemas"]["CreatedDevice"][];
                };
            };
            /** @description Bad Request: `Missing or misformatted query parameter or body` */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
            /** @description Unauthorized: `NO_TOKEN_PROVIDED`, `Failed to verify token` */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
            /** @description Forbidden: `User does not have sufficient rights` */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
            /** @description Request Timeout: `The request body did not arrive in time` */
            408: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
            /** @description Conflict: `The nodeId belongs to another device`, `The externalId is that of another one below the same root role: give this one a different externalId`, `EFFECT_CHANGED` */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
            /** @description Payload Too Large: `The request body is too large` */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
            /** @description Unsupported Media Type: `The request body must be sent as application/json, without compression` */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
            /** @description Unprocessable Entity: `The Idempotency-Key was already used for a different request: send this one with a new key` */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
            /** @description Too Many Requests: `TOO_MANY_PREVIEWS` */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
            /** @description Internal Server Error: `Internal server error` */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
            /** @description Service Unavailable: `The service is temporarily unavailable, try again later` */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
        };
    };
    queryDevices: {
        parameters: {
            query?: {
                /** @description Maximum number of results, from 1 to 1000. Without `limit` and `cursor`, all results are returned */
                limit?: number;
                /** @description `nextCursor` of the previous page */
                cursor?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: {
            content: {
                /**
                 * @example {
                 *       "filter": {
                 *         "roleId": [
                 *           1017
                 *         ]
                 *       },
                 *       "limit": 100
                 *     }
                 */
                "application/json": {
                    filter?: {
                        /** @description Only devices with one of these ids */
                        id?: number[];
                        /** @description Only devices whose nodeId is one of these */
                        nodeId?: string[];
                        /** @description Only devices with one of these external ids that the caller may update */
                        externalId?: string[];
                        /** @description Only devices that one of these roles monitors */
                        roleId?: number[];
                        /** @description Only devices that one of these roles, or a role below one of them, monitors; at most 32 roles */
                        ancestorRoleId?: number[];
                        /** @description Instead of the devices that the caller sees now, those that they no longer see, and whose telemetry they may read for the time in which one of their roles monitored them. Not together with `externalId`, `property`, `fields` or `skipHash`, which are about what a device is now */
                        ended?: boolean;
                        /** @description Only devices whose top-level properties with these names are each one of these texts. No number matches, nor a text in another case. At most 5 properties with 100 texts each; the names have no `"` and no `\`. The filter goes through all devices that the others leave: with `limit`, a page may be short or empty although others follow */
                        property?: {
                            [key: string]: string[];
                        };
                        /** @description Ignored: devices of all types are returned. To this service `nodeType` is a property like any other */
                        nodeType?: string[];
                        /** @description Ignored: all devices are returned. This service does not know which of them are active */
                        isActive?: boolean;
                    };
                    /** @description What to return of each device besides `id`: `externalId`, `lastUpdate`, `properties`, `userRights`, or names of single properties. If only properties are named, the other three are returned, too. An empty list returns everything */
                    fields?: string[];
                    /** @description The response is a 204 without a body if this is the hash of all matching devices: sort them by `id`, concatenate their `lastUpdate`, and encode the SHA-256 of that text in base64. It does not cover `userRights`. Not together with `limit` or `cursor` */
                    skipHash?: string;
                    /** @description Maximum number of results, from 1 to 1000. Without `limit` and `cursor`, all results are returned */
                    limit?: number;
                    /** @description `nextCursor` of the previous page */
                    cursor?: string;
                };
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "X-Rolegrid-Revision": components["headers"]["Revision"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "device": [
                     *         {
                     *           "id": 1107,
                     *           "properties": {
                     *             "nodeId": "house-meter-1"
                     *           },
                     *           "lastUpdate": "2026-01-01T09:00:00.000Z",
                     *           "userRights": {
                     *             "propertyEditabilities": {},
                     *             "monitorManagement": true
                     *           }
                     *         }
                     *       ],
                     *       "nextCursor": null
                     *     }
                     */
                    "application/json": components["schemas"]["DeviceList"];
                };
            };
            /** @description The hash in `skipHash` is that of the devices: nothing has changed */
            204: {
                headers: {
                    "X-Rolegrid-Revision": components["headers"]["Revision"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Bad Request: `Missing or misformatted query parameter or body` */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
            /** @description Unauthorized: `NO_TOKEN_PROVIDED`, `Failed to verify token` */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
            /** @description Request Timeout: `The request body did not arrive in time` */
            408: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
            /** @description Payload Too Large: `The request body is too large` */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
            /** @description Unsupported Media Type: `The request body must be sent as application/json, without compression` */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
            /** @description Internal Server Error: `Internal server error` */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
            /** @description Service Unavailable: `The service is temporarily unavailable, try again later` */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
        };
    };
    transferDevices: {
        parameters: {
            query: {
                /**
                 * @description Id of the role
                 * @example 1042
                 */
                toRoleId: number;
                /** @description Return what the change would do as `effect`, and change nothing. Ids that it would draw are null */
                dryRun?: boolean;
            };
            header?: {
                /** @description A unique value that the client chooses for each new request, of 1 to 64 printable ASCII characters. If the same request is repeated with the same key within 24 hours, for example after a lost response, the first success is returned again and nothing is created. A different request with the same key gets a 422. A refused request does not use up the key. */
                "Idempotency-Key"?: string;
                /** @description The `tag` of an effect that a dry run of the same request returned: make the change only if that is still its effect. Otherwise the response is a 409, and nothing is done. Not together with `dryRun`. */
                "If-Effect"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "deviceId": [
                 *         1107
                 *       ]
                 *     }
                 */
                "application/json": {
                    /** @description 1 to 100 devices */
                    deviceId: number[];
                };
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "X-Rolegrid-Revision": components["headers"]["Revision"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "monitors": [
                     *         {
                     *           "id": 2071,
                     *           "roleId": 1042,
                     *           "deviceId": 1107,
                     *           "from": "2026-01-08T17:30:00.000Z"
                     *         }
                     *       ],
                     *       "endedRelationIds": [
                     *         2066
                     *       ],
                     *       "deletedRelationIds": []
                     *     }
                     */
                    "application/json": components["schemas"]["Transfers"];
                };
            };
            /** @description Bad Request: `Missing or misformatted query parameter or body` */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
            /** @description Unauthorized: `NO_TOKEN_PROVIDED`, `Failed to verify token` */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
            /** @description Forbidden: `User does not have sufficient rights` */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
            /** @description Request Timeout: `The request body did not arrive in time` */
            408: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
            /** @description Conflict: `The device has monitors relations that you may not end: ask those who manage them to do it`, `100 roles monitor the device already, or 200 have: delete one of these relations, or let a role above monitor the device`, `EFFECT_CHANGED` */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
            /** @description Payload Too Large: `The request body is too large` */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
            /** @description Unsupported Media Type: `The request body must be sent as application/json, without compression` */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
            /** @description Unprocessable Entity: `The Idempotency-Key was already used for a different request: send this one with a new key` */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
            /** @description Too Many Requests: `TOO_MANY_PREVIEWS` */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
            /** @description Internal Server Error: `Internal server error` */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
            /** @description Service Unavailable: `The service is temporarily unavailable, try again later` */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
        };
    };
    updateDevice: {
        parameters: {
            query?: {
                /**
                 * @description `legacy`, the default, keeps the top-level properties that the request does not mention. `replace`, or `strict`, removes them
                 * @example legacy
                 */
                mode?: "legacy" | "replace" | "strict";
            };
            header?: {
                /**
                 * @description Updates the device only if its `lastUpdate` is not later than this time. Whole seconds are compared. An HTTP date, or an RFC 3339 time such as a `lastUpdate`; any other value is ignored
                 * @example Thu, 01 Jan 2026 09:00:00 GMT
                 */
                "If-Unmodified-Since"?: string;
            };
            path: {
                /**
                 * @description Id of the device
                 * @example 1107
                 */
                deviceId: number;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "properties": {
                 *         "name": "House meter",
                 *         "nodeType": "meter"
                 *       }
                 *     }
                 */
                "application/json": {
                    /** @description `nodeId` and any other JSON values, returned as they were sent; at most 16384 bytes of UTF-8 and 8 levels of nesting. `nodeId` may be left out */
                    properties: {
                        /** @description The identifier under which the device writes telemetry: unique, fixed once set, 1 to 128 characters, no control characters. It is stored without the blanks at its ends and in NFC */
                        nodeId?: string;
                    } & {
                        [key: string]: unknown;
                    };
                    /** @description The id of the device in another system, unique among the devices below the same root role: 1 to 128 characters, no control characters; null: none. It is stored without the blanks at its ends and in NFC. Without it, the present one stays */
                    externalId?: string | null;
                    id?: unknown;
                    lastUpdate?: unknown;
                    userRights?: unknown;
                };
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "X-Rolegrid-Revision": components["headers"]["Revision"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "device": {
                     *         "id": 1107,
                     *         "properties": {
                     *           "nodeId": "house-meter-1",
                     *           "name": "House meter",
                     *           "nodeType": "meter"
                     *         },
                     *         "lastUpdate": "2026-01-08T17:30:00.000Z",
                     *         "userRights": {
                     *           "propertyEditabilities": {},
                     *           "monitorManagement": true
                     *         }
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["DeviceResponse"];
                };
            };
            /** @description Bad Request: `Missing or misformatted query parameter or body` */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
            /** @description Unauthorized: `NO_TOKEN_PROVIDED`, `Failed to verify token` */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
            /** @description Forbidden: `User does not have sufficient rights` */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
            /** @description Request Timeout: `The request body did not arrive in time` */
            408: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
            /** @description Conflict: `The nodeId of a device cannot be changed`, `The externalId is that of another one below the same root role: give this one a different externalId` */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
            /** @description Precondition Failed: `The device was modified after the specified time` */
            412: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
            /** @description Payload Too Large: `The request body is too large` */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
            /** @description Unsupported Media Type: `The request body must be sent as application/json, without compression` */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
            /** @description Unprocessable Entity: `The properties of the device would be larger than 16384 bytes` */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
            /** @description Internal Server Error: `Internal server error` */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
            /** @description Service Unavailable: `The service is temporarily unavailable, try again later` */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
        };
    };
    transferDevice: {
        parameters: {
            query: {
                /**
                 * @description Id of the role
                 * @example 1042
                 */
                toRoleId: number;
                /** @description Return what the change would do as `effect`, and change nothing. Ids that it would draw are null */
                dryRun?: boolean;
            };
            header?: {
                /** @description The `tag` of an effect that a dry run of the same request returned: make the change only if that is still its effect. Otherwise the response is a 409, and nothing is done. Not together with `dryRun`. */
                "If-Effect"?: string;
            };
            path: {
                /**
                 * @description Id of the device
                 * @example 1107
                 */
                deviceId: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "X-Rolegrid-Revision": components["headers"]["Revision"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "monitors": {
                     *         "id": 2071,
                     *         "roleId": 1042,
                     *         "deviceId": 1107,
                     *         "from": "2026-01-08T17:30:00.000Z"
                     *       },
                     *       "endedRelationIds": [
                     *         2066
                     *       ],
                     *       "deletedRelationIds": []
                     *     }
                     */
                    "application/json": components["schemas"]["Transfer"];
                };
            };
            /** @description Bad Request: `Missing or misformatted query parameter or body` */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
            /** @description Unauthorized: `NO_TOKEN_PROVIDED`, `Failed to verify token` */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
            /** @description Forbidden: `User does not have sufficient rights` */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
            /** @description Conflict: `The device has monitors relations that you may not end: ask those who manage them to do it`, `100 roles monitor the device already, or 200 have: delete one of these relations, or let a role above monitor the device`, `EFFECT_CHANGED` */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
            /** @description Too Many Requests: `TOO_MANY_PREVIEWS` */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
            /** @description Internal Server Error: `Internal server error` */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
            /** @description Service Unavailable: `The service is temporarily unavailable, try again later` */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
        };
    };
    queryGrants: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "filter": {
                 *         "grantedBy": {
                 *           "userEmail": "ada@example.com"
                 *         },
                 *         "kind": "membership"
                 *       }
                 *     }
                 */
                "application/json": {
                    filter: {
                        grantedBy: {
                            /**
                             * Format: email
                             * @description Address of the user who gave. Finds only what they gave through a role that the caller is a member of, or above which the caller is a member
                             */
                            userEmail: string;
                        } | {
                            /**
                             * Format: int64
                             * @description Id of the account of the user who gave
                             */
                            userId: number;
                        } | {
                            /**
                             * Format: int64
                             * @description Id of the key that gave
                             */
                            keyId: number;
                        };
                        /**
                         * Format: int64
                         * @description Only what was given on this role
                         */
                        roleId?: number;
                        /** @description Only grants of this kind, or of one of these kinds */
                        kind?: ("membership" | "key" | "rolePassword" | "relation") | ("membership" | "key" | "rolePassword" | "relation")[];
                    };
                    /**
                     * @description Maximum number of grants, from 1 to 1000
                     * @default 100
                     */
                    limit?: number;
                    /** @description `nextCursor` of the previous page */
                    cursor?: string;
                };
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "X-Rolegrid-Revision": components["headers"]["Revision"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "grant": [
                     *         {
                     *           "kind": "membership",
                     *           "id": 2063,
                     *           "roleId": 1001,
                     *           "userEmail": "grace@example.com",
                     *           "viaRoleId": 1001
                     *         }
                     *       ],
                     *       "nextCursor": null,
                     *       "revision": 8206
                     *     }
                     */
                    "application/json": components["schemas"]["GrantList"];
                };
            };
            /** @description Bad Request: `Missing or misformatted query parameter or body` */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
            /** @description Unauthorized: `NO_TOKEN_PROVIDED`, `Failed to verify token` */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
            /** @description Request Timeout: `The request body did not arrive in time` */
            408: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
            /** @description Payload Too Large: `The request body is too large` */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
            /** @description Unsupported Media Type: `The request body must be sent as application/json, without compression` */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
            /** @description Internal Server Error: `Internal server error` */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
            /** @description Service Unavailable: `The service is temporarily unavailable, try again later` */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
        };
    };
    checkRights: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "checks": [
                 *         {
                 *           "roleId": 1017,
                 *           "right": "roleManagement"
                 *         },
                 *         {
                 *           "roleId": 1042,
                 *           "right": "viewManagement"
                 *         }
                 *       ]
                 *     }
                 */
                "application/json": {
                    checks: {
                        /** Format: int64 */
                        roleId: number;
                        /** @enum {string} */
                        right: "roleManagement" | "userManagement" | "viewManagement" | "deviceManagement" | "reportManagement" | "alarmManagement";
                    }[];
                    asOf?: components["schemas"]["AsOf"];
                };
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "X-Rolegrid-Revision": components["headers"]["Revision"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "allowed": [
                     *         true,
                     *         true
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["RightsCheckResult"];
                };
            };
            /** @description Bad Request: `Missing or misformatted query parameter or body` */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
            /** @description Unauthorized: `NO_TOKEN_PROVIDED`, `Failed to verify token` */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
            /** @description Request Timeout: `The request body did not arrive in time` */
            408: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
            /** @description Gone: `BEFORE_HISTORY` */
            410: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
            /** @description Payload Too Large: `The request body is too large` */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
            /** @description Unsupported Media Type: `The request body must be sent as application/json, without compression` */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
            /** @description Unprocessable Entity: `More relations lead to these roles than a request may follow: ask about fewer roles at a time` */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
            /** @description Internal Server Error: `Internal server error` */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
            /** @description Service Unavailable: `The service is temporarily unavailable, try again later` */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
        };
    };
    explainRight: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "roleId": 1042,
                 *       "right": "alarmManagement",
                 *       "userEmail": "grace@example.com"
                 *     }
                 */
                "application/json": {
                    /**
                     * Format: int64
                     * @description Id of the role
                     */
                    roleId: number;
                    /**
                     * @description The right to explain; `member`: access itself, which every way gives
                     * @enum {string}
                     */
                    right: "roleManagement" | "userManagement" | "viewManagement" | "deviceManagement" | "reportManagement" | "alarmManagement" | "member";
                    /** @description Whose right it is; case does not matter. By default, the caller's */
                    userEmail?: string;
                    /**
                     * Format: int64
                     * @description The key whose right it is, in place of a user
                     */
                    keyId?: number;
                    asOf?: components["schemas"]["AsOf"];
                };
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "X-Rolegrid-Revision": components["headers"]["Revision"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "allowed": false,
                     *       "revision": 3020,
                     *       "ways": [],
                     *       "blocked": [
                     *         {
                     *           "memberOf": {
                     *             "roleId": 1001,
                     *             "name": "Energy Inc"
                     *           },
                     *           "relations": [
                     *             {
                     *               "managesId": 2016,
                     *               "parentRoleId": 1001,
                     *               "childRoleId": 1017,
                     *               "name": "Plant North",
                     *               "rights": [
                     *                 "roleManagement",
                     *                 "alarmManagement"
                     *               ]
                     *             },
                     *             {
                     *               "managesId": 2058,
                     *               "parentRoleId": 1017,
                     *               "childRoleId": 1042,
                     *               "name": "Hall 2",
                     *               "rights": [
                     *                 "roleManagement",
                     *                 "viewManagement"
                     *               ]
                     *             }
                     *           ],
                     *           "lostAt": [
                     *             2058
                     *           ]
                     *         }
                     *       ],
                     *       "fix": [
                     *         {
                     *           "managesId": 2058,
                     *           "right": "alarmManagement",
                     *           "mayYou": true
                     *         }
                     *       ],
                     *       "truncated": false
                     *     }
                     */
                    "application/json": components["schemas"]["Explanation"];
                };
            };
            /** @description Bad Request: `Missing or misformatted query parameter or body` */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
            /** @description Unauthorized: `NO_TOKEN_PROVIDED`, `Failed to verify token` */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
            /** @description Request Timeout: `The request body did not arrive in time` */
            408: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
            /** @description Gone: `BEFORE_HISTORY` */
            410: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
            /** @description Payload Too Large: `The request body is too large` */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
            /** @description Unsupported Media Type: `The request body must be sent as application/json, without compression` */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
            /** @description Unprocessable Entity: `More relations lead to these roles than a request may follow: ask about fewer roles at a time` */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
            /** @description Internal Server Error: `Internal server error` */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
            /** @description Service Unavailable: `The service is temporarily unavailable, try again later` */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
        };
    };
    collectRoles: {
        parameters: {
            query?: {
                /**
                 * @description Only roles with one of these ids
                 * @example [
                 *       1017
                 *     ]
                 */
                id?: number[];
                /** @description Only roles whose name is one of these */
                name?: string[];
                /** @description Only roles with one of these external ids that the caller may update */
                externalId?: string[];
                /** @description Only roles below one of these roles */
                ancestorRoleId?: number[];
                "userRights.roleManagement"?: boolean;
                "userRights.userManagement"?: boolean;
                /** @example true */
                "userRights.viewManagement"?: boolean;
                "userRights.deviceManagement"?: boolean;
                "userRights.reportManagement"?: boolean;
                "userRights.alarmManagement"?: boolean;
                /** @description Maximum number of results, from 1 to 1000. Without `limit` and `cursor`, all results are returned */
                limit?: number;
                /** @description `nextCursor` of the previous page */
                cursor?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "X-Rolegrid-Revision": components["headers"]["Revision"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "role": [
                     *         {
                     *           "id": 1017,
                     *           "name": "Plant North",
                     *           "selfRights": {
                     *             "roleManagement": false,
                     *             "userManagement": false,
                     *             "viewManagement": true,
                     *             "deviceManagement": false,
                     *             "reportManagement": true,
                     *             "alarmManagement": false
                     *           },
                     *           "userRights": {
                     *             "viewManagement": true
                     *           }
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["RoleList"];
                };
            };
            /** @description Bad Request: `Missing or misformatted query parameter or body` */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
            /** @description Unauthorized: `NO_TOKEN_PROVIDED`, `Failed to verify token` */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
            /** @description Internal Server Error: `Internal server error` */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
            /** @description Service Unavailable: `The service is temporarily unavailable, try again later` */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
        };
    };
    createRole: {
        parameters: {
            query: {
                /**
                 * @description Id of the parent role
                 * @example 1017
                 */
                parentRoleId: number;
            };
            header?: {
                /**
                 * @description A unique value that the client chooses for each new request, of 1 to 64 printable ASCII characters. If the same request is repeated with the same key within 24 hours, for example after a lost response, the first success is returned again and nothing is created. A different request with the same key gets a 422. A refused request does not use up the key.
                 * @example storage-7b1c4e
                 */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "manages": {
                 *         "roleManagement": true,
                 *         "userManagement": true,
                 *         "viewManagement": true,
                 *         "deviceManagement": true,
                 *         "reportManagement": true,
                 *         "alarmManagement": true
                 *       },
                 *       "role": {
                 *         "name": "Storage",
                 *         "selfRights": {
                 *           "roleManagement": false,
                 *           "userManagement": false,
                 *           "viewManagement": true,
                 *           "deviceManagement": false,
                 *           "reportManagement": true,
                 *           "alarmManagement": false
                 *         }
                 *       }
                 *     }
                 */
                "application/json": {
                    manages: {
                        roleManagement: boolean;
                        userManagement: boolean;
                        viewManagement: boolean;
                        deviceManagement: boolean;
                        reportManagement: boolean;
                        alarmManagement: boolean;
                        id?: unknown;
                        parentRoleId?: unknown;
                        childRoleId?: unknown;
                    };
                    role: {
                        /** @description 1 to 256 characters without the blanks at its ends, no control characters */
                        name: string;
                        /** @description The id of the role in another system, unique among the roles below the same root role: 1 to 128 characters, no control characters; null: none. It is stored without the blanks at its ends and in NFC. */
                        externalId?: string | null;
                        selfRights: components["schemas"]["Rights"];
                        id?: unknown;
                        userRights?: unknown;
                    };
                };
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "X-Rolegrid-Revision": components["headers"]["Revision"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "manages": {
                     *         "id": 2071,
                     *         "parentRoleId": 1017,
                     *         "childRoleId": 1043,
                     *         "roleManagement": true,
                     *         "userManagement": true,
                     *         "viewManagement": true,
                     *         "deviceManagement": true,
                     *         "reportManagement": true,
                     *         "alarmManagement": true
                     *       },
                     *       "role": {
                     *         "id": 1043,
                     *         "name": "Storage",
                     *         "selfRights": {
                     *           "roleManagement": false,
                     *           "userManagement": false,
                     *           "viewManagement": true,
                     *           "deviceManagement": false,
                     *           "reportManagement": true,
                     *           "alarmManagement": false
                     *         },
                     *         "userRights": {
                     *           "roleManagement": true,
                     *           "userManagement": true,
                     *           "viewManagement": true,
                     *           "deviceManagement": true,
                     *           "reportManagement": true,
                     *           "alarmManagement": true
                     *         }
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["CreatedRole"];
                };
            };
            /** @description Bad Request: `Missing or misformatted query parameter or body` */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
            /** @description Unauthorized: `NO_TOKEN_PROVIDED`, `Failed to verify token` */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
            /** @description Forbidden: `User does not have sufficient rights` */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
            /** @description Request Timeout: `The request body did not arrive in time` */
            408: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
            /** @description Conflict: `The role would be left without a role that manages it`, `The externalId is that of another one below the same root role: give this one a different externalId` */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
            /** @description Payload Too Large: `The request body is too large` */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
            /** @description Unsupported Media Type: `The request body must be sent as application/json, without compression` */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
            /** @description Unprocessable Entity: `The change affects too many pairs of roles`, `The Idempotency-Key was already used for a different request: send this one with a new key` */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
            /** @description Internal Server Error: `Internal server error` */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
            /** @description Service Unavailable: `The service is temporarily unavailable, try again later` */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
        };
    };
    queryRoles: {
        parameters: {
            query?: {
                /** @description Maximum number of results, from 1 to 1000. Without `limit` and `cursor`, all results are returned */
                limit?: number;
                /** @description `nextCursor` of the previous page */
                cursor?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: {
            content: {
                /**
                 * @example {
                 *       "filter": {
                 *         "ancestorRoleId": [
                 *           1001
                 *         ]
                 *       },
                 *       "userRights": {
                 *         "roleManagement": true,
                 *         "viewManagement": true
                 *       },
                 *       "limit": 100
                 *     }
                 */
                "application/json": {
                    filter?: {
                        /** @description Only roles with one of these ids */
                        id?: number[];
                        /** @description Only roles whose name is one of these */
                        name?: string[];
                        /** @description Only roles with one of these external ids that the caller may update */
                        externalId?: string[];
                        /** @description Only roles below one of these roles */
                        ancestorRoleId?: number[];
                        /** @description Only roles whose name begins like this; case does not matter */
                        namePrefix?: string;
                    };
                    /** @description The rights to return, each as `true`; by default all six */
                    userRights?: {
                        roleManagement?: boolean;
                        userManagement?: boolean;
                        viewManagement?: boolean;
                        deviceManagement?: boolean;
                        reportManagement?: boolean;
                        alarmManagement?: boolean;
                    };
                    /** @description Maximum number of results, from 1 to 1000. Without `limit` and `cursor`, all results are returned */
                    limit?: number;
                    /** @description `nextCursor` of the previous page */
                    cursor?: string;
                };
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "X-Rolegrid-Revision": components["headers"]["Revision"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "role": [
                     *         {
                     *           "id": 1017,
                     *           "name": "Plant North",
                     *           "selfRights": {
                     *             "roleManagement": false,
                     *             "userManagement": false,
                     *             "viewManagement": true,
                     *             "deviceManagement": false,
                     *             "reportManagement": true,
                     *             "alarmManagement": false
                     *           },
                     *           "userRights": {
                     *             "roleManagement": true,
                     *             "viewManagement": true
                     *           }
                     *         }
                     *       ],
                     *       "nextCursor": null
                     *     }
                     */
                    "application/json": components["schemas"]["RoleList"];
                };
            };
            /** @description Bad Request: `Missing or misformatted query parameter or body` */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
            /** @description Unauthorized: `NO_TOKEN_PROVIDED`, `Failed to verify token` */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
            /** @description Request Timeout: `The request body did not arrive in time` */
            408: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
            /** @description Payload Too Large: `The request body is too large` */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
            /** @description Unsupported Media Type: `The request body must be sent as application/json, without compression` */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
            /** @description Internal Server Error: `Internal server error` */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
            /** @description Service Unavailable: `The service is temporarily unavailable, try again later` */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
        };
    };
    summarizeRoles: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "id": [
                 *         1017
                 *       ]
                 *     }
                 */
                "application/json": {
                    id: number[];
                };
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "X-Rolegrid-Revision": components["headers"]["Revision"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "summary": [
                     *         {
                     *           "id": 1017,
                     *           "parents": 1,
                     *           "children": 1,
                     *           "descendants": 1
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["RoleSummaryList"];
                };
            };
            /** @description Bad Request: `Missing or misformatted query parameter or body` */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
            /** @description Unauthorized: `NO_TOKEN_PROVIDED`, `Failed to verify token` */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
            /** @description Request Timeout: `The request body did not arrive in time` */
            408: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
            /** @description Payload Too Large: `The request body is too large` */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
            /** @description Unsupported Media Type: `The request body must be sent as application/json, without compression` */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
            /** @description Internal Server Error: `Internal server error` */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
            /** @description Service Unavailable: `The service is temporarily unavailable, try again later` */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
        };
    };
    collectManages: {
        parameters: {
            query?: {
                /** @description Only relations with one of these ids */
                id?: number[];
                /**
                 * @description Only relations to one of these roles
                 * @example [
                 *       1042
                 *     ]
                 */
                childRoleId?: number[];
                /** @description Maximum number of results, from 1 to 1000. Without `limit` and `cursor`, all results are returned */
                limit?: number;
                /** @description `nextCursor` of the previous page */
                cursor?: string;
            };
            header?: never;
            path: {
                /**
                 * @description A role id, a comma-separated list of role ids, or `*` for all roles
                 * @example [
                 *       1017
                 *     ]
                 */
                parentRoleId: "*" | number[];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "X-Rolegrid-Revision": components["headers"]["Revision"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "manages": [
                     *         {
                     *           "id": 2058,
                     *           "parentRoleId": 1017,
                     *           "childRoleId": 1042,
                     *           "roleManagement": true,
                     *           "userManagement": true,
                     *           "viewManagement": true,
                     *           "deviceManagement": true,
                     *           "reportManagement": true,
                     *           "alarmManagement": true
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["ManagesList"];
                };
            };
            /** @description Bad Request: `Missing or misformatted query parameter or body` */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
            /** @description Unauthorized: `NO_TOKEN_PROVIDED`, `Failed to verify token` */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
            /** @description Internal Server Error: `Internal server error` */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
            /** @description Service Unavailable: `The service is temporarily unavailable, try again later` */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
        };
    };
    putManages: {
        parameters: {
            query: {
                /**
                 * @description Id of the child role
                 * @example 1042
                 */
                childRoleId: number;
                /** @description Id of another relation to the child role, which is deleted in the same change: this moves the child role */
                replaces?: number;
                /** @description Return what the change would do as `effect`, and change nothing. Ids that it would draw are null */
                dryRun?: boolean;
                /** @description Password of the child role. The header `X-Child-Role-Password` is safer, since URLs are often logged */
                childRolePassword?: string;
            };
            header?: {
                /** @description Password of the child role, in UTF-8 */
                "X-Child-Role-Password"?: string;
                /** @description The `tag` of an effect that a dry run of the same request returned: make the change only if that is still its effect. Otherwise the response is a 409, and nothing is done. Not together with `dryRun`. */
                "If-Effect"?: string;
            };
            path: {
                /**
                 * @description Id of the parent role
                 * @example 1001
                 */
                parentRoleId: number;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "roleManagement": false,
                 *       "userManagement": false,
                 *       "viewManagement": true,
                 *       "deviceManagement": false,
                 *       "reportManagement": true,
                 *       "alarmManagement": false
                 *     }
                 */
                "application/json": {
                    roleManagement: boolean;
                    userManagement: boolean;
                    viewManagement: boolean;
                    deviceManagement: boolean;
                    reportManagement: boolean;
                    alarmManagement: boolean;
                    id?: unknown;
                    parentRoleId?: unknown;
                    childRoleId?: unknown;
                };
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "X-Rolegrid-Revision": components["headers"]["Revision"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "manages": {
                     *         "id": 2071,
                     *         "parentRoleId": 1001,
                     *         "childRoleId": 1042,
                     *         "roleManagement": false,
                     *         "userManagement": false,
                     *         "viewManagement": true,
                     *         "deviceManagement": false,
                     *         "reportManagement": true,
                     *         "alarmManagement": false
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["ManagesResponse"];
                };
            };
            /** @description Bad Request: `Missing or misformatted query parameter or body` */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
            /** @description Unauthorized: `NO_TOKEN_PROVIDED`, `Failed to verify token` */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
            /** @description Forbidden: `User does not have sufficient rights` */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
            /** @description Request Timeout: `The request body did not arrive in time` */
            408: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
            /** @description Conflict: `The proposed manages relation cannot be added since it would create a cycle in the role graph`, `The role would be left without a role that manages it`, `EFFECT_CHANGED` */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
            /** @description Payload Too Large: `The request body is too large` */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
            /** @description Unsupported Media Type: `The request body must be sent as application/json, without compression` */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
            /** @description Unprocessable Entity: `The change affects too many pairs of roles` */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
            /** @description Too Many Requests: `The provided childRolePassword query parameter cannot be checked, since too many successive failed role query calls occured`, `TOO_MANY_PREVIEWS` */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
            /** @description Internal Server Error: `Internal server error` */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
            /** @description Service Unavailable: `The service is temporarily unavailable, try again later` */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
        };
    };
    queryManages: {
        parameters: {
            query?: {
                /** @description Maximum number of results, from 1 to 1000. Without `limit` and `cursor`, all results are returned */
                limit?: number;
                /** @description `nextCursor` of the previous page */
                cursor?: string;
            };
            header?: never;
            path: {
                /**
                 * @description A role id, a comma-separated list of role ids, or `*` for all roles
                 * @example *
                 */
                parentRoleId: "*" | number[];
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                /**
                 * @example {
                 *       "filter": {
                 *         "childRoleId": [
                 *           1042
                 *         ]
                 *       },
                 *       "limit": 100
                 *     }
                 */
                "application/json": {
                    filter?: {
                        /** @description Only relations with one of these ids */
                        id?: number[];
                        /** @description Only relations to one of these roles */
                        childRoleId?: number[];
                        /** @description Only relations from one of these roles */
                        parentRoleId?: number[];
                    };
                    /** @description Maximum number of results, from 1 to 1000. Without `limit` and `cursor`, all results are returned */
                    limit?: number;
                    /** @description `nextCursor` of the previous page */
                    cursor?: string;
                };
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "X-Rolegrid-Revision": components["headers"]["Revision"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "manages": [
                     *         {
                     *           "id": 2058,
                     *           "parentRoleId": 1017,
                     *           "childRoleId": 1042,
                     *           "roleManagement": true,
                     *           "userManagement": true,
                     *           "viewManagement": true,
                     *           "deviceManagement": true,
                     *           "reportManagement": true,
                     *           "alarmManagement": true
                     *         }
                     *       ],
                     *       "nextCursor": null
                     *     }
                     */
                    "application/json": components["schemas"]["ManagesList"];
                };
            };
            /** @description Bad Request: `Missing or misformatted query parameter or body` */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
            /** @description Unauthorized: `NO_TOKEN_PROVIDED`, `Failed to verify token` */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
            /** @description Request Timeout: `The request body did not arrive in time` */
            408: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
            /** @description Payload Too Large: `The request body is too large` */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
            /** @description Unsupported Media Type: `The request body must be sent as application/json, without compression` */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
            /** @description Internal Server Error: `Internal server error` */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
            /** @description Service Unavailable: `The service is temporarily unavailable, try again later` */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
        };
    };
    updateManages: {
        parameters: {
            query?: {
                /** @description Return what the change would do as `effect`, and change nothing. Ids that it would draw are null */
                dryRun?: boolean;
            };
            header?: {
                /** @description The `tag` of an effect that a dry run of the same request returned: make the change only if that is still its effect. Otherwise the response is a 409, and nothing is done. Not together with `dryRun`. */
                "If-Effect"?: string;
            };
            path: {
                /**
                 * @description Id of the parent role
                 * @example 1017
                 */
                parentRoleId: number;
                /**
                 * @description Id of the manages relation
                 * @example 2058
                 */
                managesId: number;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "roleManagement": true,
                 *       "userManagement": false,
                 *       "viewManagement": true,
                 *       "deviceManagement": false,
                 *       "reportManagement": false,
                 *       "alarmManagement": false
                 *     }
                 */
                "application/json": {
                    roleManagement: boolean;
                    userManagement: boolean;
                    viewManagement: boolean;
                    deviceManagement: boolean;
                    reportManagement: boolean;
                    alarmManagement: boolean;
                    id?: unknown;
                    parentRoleId?: unknown;
                    childRoleId?: unknown;
                };
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "X-Rolegrid-Revision": components["headers"]["Revision"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "manages": {
                     *         "id": 2058,
                     *         "parentRoleId": 1017,
                     *         "childRoleId": 1042,
                     *         "roleManagement": true,
                     *         "userManagement": false,
                     *         "viewManagement": true,
                     *         "deviceManagement": false,
                     *         "reportManagement": false,
                     *         "alarmManagement": false
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["ManagesResponse"];
                };
            };
            /** @description Bad Request: `Missing or misformatted query parameter or body` */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
            /** @description Unauthorized: `NO_TOKEN_PROVIDED`, `Failed to verify token` */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
            /** @description Forbidden: `User does not have sufficient rights` */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
            /** @description Request Timeout: `The request body did not arrive in time` */
            408: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
            /** @description Conflict: `The role would be left without a role that manages it`, `EFFECT_CHANGED` */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
            /** @description Payload Too Large: `The request body is too large` */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
            /** @description Unsupported Media Type: `The request body must be sent as application/json, without compression` */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
            /** @description Unprocessable Entity: `The change affects too many pairs of roles` */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
            /** @description Too Many Requests: `TOO_MANY_PREVIEWS` */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
            /** @description Internal Server Error: `Internal server error` */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
            /** @description Service Unavailable: `The service is temporarily unavailable, try again later` */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
        };
    };
    deleteManages: {
        parameters: {
            query?: {
                /**
                 * @description Return what the change would do as `effect`, and change nothing. Ids that it would draw are null
                 * @example true
                 */
                dryRun?: boolean;
                /** @description Delete devices at once, so that they cannot be restored and their nodeIds are free once their telemetry is deleted. Repeat the request with it to do this to the devices of an earlier deletion */
                permanent?: boolean;
                /** @description `refuse`: respond with 409 `WOULD_DELETE` if roles or devices would be deleted, too */
                cascade?: "refuse";
            };
            header?: {
                /** @description The `tag` of an effect that a dry run of the same request returned: make the change only if that is still its effect. Otherwise the response is a 409, and nothing is done. Not together with `dryRun`. */
                "If-Effect"?: string;
            };
            path: {
                /**
                 * @description Id of the parent role
                 * @example 1017
                 */
                parentRoleId: number;
                /**
                 * @description Id of the manages relation
                 * @example 2058
                 */
                managesId: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "X-Rolegrid-Revision": components["headers"]["Revision"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "deletedNodeIds": [
                     *         1042
                     *       ],
                     *       "deletedRelationIds": [
                     *         2058
                     *       ],
                     *       "effect": {
                     *         "tag": "mB4vT0c1r9xQkq0mJr1bq8Tn3y2zFh6wJd5sLp7uXeA",
                     *         "revision": 1234,
                     *         "rights": {
                     *           "roleManagement": {
                     *             "gained": 0,
                     *             "lost": 2
                     *           },
                     *           "userManagement": {
                     *             "gained": 0,
                     *             "lost": 2
                     *           },
                     *           "viewManagement": {
                     *             "gained": 0,
                     *             "lost": 2
                     *           },
                     *           "deviceManagement": {
                     *             "gained": 0,
                     *             "lost": 2
                     *           },
                     *           "reportManagement": {
                     *             "gained": 0,
                     *             "lost": 2
                     *           },
                     *           "alarmManagement": {
                     *             "gained": 0,
                     *             "lost": 2
                     *           }
                     *         },
                     *         "people": {
                     *           "gained": 0,
                     *           "lost": 1
                     *         },
                     *         "named": [
                     *           {
                     *             "userEmail": "ada@example.com",
                     *             "on": [
                     *               {
                     *                 "roleIds": [
                     *                   1042
                     *                 ],
                     *                 "gained": [],
                     *                 "lost": [
                     *                   "roleManagement",
                     *                   "userManagement",
                     *                   "viewManagement",
                     *                   "deviceManagement",
                     *                   "reportManagement",
                     *                   "alarmManagement"
                     *                 ],
                     *                 "kept": [],
                     *                 "through": [],
                     *                 "hidden": false
                     *               }
                     *             ],
                     *             "others": 0
                     *           }
                     *         ],
                     *         "keeps": [],
                     *         "unmanaged": [],
                     *         "hiddenUnmanaged": 0,
                     *         "deletes": {
                     *           "roles": 1,
                     *           "devices": 0
                     *         },
                     *         "reading": {
                     *           "roles": {
                     *             "gained": 0,
                     *             "lost": 0
                     *           },
                     *           "people": {
                     *             "gained": 0,
                     *             "lost": 0
                     *           },
                     *           "changes": [],
                     *           "hidden": 0
                     *         },
                     *         "changes": [
                     *           {
                     *             "actingRoleId": 1017,
                     *             "roleId": 1042,
                     *             "gained": [],
                     *             "lost": [
                     *               "roleManagement",
                     *               "userManagement",
                     *               "viewManagement",
                     *               "deviceManagement",
                     *               "reportManagement",
                     *               "alarmManagement"
                     *             ]
                     *           }
                     *         ],
                     *         "hidden": 0,
                     *         "truncated": false
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["Deletion"];
                };
            };
            /** @description Bad Request: `Missing or misformatted query parameter or body` */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
            /** @description Unauthorized: `NO_TOKEN_PROVIDED`, `Failed to verify token` */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
            /** @description Forbidden: `User does not have sufficient rights` */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
            /** @description Conflict: `The role would be left without a role that manages it`, `WOULD_DELETE`, `EFFECT_CHANGED` */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
            /** @description Unprocessable Entity: `The change affects too many pairs of roles` */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
            /** @description Too Many Requests: `TOO_MANY_PREVIEWS` */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
            /** @description Internal Server Error: `Internal server error` */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
            /** @description Service Unavailable: `The service is temporarily unavailable, try again later` */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
        };
    };
    updateRole: {
        parameters: {
            query?: {
                /** @description Return what the change would do as `effect`, and change nothing. Ids that it would draw are null */
                dryRun?: boolean;
            };
            header?: {
                /** @description The `tag` of an effect that a dry run of the same request returned: make the change only if that is still its effect. Otherwise the response is a 409, and nothing is done. Not together with `dryRun`. */
                "If-Effect"?: string;
            };
            path: {
                /**
                 * @description Id of the role
                 * @example 1042
                 */
                roleId: number;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "name": "Storage",
                 *       "selfRights": {
                 *         "roleManagement": false,
                 *         "userManagement": false,
                 *         "viewManagement": true,
                 *         "deviceManagement": false,
                 *         "reportManagement": true,
                 *         "alarmManagement": false
                 *       }
                 *     }
                 */
                "application/json": {
                    /** @description 1 to 256 characters without the blanks at its ends, no control characters */
                    name: string;
                    /** @description The id of the role in another system, unique among the roles below the same root role: 1 to 128 characters, no control characters; null: none. It is stored without the blanks at its ends and in NFC. Without it, the present one stays */
                    externalId?: string | null;
                    selfRights: components["schemas"]["Rights"];
                    id?: unknown;
                    userRights?: unknown;
                };
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "X-Rolegrid-Revision": components["headers"]["Revision"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "role": {
                     *         "id": 1042,
                     *         "name": "Storage",
                     *         "selfRights": {
                     *           "roleManagement": false,
                     *           "userManagement": false,
                     *           "viewManagement": true,
                     *           "deviceManagement": false,
                     *           "reportManagement": true,
                     *           "alarmManagement": false
                     *         },
                     *         "userRights": {
                     *           "roleManagement": true,
                     *           "userManagement": true,
                     *           "viewManagement": true,
                     *           "deviceManagement": true,
                     *           "reportManagement": true,
                     *           "alarmManagement": true
                     *         }
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["RoleResponse"];
                };
            };
            /** @description Bad Request: `Missing or misformatted query parameter or body` */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
            /** @description Unauthorized: `NO_TOKEN_PROVIDED`, `Failed to verify token` */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
            /** @description Forbidden: `User does not have sufficient rights` */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
            /** @description Request Timeout: `The request body did not arrive in time` */
            408: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
            /** @description Conflict: `The externalId is that of another one below the same root role: give this one a different externalId`, `EFFECT_CHANGED` */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
            /** @description Payload Too Large: `The request body is too large` */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
            /** @description Unsupported Media Type: `The request body must be sent as application/json, without compression` */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
            /** @description Too Many Requests: `TOO_MANY_PREVIEWS` */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
            /** @description Internal Server Error: `Internal server error` */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
            /** @description Service Unavailable: `The service is temporarily unavailable, try again later` */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
        };
    };
    queryAccessToRole: {
        parameters: {
            query?: {
                /** @description Maximum number of results, from 1 to 1000. Without `limit` and `cursor`, all results are returned */
                limit?: number;
                /** @description `nextCursor` of the previous page */
                cursor?: string;
            };
            header?: never;
            path: {
                /**
                 * @description Id of the role
                 * @example 1017
                 */
                roleId: number;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                /**
                 * @example {
                 *       "filter": {
                 *         "right": [
                 *           "viewManagement"
                 *         ]
                 *       },
                 *       "limit": 100
                 *     }
                 */
                "application/json": {
                    filter?: {
                        /** @description Only those who hold all of these rights on the role */
                        right?: ("roleManagement" | "userManagement" | "viewManagement" | "deviceManagement" | "reportManagement" | "alarmManagement")[];
                        /** @description Only people with one of these addresses; case does not matter */
                        userEmail?: string[];
                    };
                    /** @description Maximum number of results, from 1 to 1000. Without `limit` and `cursor`, all results are returned */
                    limit?: number;
                    /** @description `nextCursor` of the previous page */
                    cursor?: string;
                    asOf?: components["schemas"]["AsOf"];
                };
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "X-Rolegrid-Revision": components["headers"]["Revision"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "access": [
                     *         {
                     *           "userId": 4021,
                     *           "userEmail": "ada@example.com",
                     *           "rights": {
                     *             "roleManagement": true,
                     *             "userManagement": true,
                     *             "viewManagement": true,
                     *             "deviceManagement": true,
                     *             "reportManagement": true,
                     *             "alarmManagement": true
                     *           },
                     *           "direct": false,
                     *           "through": [
                     *             1001
                     *           ],
                     *           "hidden": 0
                     *         },
                     *         {
                     *           "userId": 4037,
                     *           "userEmail": "grace@example.com",
                     *           "rights": {
                     *             "roleManagement": true,
                     *             "userManagement": true,
                     *             "viewManagement": true,
                     *             "deviceManagement": true,
                     *             "reportManagement": true,
                     *             "alarmManagement": true
                     *           },
                     *           "direct": false,
                     *           "through": [
                     *             1001
                     *           ],
                     *           "hidden": 0
                     *         }
                     *       ],
                     *       "nextCursor": null,
                     *       "revision": 8206
                     *     }
                     */
                    "application/json": components["schemas"]["AccessToRole"];
                    "text/csv": string;
                };
            };
            /** @description Bad Request: `Missing or misformatted query parameter or body` */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
            /** @description Unauthorized: `NO_TOKEN_PROVIDED`, `Failed to verify token` */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
            /** @description Request Timeout: `The request body did not arrive in time` */
            408: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
            /** @description Gone: `BEFORE_HISTORY` */
            410: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
            /** @description Payload Too Large: `The request body is too large` */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
            /** @description Unsupported Media Type: `The request body must be sent as application/json, without compression` */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
            /** @description Unprocessable Entity: `More relations lead to these roles than a request may follow: ask about fewer roles at a time` */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
            /** @description Internal Server Error: `Internal server error` */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
            /** @description Service Unavailable: `The service is temporarily unavailable, try again later` */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
        };
    };
    getAuthenticationPolicy: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Id of the role
                 * @example 1042
                 */
                roleId: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "X-Rolegrid-Revision": components["headers"]["Revision"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "authenticationPolicy": {
                     *         "secondFactor": "required",
                     *         "from": null,
                     *         "before": null
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["FoundAuthenticationPolicy"];
                };
            };
            /** @description Bad Request: `Missing or misformatted query parameter or body` */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
            /** @description Unauthorized: `SECOND_FACTOR_REQUIRED`, `NO_TOKEN_PROVIDED`, `Failed to verify token` */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
            /** @description Forbidden: `User does not have sufficient rights` */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
            /** @description Internal Server Error: `Internal server error` */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
            /** @description Service Unavailable: `The service is temporarily unavailable, try again later` */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
        };
    };
    setAuthenticationPolicy: {
        parameters: {
            query?: {
                /** @description Return what the change would do as `effect`, and change nothing. Ids that it would draw are null */
                dryRun?: boolean;
            };
            header?: {
                /** @description A sudo token of the session of the access token */
                "X-Sudo-Token"?: string;
                /** @description The `tag` of an effect that a dry run of the same request returned: make the change only if that is still its effect. Otherwise the response is a 409, and nothing is done. Not together with `dryRun`. */
                "If-Effect"?: string;
            };
            path: {
                /**
                 * @description Id of the role
                 * @example 1042
                 */
                roleId: number;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "secondFactor": "required"
                 *     }
                 */
                "application/json": {
                    /** @enum {string} */
                    secondFactor: "none" | "required" | "phishing-resistant";
                    /**
                     * Format: date-time
                     * @description From when on; by default at once. At most 400 days from now, and not for `none`
                     */
                    from?: string;
                };
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "X-Rolegrid-Revision": components["headers"]["Revision"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "authenticationPolicy": {
                     *         "secondFactor": "required",
                     *         "from": null,
                     *         "before": null
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["SetAuthenticationPolicy"];
                };
            };
            /** @description Bad Request: `Missing or misformatted query parameter or body` */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
            /** @description Unauthorized: `SUDO_TOKEN_REQUIRED`, `SECOND_FACTOR_REQUIRED`, `NO_TOKEN_PROVIDED`, `Failed to verify token` */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
            /** @description Forbidden: `User does not have sufficient rights` */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
            /** @description Request Timeout: `The request body did not arrive in time` */
            408: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
            /** @description Conflict: `No lasting member with roleManagement on the root role is known to meet this demand: let one of them set it`, `EFFECT_CHANGED` */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
            /** @description Payload Too Large: `The request body is too large` */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
            /** @description Unsupported Media Type: `The request body must be sent as application/json, without compression` */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
            /** @description Unprocessable Entity: `The change affects too many pairs of roles` */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
            /** @description Too Many Requests: `TOO_MANY_PREVIEWS` */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
            /** @description Internal Server Error: `Internal server error` */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
            /** @description Service Unavailable: `The service is temporarily unavailable, try again later` */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
        };
    };
    createKey: {
        parameters: {
            query?: {
                /** @description Return what the change would do as `effect`, and change nothing. Ids that it would draw are null */
                dryRun?: boolean;
            };
            header?: {
                /** @description A sudo token of the session of the access token */
                "X-Sudo-Token"?: string;
                /** @description The `tag` of an effect that a dry run of the same request returned: make the change only if that is still its effect. Otherwise the response is a 409, and nothing is done. Not together with `dryRun`. */
                "If-Effect"?: string;
            };
            path: {
                /**
                 * @description Id of the role
                 * @example 1042
                 */
                roleId: number;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "name": "Meter gateway",
                 *       "rights": {
                 *         "roleManagement": false,
                 *         "userManagement": false,
                 *         "viewManagement": true,
                 *         "deviceManagement": true,
                 *         "reportManagement": false,
                 *         "alarmManagement": false
                 *       }
                 *     }
                 */
                "application/json": {
                    /** @description 1 to 256 characters without the blanks at its ends, no control characters */
                    name: string;
                    rights?: components["schemas"]["Rights"];
                    /**
                     * Format: date-time
                     * @description When the key ends, at most 400 days from now. By default in 90 days, or when the membership ends
                     */
                    expiresAt?: string;
                    /** @description Whether the key may also ask about the access of others, on the roles that it reaches */
                    asks?: boolean;
                    /** @description Whether the key may add members of the roles whose members it manages, as far as its maker could at that moment */
                    provisions?: boolean;
                };
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "X-Rolegrid-Revision": components["headers"]["Revision"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "key": {
                     *         "id": 2084,
                     *         "roleId": 1042,
                     *         "name": "Meter gateway",
                     *         "prefix": "rgk_2084_ZXhh",
                     *         "rights": {
                     *           "roleManagement": false,
                     *           "userManagement": false,
                     *           "viewManagement": true,
                     *           "deviceManagement": true,
                     *           "reportManagement": false,
                     *           "alarmManagement": false
                     *         },
                     *         "asks": false,
                     *         "provisions": false,
                     *         "expiresAt": "2026-04-01T09:00:00.000Z",
                     *         "createdAt": "2026-01-01T09:00:00.000Z",
                     *         "createdBy": "ada@example.com",
                     *         "lastUsedAt": null
                     *       },
                     *       "secret": "rgk_2084_ZXhhbXBsZS1vZi1hLWtleS1vZi1hLXJvbGUtZXhhbXBsZS1vZi1hLW00000000"
                     *     }
                     */
                    "application/json": components["schemas"]["CreatedKey"];
                };
            };
            /** @description Bad Request: `Missing or misformatted query parameter or body`, `A secret cannot be returned again: send no Idempotency-Key, and if a response is lost, delete the key and make another` */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
            /** @description Unauthorized: `SUDO_TOKEN_REQUIRED`, `NO_TOKEN_PROVIDED`, `Failed to verify token` */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
            /** @description Forbidden: `User does not have sufficient rights` */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
            /** @description Request Timeout: `The request body did not arrive in time` */
            408: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
            /** @description Conflict: `The role has 100 keys already: delete one that is not needed`, `EFFECT_CHANGED` */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
            /** @description Payload Too Large: `The request body is too large` */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
            /** @description Unsupported Media Type: `The request body must be sent as application/json, without compression` */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
            /** @description Too Many Requests: `TOO_MANY_PREVIEWS` */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
            /** @description Internal Server Error: `Internal server error` */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
            /** @description Service Unavailable: `The service is temporarily unavailable, try again later` */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
        };
    };
    queryKeys: {
        parameters: {
            query?: {
                /** @description Maximum number of results, from 1 to 1000. Without `limit` and `cursor`, all results are returned */
                limit?: number;
                /** @description `nextCursor` of the previous page */
                cursor?: string;
            };
            header?: never;
            path: {
                /**
                 * @description Id of the role
                 * @example 1042
                 */
                roleId: number;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                /**
                 * @example {
                 *       "limit": 100
                 *     }
                 */
                "application/json": {
                    /** @description Maximum number of results, from 1 to 1000. Without `limit` and `cursor`, all results are returned */
                    limit?: number;
                    /** @description `nextCursor` of the previous page */
                    cursor?: string;
                };
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "X-Rolegrid-Revision": components["headers"]["Revision"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "key": [
                     *         {
                     *           "id": 2084,
                     *           "roleId": 1042,
                     *           "name": "Meter gateway",
                     *           "prefix": "rgk_2084_ZXhh",
                     *           "rights": {
                     *             "roleManagement": false,
                     *             "userManagement": false,
                     *             "viewManagement": true,
                     *             "deviceManagement": true,
                     *             "reportManagement": false,
                     *             "alarmManagement": false
                     *           },
                     *           "asks": false,
                     *           "provisions": false,
                     *           "expiresAt": "2026-04-01T09:00:00.000Z",
                     *           "createdAt": "2026-01-01T09:00:00.000Z",
                     *           "createdBy": "ada@example.com",
                     *           "lastUsedAt": null
                     *         }
                     *       ],
                     *       "nextCursor": null
                     *     }
                     */
                    "application/json": components["schemas"]["RoleKeyList"];
                };
            };
            /** @description Bad Request: `Missing or misformatted query parameter or body` */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
            /** @description Unauthorized: `NO_TOKEN_PROVIDED`, `Failed to verify token` */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
            /** @description Request Timeout: `The request body did not arrive in time` */
            408: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
            /** @description Payload Too Large: `The request body is too large` */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
            /** @description Unsupported Media Type: `The request body must be sent as application/json, without compression` */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
            /** @description Internal Server Error: `Internal server error` */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
            /** @description Service Unavailable: `The service is temporarily unavailable, try again later` */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
        };
    };
    deleteKey: {
        parameters: {
            query?: {
                /** @description Return what the change would do as `effect`, and change nothing. Ids that it would draw are null */
                dryRun?: boolean;
            };
            header?: {
                /** @description The `tag` of an effect that a dry run of the same request returned: make the change only if that is still its effect. Otherwise the response is a 409, and nothing is done. Not together with `dryRun`. */
                "If-Effect"?: string;
            };
            path: {
                /**
                 * @description Id of the role
                 * @example 1042
                 */
                roleId: number;
                /**
                 * @description Id of the key
                 * @example 2084
                 */
                keyId: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "X-Rolegrid-Revision": components["headers"]["Revision"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "deletedNodeIds": [],
                     *       "deletedRelationIds": []
                     *     }
                     */
                    "application/json": components["schemas"]["Deletion"];
                };
            };
            /** @description Bad Request: `Missing or misformatted query parameter or body` */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
            /** @description Unauthorized: `NO_TOKEN_PROVIDED`, `Failed to verify token` */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
            /** @description Forbidden: `User does not have sufficient rights` */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
            /** @description Conflict: `EFFECT_CHANGED` */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
            /** @description Too Many Requests: `TOO_MANY_PREVIEWS` */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
            /** @description Internal Server Error: `Internal server error` */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
            /** @description Service Unavailable: `The service is temporarily unavailable, try again later` */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
        };
    };
    adoptKey: {
        parameters: {
            query?: {
                /** @description Return what the change would do as `effect`, and change nothing. Ids that it would draw are null */
                dryRun?: boolean;
            };
            header?: {
                /** @description A sudo token of the session of the access token */
                "X-Sudo-Token"?: string;
                /** @description The `tag` of an effect that a dry run of the same request returned: make the change only if that is still its effect. Otherwise the response is a 409, and nothing is done. Not together with `dryRun`. */
                "If-Effect"?: string;
            };
            path: {
                /**
                 * @description Id of the role
                 * @example 1042
                 */
                roleId: number;
                /**
                 * @description Id of the key
                 * @example 2084
                 */
                keyId: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "X-Rolegrid-Revision": components["headers"]["Revision"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "key": {
                     *         "id": 2084,
                     *         "roleId": 1042,
                     *         "name": "Meter gateway",
                     *         "prefix": "rgk_2084_ZXhh",
                     *         "rights": {
                     *           "roleManagement": false,
                     *           "userManagement": false,
                     *           "viewManagement": true,
                     *           "deviceManagement": true,
                     *           "reportManagement": false,
                     *           "alarmManagement": false
                     *         },
                     *         "asks": false,
                     *         "provisions": false,
                     *         "expiresAt": "2026-04-01T09:00:00.000Z",
                     *         "createdAt": "2026-01-01T09:00:00.000Z",
                     *         "createdBy": "ada@example.com",
                     *         "lastUsedAt": null
                     *       },
                     *       "secret": "rgk_2084_ZXhhbXBsZS1vZi1hLWtleS1vZi1hLXJvbGUtZXhhbXBsZS1vZi1hLW00000000"
                     *     }
                     */
                    "application/json": components["schemas"]["CreatedKey"];
                };
            };
            /** @description Bad Request: `Missing or misformatted query parameter or body`, `A secret cannot be returned again: send no Idempotency-Key, and if a response is lost, adopt the key again` */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
            /** @description Unauthorized: `SUDO_TOKEN_REQUIRED`, `NO_TOKEN_PROVIDED`, `Failed to verify token` */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
            /** @description Forbidden: `User does not have sufficient rights` */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
            /** @description Conflict: `EFFECT_CHANGED` */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
            /** @description Too Many Requests: `TOO_MANY_PREVIEWS` */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
            /** @description Internal Server Error: `Internal server error` */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
            /** @description Service Unavailable: `The service is temporarily unavailable, try again later` */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
        };
    };
    queryManagedBy: {
        parameters: {
            query?: {
                /** @description Maximum number of results, from 1 to 1000. Without `limit` and `cursor`, all results are returned */
                limit?: number;
                /** @description `nextCursor` of the previous page */
                cursor?: string;
            };
            header?: never;
            path: {
                /**
                 * @description A role id, a comma-separated list of role ids, or `*` for all roles
                 * @example [
                 *       1017
                 *     ]
                 */
                roleId: "*" | number[];
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                /** @example {} */
                "application/json": {
                    /** @description Maximum number of results, from 1 to 1000. Without `limit` and `cursor`, all results are returned */
                    limit?: number;
                    /** @description `nextCursor` of the previous page */
                    cursor?: string;
                };
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "X-Rolegrid-Revision": components["headers"]["Revision"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "manages": [
                     *         {
                     *           "id": 2016,
                     *           "parentRoleId": 1001,
                     *           "childRoleId": 1017,
                     *           "roleManagement": true,
                     *           "userManagement": true,
                     *           "viewManagement": true,
                     *           "deviceManagement": true,
                     *           "reportManagement": true,
                     *           "alarmManagement": true
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["ManagesList"];
                };
            };
            /** @description Bad Request: `Missing or misformatted query parameter or body` */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
            /** @description Unauthorized: `NO_TOKEN_PROVIDED`, `Failed to verify token` */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
            /** @description Request Timeout: `The request body did not arrive in time` */
            408: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
            /** @description Payload Too Large: `The request body is too large` */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
            /** @description Unsupported Media Type: `The request body must be sent as application/json, without compression` */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
            /** @description Internal Server Error: `Internal server error` */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
            /** @description Service Unavailable: `The service is temporarily unavailable, try again later` */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
        };
    };
    collectMembers: {
        parameters: {
            query?: {
                /** @description Only memberships with one of these ids */
                id?: number[];
                /** @description Only members whose accounts have one of these ids */
                userId?: number[];
                /**
                 * @description Only members with one of these addresses; case does not matter
                 * @example [
                 *       "grace@example.com"
                 *     ]
                 */
                userEmail?: string[];
                /** @description Only members who are shown with one of these external ids */
                externalId?: string[];
                /** @description Maximum number of results, from 1 to 1000. Without `limit` and `cursor`, all results are returned */
                limit?: number;
                /** @description `nextCursor` of the previous page */
                cursor?: string;
            };
            header?: never;
            path: {
                /**
                 * @description A role id, a comma-separated list of role ids, or `*` for all roles
                 * @example [
                 *       1001
                 *     ]
                 */
                roleId: "*" | number[];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "X-Rolegrid-Revision": components["headers"]["Revision"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "member": [
                     *         {
                     *           "id": 2063,
                     *           "roleId": 1001,
                     *           "userId": 4037,
                     *           "userEmail": "grace@example.com",
                     *           "waitingSince": "2026-01-01T09:00:00.000Z"
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["MemberList"];
                };
            };
            /** @description Bad Request: `Missing or misformatted query parameter or body` */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
            /** @description Unauthorized: `NO_TOKEN_PROVIDED`, `Failed to verify token` */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
            /** @description Internal Server Error: `Internal server error` */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
            /** @description Service Unavailable: `The service is temporarily unavailable, try again later` */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
        };
    };
    addMember: {
        parameters: {
            query: {
                /**
                 * @description Email address of the user; case does not matter
                 * @example edsger@example.com
                 */
                userEmail: string;
                /** @description Name of the configured sender of the mail */
                origin?: string;
                /**
                 * @description Language of the mail: en, nl, fr or de (any other: en); default: that of the account
                 * @example nl
                 */
                language?: string;
                /** @description Whether a key sends a new member a mail; by default it sends none. Users always do */
                invite?: boolean;
                /** @description Return what the change would do as `effect`, and change nothing. Ids that it would draw are null */
                dryRun?: boolean;
            };
            header?: {
                /** @description The `tag` of an effect that a dry run of the same request returned: make the change only if that is still its effect. Otherwise the response is a 409, and nothing is done. Not together with `dryRun`. */
                "If-Effect"?: string;
            };
            path: {
                /**
                 * @description Id of the role
                 * @example 1017
                 */
                roleId: number;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                /**
                 * @example {
                 *       "until": "2026-04-01T09:00:00.000Z",
                 *       "rights": {
                 *         "roleManagement": false,
                 *         "userManagement": false,
                 *         "viewManagement": true,
                 *         "deviceManagement": false,
                 *         "reportManagement": true,
                 *         "alarmManagement": false
                 *       }
                 *     }
                 */
                "application/json": {
                    /**
                     * Format: date-time
                     * @description When the membership ends by itself; null: never. Without it, an existing member's stays as it is, and a new membership ends with the one that authorizes it
                     */
                    until?: string | null;
                    /** @description The most rights that the membership lets its user use; null: no limit. Without it, an existing member's stay as they are, and a new membership has those of the one that authorizes it */
                    rights?: components["schemas"]["Rights"] | null;
                };
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "X-Rolegrid-Revision": components["headers"]["Revision"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "member": {
                     *         "id": 2071,
                     *         "roleId": 1017,
                     *         "userEmail": "edsger@example.com",
                     *         "until": "2026-04-01T09:00:00.000Z",
                     *         "rights": {
                     *           "roleManagement": false,
                     *           "userManagement": false,
                     *           "viewManagement": true,
                     *           "deviceManagement": false,
                     *           "reportManagement": true,
                     *           "alarmManagement": false
                     *         }
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["MemberResponse"];
                };
            };
            /** @description Bad Request: `Missing or misformatted query parameter or body` */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
            /** @description Unauthorized: `NO_TOKEN_PROVIDED`, `Failed to verify token` */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
            /** @description Forbidden: `User does not have sufficient rights` */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
            /** @description Request Timeout: `The request body did not arrive in time` */
            408: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
            /** @description Conflict: `The root role would be left without a lasting member with roleManagement`, `EFFECT_CHANGED` */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
            /** @description Payload Too Large: `The request body is too large` */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
            /** @description Unsupported Media Type: `The request body must be sent as application/json, without compression` */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
            /** @description Too Many Requests: `TOO_MANY_INVITATIONS`, `TOO_MANY_ADDITIONS`, `TOO_MANY_PREVIEWS` */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
            /** @description Internal Server Error: `Internal server error` */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
            /** @description Service Unavailable: `The service is temporarily unavailable, try again later` */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
        };
    };
    queryMembers: {
        parameters: {
            query?: {
                /** @description Maximum number of results, from 1 to 1000. Without `limit` and `cursor`, all results are returned */
                limit?: number;
                /** @description `nextCursor` of the previous page */
                cursor?: string;
            };
            header?: never;
            path: {
                /**
                 * @description A role id, a comma-separated list of role ids, or `*` for all roles
                 * @example [
                 *       1001
                 *     ]
                 */
                roleId: "*" | number[];
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                /**
                 * @example {
                 *       "limit": 100
                 *     }
                 */
                "application/json": {
                    filter?: {
                        /** @description Only memberships with one of these ids */
                        id?: number[];
                        /** @description Only members whose accounts have one of these ids */
                        userId?: number[];
                        /** @description Only members with one of these addresses; case does not matter */
                        userEmail?: string[];
                        /** @description Only members who are shown with one of these external ids */
                        externalId?: string[];
                        /** @description Only members whose invitation waits, because they have never opened their account; false: only others. Pages may have fewer rows than `limit`, or none, and a `nextCursor` */
                        waiting?: boolean;
                        /**
                         * Format: date-time
                         * @description Only memberships that end by themselves before this time. Pages may have fewer rows than `limit`, or none, and a `nextCursor`
                         */
                        endsBefore?: string;
                    };
                    /** @description Maximum number of results, from 1 to 1000. Without `limit` and `cursor`, all results are returned */
                    limit?: number;
                    /** @description `nextCursor` of the previous page */
                    cursor?: string;
                };
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "X-Rolegrid-Revision": components["headers"]["Revision"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "member": [
                     *         {
                     *           "id": 2003,
                     *           "roleId": 1001,
                     *           "userId": 4021,
                     *           "userEmail": "ada@example.com"
                     *         },
                     *         {
                     *           "id": 2063,
                     *           "roleId": 1001,
                     *           "userId": 4037,
                     *           "userEmail": "grace@example.com",
                     *           "waitingSince": "2026-01-01T09:00:00.000Z"
                     *         }
                     *       ],
                     *       "nextCursor": null
                     *     }
                     */
                    "application/json": components["schemas"]["MemberList"];
                };
            };
            /** @description Bad Request: `Missing or misformatted query parameter or body` */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
            /** @description Unauthorized: `NO_TOKEN_PROVIDED`, `Failed to verify token` */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
            /** @description Request Timeout: `The request body did not arrive in time` */
            408: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
            /** @description Payload Too Large: `The request body is too large` */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
            /** @description Unsupported Media Type: `The request body must be sent as application/json, without compression` */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
            /** @description Internal Server Error: `Internal server error` */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
            /** @description Service Unavailable: `The service is temporarily unavailable, try again later` */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
        };
    };
    removeMember: {
        parameters: {
            query?: {
                /** @description Return what the change would do as `effect`, and change nothing. Ids that it would draw are null */
                dryRun?: boolean;
            };
            header?: {
                /** @description The `tag` of an effect that a dry run of the same request returned: make the change only if that is still its effect. Otherwise the response is a 409, and nothing is done. Not together with `dryRun`. */
                "If-Effect"?: string;
            };
            path: {
                /**
                 * @description Id of the role
                 * @example 1001
                 */
                roleId: number;
                /**
                 * @description Id of the membership
                 * @example 2063
                 */
                memberId: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "X-Rolegrid-Revision": components["headers"]["Revision"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "deletedNodeIds": [],
                     *       "deletedRelationIds": [
                     *         2063
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["RemovedMember"];
                };
            };
            /** @description Bad Request: `Missing or misformatted query parameter or body` */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
            /** @description Unauthorized: `NO_TOKEN_PROVIDED`, `Failed to verify token` */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
            /** @description Forbidden: `User does not have sufficient rights` */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
            /** @description Conflict: `The root role would be left without a member`, `EFFECT_CHANGED` */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
            /** @description Too Many Requests: `TOO_MANY_PREVIEWS` */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
            /** @description Internal Server Error: `Internal server error` */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
            /** @description Service Unavailable: `The service is temporarily unavailable, try again later` */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
        };
    };
    inviteAgain: {
        parameters: {
            query?: {
                /** @description Name of the configured sender of the mail */
                origin?: string;
                /** @description Language of the mail: en, nl, fr or de (any other: en); default: that of the account */
                language?: string;
            };
            header?: never;
            path: {
                /**
                 * @description Id of the role
                 * @example 1001
                 */
                roleId: number;
                /**
                 * @description Id of the membership
                 * @example 2063
                 */
                memberId: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "X-Rolegrid-Revision": components["headers"]["Revision"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "sent": true
                     *     }
                     */
                    "application/json": components["schemas"]["InvitedAgain"];
                };
            };
            /** @description Bad Request: `Missing or misformatted query parameter or body` */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
            /** @description Unauthorized: `NO_TOKEN_PROVIDED`, `Failed to verify token` */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
            /** @description Forbidden: `User does not have sufficient rights` */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
            /** @description Too Many Requests: `TOO_MANY_INVITATIONS` */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
            /** @description Internal Server Error: `Internal server error` */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
            /** @description Service Unavailable: `The service is temporarily unavailable, try again later` */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
        };
    };
    collectMonitors: {
        parameters: {
            query?: {
                /** @description Only relations with one of these ids */
                id?: number[];
                /**
                 * @description Only relations to one of these devices
                 * @example [
                 *       1107
                 *     ]
                 */
                deviceId?: number[];
                /** @description Maximum number of results, from 1 to 1000. Without `limit` and `cursor`, all results are returned */
                limit?: number;
                /** @description `nextCursor` of the previous page */
                cursor?: string;
            };
            header?: never;
            path: {
                /**
                 * @description A role id, a comma-separated list of role ids, or `*` for all roles
                 * @example [
                 *       1017
                 *     ]
                 */
                roleId: "*" | number[];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "X-Rolegrid-Revision": components["headers"]["Revision"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "monitors": [
                     *         {
                     *           "id": 2066,
                     *           "roleId": 1017,
                     *           "deviceId": 1107
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["MonitorsList"];
                };
            };
            /** @description Bad Request: `Missing or misformatted query parameter or body` */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
            /** @description Unauthorized: `NO_TOKEN_PROVIDED`, `Failed to verify token` */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
            /** @description Internal Server Error: `Internal server error` */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
            /** @description Service Unavailable: `The service is temporarily unavailable, try again later` */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
        };
    };
    addMonitors: {
        parameters: {
            query: {
                /**
                 * @description Id of the device
                 * @example 1107
                 */
                deviceId: number;
                /** @description Return what the change would do as `effect`, and change nothing. Ids that it would draw are null */
                dryRun?: boolean;
            };
            header?: {
                /** @description The `tag` of an effect that a dry run of the same request returned: make the change only if that is still its effect. Otherwise the response is a 409, and nothing is done. Not together with `dryRun`. */
                "If-Effect"?: string;
            };
            path: {
                /**
                 * @description Id of the role
                 * @example 1042
                 */
                roleId: number;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                /**
                 * @example {
                 *       "from": "2026-01-01T09:00:00.000Z"
                 *     }
                 */
                "application/json": {
                    /**
                     * Format: date-time
                     * @description The beginning of the period; null: no bound. Without it, that of an existing relation stays as it is, and a new one takes that of the relation by which it is given
                     */
                    from?: string | null;
                    /**
                     * Format: date-time
                     * @description The end of the period, which is not part of it; null: no bound. Without it, that of an existing relation stays as it is, and a new one takes that of the relation by which it is given
                     */
                    until?: string | null;
                };
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "X-Rolegrid-Revision": components["headers"]["Revision"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "monitors": {
                     *         "id": 2071,
                     *         "roleId": 1042,
                     *         "deviceId": 1107,
                     *         "from": "2026-01-01T09:00:00.000Z"
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["MonitorsResponse"];
                };
            };
            /** @description Bad Request: `Missing or misformatted query parameter or body` */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
            /** @description Unauthorized: `NO_TOKEN_PROVIDED`, `Failed to verify token` */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
            /** @description Forbidden: `User does not have sufficient rights` */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
            /** @description Request Timeout: `The request body did not arrive in time` */
            408: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
            /** @description Conflict: `100 roles monitor the device already, or 200 have: delete one of these relations, or let a role above monitor the device`, `EFFECT_CHANGED` */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
            /** @description Payload Too Large: `The request body is too large` */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
            /** @description Unsupported Media Type: `The request body must be sent as application/json, without compression` */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
            /** @description Unprocessable Entity: `The period does not lie within that of a relation by which you manage the device`, `The period of a monitors relation cannot begin earlier than before`, `The period does not end after its beginning` */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
            /** @description Too Many Requests: `TOO_MANY_PREVIEWS` */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
            /** @description Internal Server Error: `Internal server error` */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
            /** @description Service Unavailable: `The service is temporarily unavailable, try again later` */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
        };
    };
    queryMonitors: {
        parameters: {
            query?: {
                /** @description Maximum number of results, from 1 to 1000. Without `limit` and `cursor`, all results are returned */
                limit?: number;
                /** @description `nextCursor` of the previous page */
                cursor?: string;
            };
            header?: never;
            path: {
                /**
                 * @description A role id, a comma-separated list of role ids, or `*` for all roles
                 * @example [
                 *       1017
                 *     ]
                 */
                roleId: "*" | number[];
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                /**
                 * @example {
                 *       "filter": {
                 *         "deviceId": [
                 *           1107
                 *         ]
                 *       },
                 *       "limit": 100
                 *     }
                 */
                "application/json": {
                    filter?: {
                        /** @description Only relations with one of these ids */
                        id?: number[];
                        /** @description Only relations to one of these devices */
                        deviceId?: number[];
                    };
                    /** @description Maximum number of results, from 1 to 1000. Without `limit` and `cursor`, all results are returned */
                    limit?: number;
                    /** @description `nextCursor` of the previous page */
                    cursor?: string;
                };
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "X-Rolegrid-Revision": components["headers"]["Revision"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "monitors": [
                     *         {
                     *           "id": 2066,
                     *           "roleId": 1017,
                     *           "deviceId": 1107
                     *         }
                     *       ],
                     *       "nextCursor": null
                     *     }
                     */
                    "application/json": components["schemas"]["MonitorsList"];
                };
            };
            /** @description Bad Request: `Missing or misformatted query parameter or body` */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
            /** @description Unauthorized: `NO_TOKEN_PROVIDED`, `Failed to verify token` */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
            /** @description Request Timeout: `The request body did not arrive in time` */
            408: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
            /** @description Payload Too Large: `The request body is too large` */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
            /** @description Unsupported Media Type: `The request body must be sent as application/json, without compression` */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
            /** @description Internal Server Error: `Internal server error` */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
            /** @description Service Unavailable: `The service is temporarily unavailable, try again later` */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
        };
    };
    removeMonitors: {
        parameters: {
            query?: {
                /** @description Return what the change would do as `effect`, and change nothing. Ids that it would draw are null */
                dryRun?: boolean;
                /** @description Delete devices at once, so that they cannot be restored and their nodeIds are free once their telemetry is deleted. Repeat the request with it to do this to the devices of an earlier deletion */
                permanent?: boolean;
                /** @description `refuse`: respond with 409 `WOULD_DELETE` if roles or devices would be deleted, too */
                cascade?: "refuse";
            };
            header?: {
                /** @description The `tag` of an effect that a dry run of the same request returned: make the change only if that is still its effect. Otherwise the response is a 409, and nothing is done. Not together with `dryRun`. */
                "If-Effect"?: string;
            };
            path: {
                /**
                 * @description Id of the role
                 * @example 1017
                 */
                roleId: number;
                /**
                 * @description Id of the monitors relation
                 * @example 2066
                 */
                monitorsId: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "X-Rolegrid-Revision": components["headers"]["Revision"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "deletedNodeIds": [
                     *         1107
                     *       ],
                     *       "deletedRelationIds": [
                     *         2066
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["Deletion"];
                };
            };
            /** @description Bad Request: `Missing or misformatted query parameter or body` */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
            /** @description Unauthorized: `NO_TOKEN_PROVIDED`, `Failed to verify token` */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
            /** @description Forbidden: `User does not have sufficient rights` */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
            /** @description Conflict: `WOULD_DELETE`, `EFFECT_CHANGED` */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
            /** @description Too Many Requests: `TOO_MANY_PREVIEWS` */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
            /** @description Internal Server Error: `Internal server error` */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
            /** @description Service Unavailable: `The service is temporarily unavailable, try again later` */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
        };
    };
    queryNeighbourhood: {
        parameters: {
            query?: {
                /** @description Maximum number of children, from 1 to 100; by default 24 */
                limit?: number;
                /** @description `nextCursor` of the previous page */
                cursor?: string;
            };
            header?: never;
            path: {
                /**
                 * @description Id of the role
                 * @example 1017
                 */
                roleId: number;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                /**
                 * @example {
                 *       "userEmail": "grace@example.com",
                 *       "limit": 24
                 *     }
                 */
                "application/json": {
                    /**
                     * Format: email
                     * @description Address of a person whose access to these roles is returned, too
                     */
                    userEmail?: string;
                    asOf?: components["schemas"]["AsOf"];
                    /** @description Maximum number of children, from 1 to 100; by default 24 */
                    limit?: number;
                    /** @description `nextCursor` of the previous page */
                    cursor?: string;
                };
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "X-Rolegrid-Revision": components["headers"]["Revision"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "role": [
                     *         {
                     *           "id": 1017,
                     *           "name": "Plant North",
                     *           "selfRights": {
                     *             "roleManagement": true,
                     *             "userManagement": true,
                     *             "viewManagement": true,
                     *             "deviceManagement": true,
                     *             "reportManagement": true,
                     *             "alarmManagement": true
                     *           },
                     *           "userRights": {
                     *             "roleManagement": true,
                     *             "userManagement": true,
                     *             "viewManagement": true,
                     *             "deviceManagement": true,
                     *             "reportManagement": true,
                     *             "alarmManagement": true
                     *           }
                     *         },
                     *         {
                     *           "id": 1001,
                     *           "name": "Energy Inc",
                     *           "selfRights": {
                     *             "roleManagement": true,
                     *             "userManagement": true,
                     *             "viewManagement": true,
                     *             "deviceManagement": true,
                     *             "reportManagement": true,
                     *             "alarmManagement": true
                     *           },
                     *           "userRights": {
                     *             "roleManagement": true,
                     *             "userManagement": true,
                     *             "viewManagement": true,
                     *             "deviceManagement": true,
                     *             "reportManagement": true,
                     *             "alarmManagement": true
                     *           }
                     *         },
                     *         {
                     *           "id": 1042,
                     *           "name": "Boiler",
                     *           "selfRights": {
                     *             "roleManagement": true,
                     *             "userManagement": true,
                     *             "viewManagement": true,
                     *             "deviceManagement": true,
                     *             "reportManagement": true,
                     *             "alarmManagement": true
                     *           },
                     *           "userRights": {
                     *             "roleManagement": true,
                     *             "userManagement": true,
                     *             "viewManagement": true,
                     *             "deviceManagement": true,
                     *             "reportManagement": true,
                     *             "alarmManagement": true
                     *           }
                     *         }
                     *       ],
                     *       "manages": [
                     *         {
                     *           "id": 2016,
                     *           "parentRoleId": 1001,
                     *           "childRoleId": 1017,
                     *           "roleManagement": true,
                     *           "userManagement": true,
                     *           "viewManagement": true,
                     *           "deviceManagement": true,
                     *           "reportManagement": true,
                     *           "alarmManagement": true
                     *         },
                     *         {
                     *           "id": 2058,
                     *           "parentRoleId": 1017,
                     *           "childRoleId": 1042,
                     *           "roleManagement": true,
                     *           "userManagement": true,
                     *           "viewManagement": true,
                     *           "deviceManagement": true,
                     *           "reportManagement": true,
                     *           "alarmManagement": true
                     *         }
                     *       ],
                     *       "summary": [
                     *         {
                     *           "id": 1001,
                     *           "parents": 0,
                     *           "children": 1,
                     *           "descendants": 2
                     *         },
                     *         {
                     *           "id": 1017,
                     *           "parents": 1,
                     *           "children": 1,
                     *           "descendants": 1
                     *         },
                     *         {
                     *           "id": 1042,
                     *           "parents": 1,
                     *           "children": 0,
                     *           "descendants": 0
                     *         }
                     *       ],
                     *       "memberOf": [
                     *         1001
                     *       ],
                     *       "person": {
                     *         "access": [
                     *           {
                     *             "roleId": 1001,
                     *             "name": "Energy Inc",
                     *             "rights": {
                     *               "roleManagement": true,
                     *               "userManagement": true,
                     *               "viewManagement": true,
                     *               "deviceManagement": true,
                     *               "reportManagement": true,
                     *               "alarmManagement": true
                     *             },
                     *             "direct": true
                     *           },
                     *           {
                     *             "roleId": 1017,
                     *             "name": "Plant North",
                     *             "rights": {
                     *               "roleManagement": true,
                     *               "userManagement": true,
                     *               "viewManagement": true,
                     *               "deviceManagement": true,
                     *               "reportManagement": true,
                     *               "alarmManagement": true
                     *             },
                     *             "direct": false
                     *           },
                     *           {
                     *             "roleId": 1042,
                     *             "name": "Boiler",
                     *             "rights": {
                     *               "roleManagement": true,
                     *               "userManagement": true,
                     *               "viewManagement": true,
                     *               "deviceManagement": true,
                     *               "reportManagement": true,
                     *               "alarmManagement": true
                     *             },
                     *             "direct": false
                     *           }
                     *         ],
                     *         "memberOf": [
                     *           1001
                     *         ],
                     *         "mayAsk": [
                     *           1017,
                     *           1001,
                     *           1042
                     *         ]
                     *       },
                     *       "moreAbove": false,
                     *       "moreManages": false,
                     *       "nextCursor": null
                     *     }
                     */
                    "application/json": components["schemas"]["Neighbourhood"];
                };
            };
            /** @description Bad Request: `Missing or misformatted query parameter or body` */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
            /** @description Unauthorized: `NO_TOKEN_PROVIDED`, `Failed to verify token` */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
            /** @description Request Timeout: `The request body did not arrive in time` */
            408: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
            /** @description Gone: `BEFORE_HISTORY` */
            410: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
            /** @description Payload Too Large: `The request body is too large` */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
            /** @description Unsupported Media Type: `The request body must be sent as application/json, without compression` */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
            /** @description Unprocessable Entity: `More relations lead to these roles than a request may follow: ask about fewer roles at a time` */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
            /** @description Internal Server Error: `Internal server error` */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
            /** @description Service Unavailable: `The service is temporarily unavailable, try again later` */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
        };
    };
    getRolePassword: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Id of the role
                 * @example 1042
                 */
                roleId: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "X-Rolegrid-Revision": components["headers"]["Revision"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "set": true,
                     *       "rights": {
                     *         "roleManagement": false,
                     *         "userManagement": false,
                     *         "viewManagement": true,
                     *         "deviceManagement": false,
                     *         "reportManagement": true,
                     *         "alarmManagement": false
                     *       },
                     *       "setBy": 4021,
                     *       "setAt": "2026-01-08T17:30:00.000Z",
                     *       "works": true
                     *     }
                     */
                    "application/json": components["schemas"]["RolePassword"];
                };
            };
            /** @description Bad Request: `Missing or misformatted query parameter or body` */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
            /** @description Unauthorized: `NO_TOKEN_PROVIDED`, `Failed to verify token` */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
            /** @description Forbidden: `User does not have sufficient rights` */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
            /** @description Internal Server Error: `Internal server error` */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
            /** @description Service Unavailable: `The service is temporarily unavailable, try again later` */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
        };
    };
    setRolePassword: {
        parameters: {
            query?: never;
            header?: {
                /** @description A sudo token of the session of the access token */
                "X-Sudo-Token"?: string;
            };
            path: {
                /**
                 * @description Id of the role
                 * @example 1042
                 */
                roleId: number;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "password": "a password of a role",
                 *       "rights": {
                 *         "roleManagement": false,
                 *         "userManagement": false,
                 *         "viewManagement": true,
                 *         "deviceManagement": false,
                 *         "reportManagement": true,
                 *         "alarmManagement": false
                 *       }
                 *     }
                 */
                "application/json": {
                    /** @description 12 to 128 characters; null removes the password */
                    password: string | null;
                    rights?: components["schemas"]["Rights"];
                };
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "X-Rolegrid-Revision": components["headers"]["Revision"];
                    [name: string]: unknown;
                };
                content: {
                    /** @example null */
                    "application/json": null;
                };
            };
            /** @description Bad Request: `Missing or misformatted query parameter or body` */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
            /** @description Unauthorized: `SUDO_TOKEN_REQUIRED`, `NO_TOKEN_PROVIDED`, `Failed to verify token` */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
            /** @description Forbidden: `User does not have sufficient rights` */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
            /** @description Request Timeout: `The request body did not arrive in time` */
            408: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
            /** @description Payload Too Large: `The request body is too large` */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
            /** @description Unsupported Media Type: `The request body must be sent as application/json, without compression` */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
            /** @description Internal Server Error: `Internal server error` */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
            /** @description Service Unavailable: `The service is temporarily unavailable, try again later` */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
        };
    };
    getRoleUsage: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Id of the role
                 * @example 1001
                 */
                roleId: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "X-Rolegrid-Revision": components["headers"]["Revision"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "of": "root",
                     *       "roles": {
                     *         "used": 214,
                     *         "allowed": 1000000
                     *       },
                     *       "devices": {
                     *         "used": 655,
                     *         "allowed": 1000000
                     *       },
                     *       "changes": {
                     *         "used": 20480,
                     *         "allowed": 1000000000
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["RoleUsage"];
                };
            };
            /** @description Bad Request: `Missing or misformatted query parameter or body` */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
            /** @description Unauthorized: `NO_TOKEN_PROVIDED`, `Failed to verify token` */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
            /** @description Forbidden: `User does not have sufficient rights` */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
            /** @description Internal Server Error: `Internal server error` */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
            /** @description Service Unavailable: `The service is temporarily unavailable, try again later` */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
        };
    };
    search: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "text": "house-meter-1",
                 *       "limit": 8
                 *     }
                 */
                "application/json": {
                    /** @description What the name of a role, the address of a person, or the nodeId or the property `name` of a device contains; case does not matter. The id of a role or device finds it, too */
                    text: string;
                    /** @description The kinds to find; by default all */
                    kind?: ("role" | "person" | "device")[];
                    /**
                     * @description Maximum number of hits of each kind, from 1 to 50; by default 8
                     * @default 8
                     */
                    limit?: number;
                    /** @description `nextCursor` of a kind in the previous response. Then `kind` names that kind alone */
                    cursor?: string;
                };
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "X-Rolegrid-Revision": components["headers"]["Revision"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "role": [],
                     *       "person": [],
                     *       "device": [
                     *         {
                     *           "id": 1107,
                     *           "nodeId": "house-meter-1",
                     *           "roles": [
                     *             {
                     *               "id": 1017,
                     *               "name": "Plant North"
                     *             }
                     *           ]
                     *         }
                     *       ],
                     *       "matched": "anywhere",
                     *       "nextCursor": {
                     *         "role": null,
                     *         "person": null,
                     *         "device": null
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["Found"];
                };
            };
            /** @description Bad Request: `Missing or misformatted query parameter or body` */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
            /** @description Unauthorized: `NO_TOKEN_PROVIDED`, `Failed to verify token` */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
            /** @description Request Timeout: `The request body did not arrive in time` */
            408: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
            /** @description Payload Too Large: `The request body is too large` */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
            /** @description Unsupported Media Type: `The request body must be sent as application/json, without compression` */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
            /** @description Internal Server Error: `Internal server error` */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
            /** @description Service Unavailable: `The service is temporarily unavailable, try again later` */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
        };
    };
    writeTelemetry: {
        parameters: {
            query?: {
                /**
                 * @description Database: 1 to 256 characters of well-formed Unicode without NUL
                 * @example plant
                 */
                db?: string;
                /** @description Retention policy, beside `db`: 1 to 256 characters of well-formed Unicode without NUL; `autogen` by default */
                rp?: string;
                /** @description Organization, beside `bucket`: accepted and ignored */
                org?: string;
                /** @description In place of `db`: `database/retentionPolicy` (split at the last slash), or `database` alone */
                bucket?: string;
                /** @description In place of `db`: a database, with the default retention policy */
                namespace?: string;
                /** @description Refuses the request unless this role, or one below it, monitors every device that it names */
                roleId?: number;
                /** @description Unit of the timestamps in line protocol; `ns` by default */
                precision?: "ns" | "us" | "ms" | "s";
                /** @description Whether lines that cannot be written are left out. Then the others are written, and the response is a 400 that names the lines */
                partial?: boolean;
                /** @description A user name: accepted and ignored */
                u?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example [
                 *       {
                 *         "measurement": "energy",
                 *         "time": "2026-01-01T00:15:00Z",
                 *         "tags": {
                 *           "nodeId": "house-meter-1"
                 *         },
                 *         "fields": {
                 *           "power": 1.7,
                 *           "mode": "eco",
                 *           "heating": true
                 *         }
                 *       }
                 *     ]
                 */
                "application/json": components["schemas"]["TelemetryPoint"][];
                "text/plain": string;
            };
        };
        responses: {
            /** @description Success, without a body */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Bad Request: `partial write: … dropped=…`, `Missing or misformatted query parameter or body` */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
            /** @description Unauthorized: `NO_TOKEN_PROVIDED`, `Failed to verify token` */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
            /** @description Forbidden: `User does not have sufficient rights` */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
            /** @description Request Timeout: `The request body did not arrive in time` */
            408: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
            /** @description Payload Too Large: `The request body is too large` */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
            /** @description Unsupported Media Type: `The request body must be sent as application/json, or as text/plain for line protocol`, `The request body can only be compressed with gzip` */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
            /** @description Unprocessable Entity: `The telemetry store refused the points`, `The request costs more than the rate limit ever allows` */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
            /** @description Too Many Requests: `The rate limit of telemetry is reached` */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
            /** @description Internal Server Error: `Internal server error` */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
            /** @description Service Unavailable: `The service is temporarily unavailable, try again later` */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
        };
    };
    collectTelemetry: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example [
                 *       {
                 *         "select": [
                 *           {
                 *             "field": "power",
                 *             "function": "mean"
                 *           }
                 *         ],
                 *         "from": {
                 *           "measurement": "energy",
                 *           "database": "plant"
                 *         },
                 *         "where": {
                 *           "tags": {
                 *             "nodeId": "house-meter-1"
                 *           },
                 *           "time": [
                 *             {
                 *               "operator": ">=",
                 *               "value": "2026-01-01T00:00:00Z"
                 *             }
                 *           ]
                 *         },
                 *         "groupBy": {
                 *           "time": "15m"
                 *         }
                 *       },
                 *       {
                 *         "select": [
                 *           "power"
                 *         ],
                 *         "from": {
                 *           "measurement": "energy",
                 *           "database": "plant"
                 *         },
                 *         "where": {
                 *           "tags": {
                 *             "nodeId": "a device of somebody else"
                 *           }
                 *         }
                 *       }
                 *     ]
                 */
                "application/json": components["schemas"]["TelemetryQuery"] | components["schemas"]["TelemetryQuery"][];
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example [
                     *       {
                     *         "statement_id": 0,
                     *         "series": [
                     *           {
                     *             "name": "energy",
                     *             "tags": {
                     *               "nodeId": "house-meter-1"
                     *             },
                     *             "columns": [
                     *               "time",
                     *               "mean_power"
                     *             ],
                     *             "values": [
                     *               [
                     *                 "2026-01-01T00:00:00Z",
                     *                 1.5
                     *               ]
                     *             ]
                     *           }
                     *         ]
                     *       },
                     *       {
                     *         "statement_id": 1,
                     *         "error": "Unauthorized"
                     *       }
                     *     ]
                     */
                    "application/json": components["schemas"]["TelemetryResult"] | components["schemas"]["TelemetryResult"][];
                };
            };
            /** @description Bad Request: `Missing or misformatted query parameter or body` */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
            /** @description Unauthorized: `NO_TOKEN_PROVIDED`, `Failed to verify token` */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
            /** @description Request Timeout: `The request body did not arrive in time` */
            408: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
            /** @description Payload Too Large: `The request body is too large` */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
            /** @description Unsupported Media Type: `The request body must be sent as application/json, without compression` */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
            /** @description Unprocessable Entity: `The queries would return too many points`, `The request costs more than the rate limit ever allows` */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
            /** @description Too Many Requests: `The rate limit of telemetry is reached` */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
            /** @description Internal Server Error: `Internal server error` */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
            /** @description Service Unavailable: `The service is temporarily unavailable, try again later` */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
        };
    };
}
