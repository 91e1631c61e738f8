/* Made of openapi.json by generate_types.ts: change it there, never here. */

export interface paths {
    "/.well-known/jwks.json": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Public keys
         * @description The keys that sibling services verify access tokens with (RFC 7517). A new key signs at once: an unknown `kid` is a reason to ask again.
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
    "/accesstoken": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get an access token
         * @description Answers an access token, valid for 10 minutes. A refresh token that was replaced long ago ends its session: it must have been copied.
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
         * @description Answers an access token, valid for 10 minutes. A refresh token that was replaced long ago ends its session: it must have been copied.
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
         * @description Answers whose it is, as long as its session lives.
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
         * @description Answers a refresh token. An unknown user and a wrong password are answered alike. Wrong passwords are throttled per account and client address: 429 says when the next try is looked at. Where a second factor is active, a right password is answered with 401 `2FA_REQUIRED`, a `partialAuthToken` and the `methods` (`totp`, `emailOtp`, `recoveryCode`) that complete the login within 10 minutes.
         *
         *     **Token:** none.
         *
         *     **Errors of its own:** 401 `PASSWORD_INCORRECT`, 401 `2FA_REQUIRED`, 429 `TOO_MANY_FAILED_PASSWORD_CHECKS`.
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
         * @description Ends the session: every token of it is dead at once.
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
    "/auth/refreshtoken": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Replace the refresh token
         * @description Answers the successor of the refresh token; asked again, the same one. It serves 14 days from then on. A session ends 90 days after its login: in its last 14 days there is no successor any more, and the current token serves to its end.
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
         * @description Answers whose it is.
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
    "/docs": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * This document as a page
         * @description Shows every operation, and sends requests with the tokens that one enters. It loads nothing from any other host.
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
         * Is the process alive?
         * @description Asks nothing but the process itself.
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
         * This document
         * @description OpenAPI 3.1.
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
         * Can the service serve?
         * @description 200 if every part that the service cannot serve without answers within two seconds. Else 503, which also carries `ready: false` and the same `parts`: `unavailable` cannot be reached, `failed` is there and not fit to serve. An engine for telemetry is told, and no reason for a 503: everything else works without it. Mail is no part: messages wait in the outbox while it is away.
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
         * The page that mailed links open
         * @description Changes nothing until its form is sent.
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
         * The page that undo links open
         * @description Changes nothing until its form is sent.
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
         * Get the own account
         * @description Its address, and the language of mails to it.
         *
         *     **Token:** access token.
         */
        get: operations["getAccount"];
        /**
         * Update the own account
         * @description Sets the language of mails. The other fields may be sent back and are ignored.
         *
         *     **Token:** access token.
         */
        put: operations["updateAccount"];
        post?: never;
        /**
         * Leave
         * @description Deletes the account with its sessions, memberships, factors, codes and links; the logs keep its id and lose its client addresses. A root role keeps its last member, and while a transfer of the address can be undone nobody leaves. Takes a sudo token; without a second factor also an access token of a session whose password sign-in is at most 15 minutes old.
         *
         *     **Token:** sudo token or access token.
         *
         *     **Errors of its own:** 401 `SUDO_TOKEN_REQUIRED`, 409 `The root role would be left without a member`, 409 `TRANSFER_TOO_SOON`.
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
         * Get the active second factors
         * @description Which second factors are active and since when, and how many recovery codes are left. Takes an access token, or the partial one of a login that is not complete, which sees the address masked.
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
         * @description Takes a sudo token. Ends all other sessions, pending codes and links; with the last factor the recovery codes go.
         *
         *     **Token:** sudo token or access token.
         *
         *     **Errors of its own:** 401 `SUDO_TOKEN_REQUIRED`, 409 `EMAIL_OTP_ALREADY_INACTIVE`.
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
         * Complete an email OTP challenge
         * @description With an access token a right code gives a sudo token, with a partial token all the tokens of a login. Wrong codes wait by the guess schedule, over all sessions and logins of the account; a code bears five, a login ends by its fifth.
         *
         *     **Token:** access token or partial token.
         *
         *     **Errors of its own:** 401 `OTP_INVALID_EXPIRED`, 409 `EMAIL_OTP_INACTIVE`, 429 `TOO_MANY_EMAIL_OTP_CHECKS`.
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
         * Initiate an email OTP challenge
         * @description Mails a code to the active address, valid for 10 minutes; it ends the one before. Takes an access token, to step up, or a partial one, to complete a login. With an access token, and while an address is set up but none is active, it mails the activation code anew. Waits as the setup does.
         *
         *     **Token:** access token or partial token.
         *
         *     **Errors of its own:** 409 `EMAIL_OTP_UNINITIALIZED`, 429 `TOO_MANY_OTP_EMAILS`.
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
         * @description Takes an access token and the code that the setup mailed. The first second factor of an account brings its recovery codes. Pending codes, links and setups end, and so do earlier sudo and partial tokens.
         *
         *     **Token:** access token.
         *
         *     **Errors of its own:** 401 `OTP_INVALID_EXPIRED`, 409 `EMAIL_OTP_UNINITIALIZED`, 429 `TOO_MANY_EMAIL_OTP_CHECKS`.
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
         * Time until the next email OTP
         * @description When the next code may be mailed. Takes an access or a partial token; changes nothing.
         *
         *     **Token:** access token or partial token.
         *
         *     **Errors of its own:** 409 `EMAIL_OTP_UNINITIALIZED`.
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
         * @description Mails an activation code to the address, valid for 10 minutes. An active address goes on working until the new one is activated. Takes a sudo token, or without a second factor an access token of a recent login. Between mails there are 60, 120, 300 and then 900 seconds, and there are at most 10 a day.
         *
         *     **Token:** sudo token or access token.
         *
         *     **Errors of its own:** 401 `SUDO_TOKEN_REQUIRED`, 429 `TOO_MANY_OTP_EMAILS`.
         */
        post: operations["setUpEmailOtp"];
        delete?: never;
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
         * @description With an access token a right code gives a sudo token, with a partial token all the tokens of a login. Each code is good for one use, and a mail says how many are left. Wrong codes wait by the guess schedule, over all sessions and logins of the account; a login ends by its fifth.
         *
         *     **Token:** access token or partial token.
         *
         *     **Errors of its own:** 401 `RECOVERY_CODE_INVALID`, 409 `RECOVERY_CODES_UNINITIALIZED`, 429 `TOO_MANY_RECOVERY_CODE_CHECKS`.
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
         * @description When the next code is looked at. Takes an access or a partial token; changes nothing.
         *
         *     **Token:** access token or partial token.
         *
         *     **Errors of its own:** 409 `RECOVERY_CODES_UNINITIALIZED`.
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
         * Reset the recovery codes
         * @description Answers ten new recovery codes, this once, in place of those before. Takes a sudo token. Ends all other sessions, pending codes and links.
         *
         *     **Token:** sudo token or access token.
         *
         *     **Errors of its own:** 401 `SUDO_TOKEN_REQUIRED`, 409 `2FA_IS_DISABLED`.
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
         * @description Takes a sudo token. Ends all other sessions, pending codes and links; with the last factor the recovery codes go.
         *
         *     **Token:** sudo token or access token.
         *
         *     **Errors of its own:** 401 `SUDO_TOKEN_REQUIRED`, 409 `TOTP_ALREADY_INACTIVE`.
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
         * Verify a TOTP code
         * @description With an access token a right code gives a sudo token, with a partial token all the tokens of a login. A code is good once, for 30 seconds before and after its own. Wrong codes wait by the guess schedule, over all sessions and logins of the account; a login ends by its fifth.
         *
         *     **Token:** access token or partial token.
         *
         *     **Errors of its own:** 401 `TOTP_INVALID`, 409 `TOTP_UNINITIALIZED`, 409 `TOTP_INACTIVE`, 429 `TOO_MANY_TOTP_CHECKS`.
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
         * @description Takes an access token and a code of the secret that was set up. The first second factor of an account brings its recovery codes. Pending codes, links and setups end, and so do earlier sudo and partial tokens.
         *
         *     **Token:** access token.
         *
         *     **Errors of its own:** 401 `TOTP_INVALID`, 409 `TOTP_UNINITIALIZED`, 429 `TOO_MANY_TOTP_CHECKS`.
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
         * @description When the next code is looked at. Takes an access or a partial token; changes nothing.
         *
         *     **Token:** access token or partial token.
         *
         *     **Errors of its own:** 409 `TOTP_UNINITIALIZED`.
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
         * @description Makes a secret and answers its `otpauth:` address, to be activated within 10 minutes. An active secret goes on working until then. Takes a sudo token, or without a second factor an access token of a recent login.
         *
         *     **Token:** sudo token or access token.
         *
         *     **Errors of its own:** 401 `SUDO_TOKEN_REQUIRED`.
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
         * Change the own address
         * @description Takes the code that was mailed to the new address, which bears 5 wrong guesses. Ends the user's other sessions, his pending codes and links, and every sudo token. Mails both addresses; the old one, reserved for 72 hours, gets a link that undoes the transfer for as long.
         *
         *     **Token:** access token or sudo token.
         *
         *     **Errors of its own:** 401 `OTP_INVALID_EXPIRED`, 409 `NEW_EMAIL_ALREADY_IN_USE`.
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
         * Begin to change the own address
         * @description Mails a code to the new address; whether somebody has that address is not told. Takes a sudo token; without a second factor also an access token of a session whose password sign-in is at most 15 minutes old. Codes go out 60 seconds apart and 3 an hour, serve 10 minutes, and end the one before. Within 72 hours of a transfer there is no other.
         *
         *     **Token:** sudo token or access token.
         *
         *     **Errors of its own:** 401 `SUDO_TOKEN_REQUIRED`, 409 `TRANSFER_TOO_SOON`, 429 `TOO_MANY_TRANSFER_ATTEMPTS`.
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
         * Undo a change of address
         * @description Takes no bearer token but the one of the link that was mailed to the old address, once, within 72 hours. Restores that address, ends a pending transfer and all sessions, and removes the password: reset it afterwards. Mails both addresses.
         *
         *     **Token:** none.
         *
         *     **Errors of its own:** 401 `OTP_INVALID_EXPIRED`.
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
         * Export the own data
         * @description Everything that is held about the user, without hashes and secrets.
         *
         *     **Token:** access token.
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
         * Prove the password anew
         * @description Answers a sudo token, for users without a second factor; with one, prove that instead. Wrong passwords count together with those of a change of password.
         *
         *     **Token:** access token.
         *
         *     **Errors of its own:** 401 `PASSWORD_INCORRECT`, 401 `SUDO_TOKEN_REQUIRED`, 429 `TOO_MANY_FAILED_PASSWORD_CHECKS`.
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
         * Set the password by a mailed link
         * @description Takes the token of an invitation or reset link, once. A refused password does not use it up. Ends all sessions of the user and gives no tokens: log in afterwards.
         *
         *     **Token:** none.
         *
         *     **Errors of its own:** 401 `OTP_INVALID_EXPIRED`, 400 `PASSWORD_TOO_SHORT`, 400 `PASSWORD_TOO_LONG`, 400 `PASSWORD_TOO_COMMON`, 400 `PASSWORD_EQUALS_NAME`, 400 `PASSWORD_BREACHED`.
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
         * Replace the own password
         * @description Takes a sudo token; without a second factor an access token of any age, too. Wrong old passwords are throttled per account: 429 says when the next is looked at. Ends the user's other sessions, his pending codes and links, and every sudo token.
         *
         *     **Token:** sudo token or access token.
         *
         *     **Errors of its own:** 401 `PASSWORD_INCORRECT`, 401 `SUDO_TOKEN_REQUIRED`, 429 `TOO_MANY_FAILED_PASSWORD_CHECKS`, 400 `PASSWORD_TOO_SHORT`, 400 `PASSWORD_TOO_LONG`, 400 `PASSWORD_TOO_COMMON`, 400 `PASSWORD_EQUALS_NAME`, 400 `PASSWORD_BREACHED`.
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
         * Set the password by a mailed code
         * @description Takes no token. A refused password does not use the code up, a wrong code costs one of its 5 guesses. Ends all sessions of the user and gives no tokens: log in afterwards, with the second factor.
         *
         *     **Token:** none.
         *
         *     **Errors of its own:** 401 `OTP_INVALID_EXPIRED`, 400 `PASSWORD_TOO_SHORT`, 400 `PASSWORD_TOO_LONG`, 400 `PASSWORD_TOO_COMMON`, 400 `PASSWORD_EQUALS_NAME`, 400 `PASSWORD_BREACHED`.
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
         * Mail a link to reset the password
         * @description Takes no token. Answered alike, with the same limits, whether the address has an account or not. The link serves 30 minutes, the latest three of them at the same time. Links and codes share one budget: for one address 60 seconds apart, 3 an hour and 6 a day from one client, 20 a day from all; 20 an hour from one client over all addresses.
         *
         *     **Token:** none.
         *
         *     **Errors of its own:** 429 `TOO_MANY_RESET_MAIL_ATTEMPTS`.
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
         * Mail a code to reset the password
         * @description Takes no token. Answered alike, with the same limits, whether the address has an account or not. The code serves 10 minutes and ends the one before. Links and codes share one budget: for one address 60 seconds apart, 3 an hour and 6 a day from one client, 20 a day from all; 20 an hour from one client over all addresses.
         *
         *     **Token:** none.
         *
         *     **Errors of its own:** 429 `TOO_MANY_RESET_MAIL_ATTEMPTS`.
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
         * Check a code that resets the password
         * @description Takes no token. Uses up nothing but wrong guesses, of which a code bears 5. An unknown address and a code that is wrong, expired or used up are answered alike.
         *
         *     **Token:** none.
         *
         *     **Errors of its own:** 401 `OTP_INVALID_EXPIRED`.
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
         * List what happened to the own account
         * @description Every decided attempt at signing in or changing the account, newest first, 100 unless `limit` says otherwise.
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
         * List own sessions
         * @description The user's live sessions, newest first.
         *
         *     **Token:** access token.
         */
        get: operations["listSessions"];
        put?: never;
        post?: never;
        /**
         * End all other sessions
         * @description Ends all sessions of the user but the one of this request.
         *
         *     **Token:** access token.
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
         * End one of the own sessions
         * @description Every token of the session is dead at once. A session that does not exist, is over or belongs to another user: 403.
         *
         *     **Token:** access token.
         *
         *     **Errors of its own:** 403 `User does not have sufficient rights`.
         */
        delete: operations["endSession"];
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
         * Mail a link to reset the password
         * @deprecated
         * @description Takes no token. Answered alike, with the same limits, whether the address has an account or not. The link serves 30 minutes, the latest three of them at the same time. Links and codes share one budget: for one address 60 seconds apart, 3 an hour and 6 a day from one client, 20 a day from all; 20 an hour from one client over all addresses.
         *
         *     Superseded by `POST /user/password/reset/email`.
         *
         *     **Token:** none.
         *
         *     **Errors of its own:** 429 `TOO_MANY_RESET_MAIL_ATTEMPTS`.
         */
        post: operations["forgotPassword"];
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
         * @description The devices monitored by roles of which the caller is a member, directly or indirectly. Array parameters repeat or are comma-separated.
         *
         *     Superseded by `POST /v1/device/query`.
         *
         *     **Token:** access token.
         */
        get: operations["collectDevices"];
        put?: never;
        /**
         * Create a device
         * @description Creates a device and the monitors relation that connects it to the role. Needs direct or indirect deviceManagement, or indirect roleManagement, on the role. The nodeId of a deleted device is free again once its telemetry is gone. To be able to repeat the request after a lost answer, send an `Idempotency-Key`.
         *
         *     **Token:** access token.
         *
         *     **Errors of its own:** 403 `User does not have sufficient rights`, 409 `The nodeId belongs to another device`, 422 `The Idempotency-Key was used for another request: send this one with a new key`.
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
         * @description The devices monitored by roles of which the caller is a member, directly or indirectly, ordered by id. The values of one list are alternatives, different filters all hold, an empty list matches nothing. A `roleId` of which the caller is not a member matches nothing.
         *
         *     **Token:** access token.
         */
        post: operations["queryDevices"];
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
         * @description Replaces a device's properties; the nodeId stays and may be left out. Needs, on a role that monitors the device, direct or indirect deviceManagement or indirect roleManagement.
         *
         *     **Token:** access token.
         *
         *     **Errors of its own:** 403 `User does not have sufficient rights`, 409 `The nodeId of a device cannot be changed`.
         */
        put: operations["updateDevice"];
        post?: never;
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
         * @description Whether the caller holds each right, directly or indirectly, in the order asked. A role that does not exist: false.
         *
         *     **Token:** access token.
         */
        post: operations["checkRights"];
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
         * @description The roles of which the caller is a member, directly or indirectly. Array parameters repeat or are comma-separated; `userRights.<right>=true` narrows which rights are answered.
         *
         *     Superseded by `POST /v1/role/query`.
         *
         *     **Token:** access token.
         */
        get: operations["collectRoles"];
        put?: never;
        /**
         * Create a role
         * @description Creates a role and the manages relation that connects it to its parent. Needs direct or indirect roleManagement on the parent. The relation must carry roleManagement. To be able to repeat the request after a lost answer, send an `Idempotency-Key`.
         *
         *     **Token:** access token.
         *
         *     **Errors of its own:** 403 `User does not have sufficient rights`, 409 `The role would be left without a role that manages it`, 422 `The change would touch too much of the role graph`, 422 `The Idempotency-Key was used for another request: send this one with a new key`.
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
         * @description The roles of which the caller is a member, directly or indirectly, ordered by id. The values of one list are alternatives, different filters all hold, an empty list matches nothing. An `ancestorRoleId` of which the caller is not a member matches nothing.
         *
         *     **Token:** access token.
         */
        post: operations["queryRoles"];
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
         * @description The manages relations that start from roles of which the caller is a member.
         *
         *     Superseded by `POST /v1/role/{parentRoleId}/manages/query`.
         *
         *     **Token:** access token.
         */
        get: operations["collectManages"];
        /**
         * Create or update a manages relation
         * @description Sets the rights of the relation between two roles, and creates it where there is none. Needs, of one authorizing role, direct or indirect roleManagement on the parent and indirect roleManagement on the child. With the child's password (`X-Child-Role-Password`, UTF-8) direct or indirect roleManagement on the parent will do, and the relation may carry at most the rights that the password was given. A supplied but wrong or empty password is refused even where the caller could do without one; wrong ones are counted per child and caller, and per child.
         *
         *     **Token:** access token.
         *
         *     **Errors of its own:** 403 `User does not have sufficient rights`, 409 `The proposed manages relation cannot be added since it would create a cycle in the role graph`, 409 `The role would be left without a role that manages it`, 422 `The change would touch too much of the role graph`, 429 `The provided childRolePassword query parameter cannot be checked, since too many successive failed role query calls occured`.
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
         * @description The manages relations that start from a role of which the caller is a member, directly or indirectly, ordered by id. A relation is answered only when it matches every filter. Unknown and foreign ids match nothing.
         *
         *     **Token:** access token.
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
         * Update a manages relation
         * @description Sets the rights of the relation. Taking rights away needs what deleting the relation needs: direct or indirect roleManagement on the parent, or indirect roleManagement on the child, or what is said there of relations made by password. Adding any right needs what creating it anew without a password needs: of one authorizing role, direct or indirect roleManagement on the parent and indirect roleManagement on the child.
         *
         *     **Token:** access token.
         *
         *     **Errors of its own:** 403 `User does not have sufficient rights`, 409 `The role would be left without a role that manages it`, 422 `The change would touch too much of the role graph`.
         */
        put: operations["updateManages"];
        post?: never;
        /**
         * Delete a manages relation
         * @description Deletes the relation and, where nothing else connects the child role to the graph, the child with everything that hung on it alone. Needs direct or indirect roleManagement on the parent, or indirect roleManagement on the child. A relation that only the child's password made possible also ends by direct roleManagement on the child, while the child is a root or another relation enters it. With `dryRun=true` the answer is the same and nothing changes.
         *
         *     **Token:** access token.
         *
         *     **Errors of its own:** 403 `User does not have sufficient rights`, 409 `The role would be left without a role that manages it`, 422 `The change would touch too much of the role graph`.
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
         * @description Sets a role's name and self rights. Needs indirect roleManagement on the role: no role can raise its own self rights.
         *
         *     **Token:** access token.
         *
         *     **Errors of its own:** 403 `User does not have sufficient rights`.
         */
        put: operations["updateRole"];
        post?: never;
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
         * Query who manages a role
         * @description The manages relations that end in the role: who has power over it. Answers only for roles on which the caller has direct or indirect roleManagement.
         *
         *     **Token:** access token.
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
         * @description The direct members of roles whose members the caller manages, and the caller's own memberships.
         *
         *     Superseded by `POST /v1/role/{roleId}/member/query`.
         *
         *     **Token:** access token.
         */
        get: operations["collectMembers"];
        /**
         * Add a member
         * @description Makes the owner of an address a member of the role. An unknown address gets an account and an invitation, a known one a notice, an existing member nothing; the answer is alike. Needs direct or indirect userManagement, or indirect roleManagement, on the role.
         *
         *     **Token:** access token.
         *
         *     **Errors of its own:** 403 `User does not have sufficient rights`, 429 `TOO_MANY_INVITATIONS`.
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
         * @description The direct members of roles on which the caller has direct or indirect userManagement or indirect roleManagement, and the caller's own memberships, ordered by id.
         *
         *     **Token:** access token.
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
         * @description Needs direct or indirect userManagement, or indirect roleManagement, on the role; everybody may remove himself. A root role keeps its last member.
         *
         *     **Token:** access token.
         *
         *     **Errors of its own:** 403 `User does not have sufficient rights`, 409 `The root role would be left without a member`.
         */
        delete: operations["removeMember"];
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
         * @description The monitors relations of roles of which the caller is a member, directly or indirectly.
         *
         *     Superseded by `POST /v1/role/{roleId}/monitors/query`.
         *
         *     **Token:** access token.
         */
        get: operations["collectMonitors"];
        /**
         * Let a role monitor a device
         * @description Attaches an existing device to the role; nothing changes where the role monitors it. Needs, of one authorizing role, direct or indirect deviceManagement on the role and on one that monitors the device already.
         *
         *     **Token:** access token.
         *
         *     **Errors of its own:** 403 `User does not have sufficient rights`.
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
         * @description The monitors relations of roles of which the caller is a member, directly or indirectly, ordered by id. A relation is answered only when it matches every filter. Unknown and foreign ids match nothing.
         *
         *     **Token:** access token.
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
         * Detach a device from a role
         * @description Needs direct or indirect deviceManagement, or indirect roleManagement, on the role. A device that nothing monitors any more goes too, with its telemetry.
         *
         *     **Token:** access token.
         *
         *     **Errors of its own:** 403 `User does not have sufficient rights`.
         */
        delete: operations["removeMonitors"];
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
        get?: never;
        /**
         * Set or remove a role's password
         * @description Whoever knows a role's password and has roleManagement on a role of his can put the one below the other, with at most `rights`. With indirect roleManagement on the role these may be any (default: all six); with direct roleManagement alone at most the role's selfRights without roleManagement, which is then the default. `null` removes the password; relations made with it stay. To send it in a header, choose one that neither starts nor ends with white space.
         *
         *     **Token:** access token.
         *
         *     **Errors of its own:** 403 `User does not have sufficient rights`.
         */
        put: operations["setRolePassword"];
        post?: never;
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
         * @description Writes points of one or more devices, all of them or none. As JSON, or as InfluxDB line protocol (`text/plain`, times in the given precision); the body may be packed with gzip. The tag `nodeId` says whose point it is. Needs, for each device, direct or indirect deviceManagement on a role that monitors it, or indirect roleManagement on one. A malformed line is a 400 whose `details` name its number. Of points with the same series, time and field the last one counts; a field keeps the kind (number, boolean or string) it was first written with. At most 100000 points, 250000 values (fields of all points), 10000 series (tag sets times fields) and 10 MiB.
         *
         *     **Token:** access token.
         *
         *     **Errors of its own:** 403 `User does not have sufficient rights`, 422 `The telemetry store refused the points`.
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
         * @description Runs one query, or up to 1000 in a list, and answers in the same form: one result, or the result of each query at its index. A query reads one device, of which the caller needs to be a member, directly or indirectly, of a role that monitors it; else its result is `Unauthorized`, as for a device that does not exist. A query that is malformed, empty or not allowed does not affect the others. Each tag set gives a series of its own. All queries together return at most 100000 points (a row counts once per column). A leaky bucket per user limits the operation: a call costs 1000, each query 100 and each point returned 1; `X-RateLimit-Cost`, `X-RateLimit-Used` and `X-RateLimit-Remaining` tell.
         *
         *     **Token:** access token.
         *
         *     **Errors of its own:** 422 `The queries would return too many points`, 422 `The request costs more than the rate limit ever allows`, 429 `The rate limit of telemetry queries is reached`.
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
        Account: {
            id: number;
            email: string;
            /** @description Language of mails: en, nl, fr or de */
            language: string;
            /** Format: date-time */
            createdAt: string;
        };
        Device: {
            /** @description Id of a role, device or relation */
            id: number;
            properties: {
                nodeId: string;
            };
            /**
             * Format: date-time
             * @description Last change of the properties
             */
            lastUpdate: string;
            userRights: {
                propertyEditabilities: Record<string, never>;
                /** @description The caller may update the device */
                monitorManagement: boolean;
            };
        };
        /** @description What went wrong: the status, its name, and a message that is stable per error. */
        Error: {
            statusCode: number;
            error: string;
            message: string;
            retryAfter?: number;
            /** @description With `2FA_REQUIRED` */
            partialAuthToken?: string;
            /** @description With `2FA_REQUIRED` */
            methods?: ("totp" | "emailOtp" | "recoveryCode")[];
            details?: {
                path: string;
                message: string;
            }[];
        };
        /** @description A relation between a parent role and a child role, with the rights that it carries. */
        Manages: {
            /** @description Id of a role, device or relation */
            id: number;
            /** @description Id of a role, device or relation */
            parentRoleId: number;
            /** @description Id of a role, device or relation */
            childRoleId: number;
            roleManagement: boolean;
            userManagement: boolean;
            viewManagement: boolean;
            deviceManagement: boolean;
            reportManagement: boolean;
            alarmManagement: boolean;
        };
        Member: {
            /** @description Id of a role, device or relation */
            id: number;
            /** @description Id of a role, device or relation */
            roleId: number;
            userEmail: string;
        };
        /** @description A relation between a role and a device that it monitors. */
        Monitors: {
            /** @description Id of a role, device or relation */
            id: number;
            /** @description Id of a role, device or relation */
            roleId: number;
            /** @description Id of a role, device or relation */
            deviceId: number;
        };
        /** @description The six management rights, all of them spelled out. */
        Rights: {
            roleManagement: boolean;
            userManagement: boolean;
            viewManagement: boolean;
            deviceManagement: boolean;
            reportManagement: boolean;
            alarmManagement: boolean;
        };
        Role: {
            /** @description Id of a role, device or relation */
            id: number;
            name: string;
            selfRights: components["schemas"]["Rights"];
            userRights: components["schemas"]["UserRights"];
        };
        SecurityEvent: {
            id: number;
            /** Format: date-time */
            at: string;
            /** @description What was tried, such as `login` */
            event: string;
            /** @description `ok`, or why it was refused */
            result: string;
            sessionId: string | null;
            /** @description The client's address */
            address: string | null;
        };
        Session: {
            id: string;
            /** Format: date-time */
            createdAt: string;
            /** Format: date-time */
            lastTokenAt: string;
            /** @description What the client calls itself */
            client: string;
            current: boolean;
        };
        TelemetryPoint: {
            measurement: string;
            /** @description By default when the request arrived */
            time?: number | string;
            /** @description At most 32, of 4096 characters together, names and values */
            tags: {
                nodeId: string;
            } & {
                [key: string]: string;
            };
            /** @description 1 to 256; a text has at most 4096 bytes of UTF-8. No field is named `time` or as a tag of its point */
            fields: {
                [key: string]: number | boolean | string;
            };
        };
        TelemetryQuery: {
            /** @description Fields, or functions, not both; each column once */
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
                    /** @description Accepted; tells nothing apart */
                    organization: string;
                    /** @description `database/retentionPolicy` (the last slash separates), or `database` alone */
                    bucket: string;
                };
            };
            where: {
                /** @description All of them must hold; none: no bound */
                time?: {
                    /** @enum {string} */
                    operator: "<" | "<=" | ">" | ">=" | "=";
                    /** @description Milliseconds since 1970, or ISO 8601 with `Z` or an offset and up to 9 digits of a second; a date alone is its midnight UTC */
                    value: number | string;
                }[];
                /** @description At most 32, of 4096 characters together, names and values */
                tags: {
                    nodeId: string;
                } & {
                    [key: string]: string;
                };
            };
            /** @description Windows, aligned to 1970; only with functions. Empty ones are absent */
            groupBy?: {
                time: string;
            };
            /**
             * @description By time; `ASC` by default
             * @enum {string}
             */
            orderBy?: "ASC" | "DESC";
            /** @description Rows per series */
            limit?: number;
        };
        TelemetryResult: {
            /** @description The query's place in the request, from 0 */
            statement_id: number;
            /** @description One per tag set; absent where there is no data */
            series?: {
                /** @description The measurement */
                name: string;
                tags: {
                    [key: string]: string;
                };
                /** @description `time`, then those of `select` */
                columns: string[];
                /** @description Rows; times in ISO 8601, UTC */
                values: ((string | number | boolean) | null)[][];
            }[];
            /** @description `Unauthorized` (unreadable or unknown device), or `Invalid format: …` */
            error?: string;
        };
        /** @description Rights of the calling user on the role; narrowed to those that the request asked for. */
        UserRights: {
            roleManagement?: boolean;
            userManagement?: boolean;
            viewManagement?: boolean;
            deviceManagement?: boolean;
            reportManagement?: boolean;
            alarmManagement?: boolean;
        };
    };
    responses: never;
    parameters: never;
    requestBodies: never;
    headers: never;
    pathItems: never;
}
export type $defs = Record<string, never>;
export interface operations {
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
                    "application/json": {
                        keys: {
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
                        }[];
                    };
                };
            };
            /** @description Internal Server Error: `Internal server error` */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Service Unavailable: `The service is temporarily unavailable, try again later` */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    getAccessTokenAlias: {
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
                    /** @example eyJhbGciOiJFZERTQSIsInR5cCI6ImF0K2p3dCJ9.eyJzdWIiOiI0MDIxIn0.c2lnbmF0dXJl */
                    "text/plain": string;
                };
            };
            /** @description Unauthorized: `NO_TOKEN_PROVIDED`, `Failed to verify token` */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Internal Server Error: `Internal server error` */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Service Unavailable: `The service is temporarily unavailable, try again later` */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    getAccessToken: {
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
                    /** @example eyJhbGciOiJFZERTQSIsInR5cCI6ImF0K2p3dCJ9.eyJzdWIiOiI0MDIxIn0.c2lnbmF0dXJl */
                    "text/plain": string;
                };
            };
            /** @description Unauthorized: `NO_TOKEN_PROVIDED`, `Failed to verify token` */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Internal Server Error: `Internal server error` */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Service Unavailable: `The service is temporarily unavailable, try again later` */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    validateAccessToken: {
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
                    "application/json": {
                        userId: number;
                    };
                };
            };
            /** @description Unauthorized: `NO_TOKEN_PROVIDED`, `Failed to verify token` */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Internal Server Error: `Internal server error` */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Service Unavailable: `The service is temporarily unavailable, try again later` */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
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
                    /** @description The account's address */
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
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Unauthorized: `PASSWORD_INCORRECT`, `2FA_REQUIRED` */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Payload Too Large: `The request body is too large` */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Unsupported Media Type: `The request body must be sent as application/json` */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Too Many Requests: `TOO_MANY_FAILED_PASSWORD_CHECKS` */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Internal Server Error: `Internal server error` */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Service Unavailable: `The service is temporarily unavailable, try again later` */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
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
            /** @description Done. No body. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Unauthorized: `NO_TOKEN_PROVIDED`, `Failed to verify token` */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Internal Server Error: `Internal server error` */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Service Unavailable: `The service is temporarily unavailable, try again later` */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
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
            /** @description Unauthorized: `NO_TOKEN_PROVIDED`, `Failed to verify token` */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Internal Server Error: `Internal server error` */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Service Unavailable: `The service is temporarily unavailable, try again later` */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
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
                    "application/json": {
                        userId: number;
                    };
                };
            };
            /** @description Unauthorized: `NO_TOKEN_PROVIDED`, `Failed to verify token` */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Internal Server Error: `Internal server error` */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Service Unavailable: `The service is temporarily unavailable, try again later` */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
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
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Service Unavailable: `The service is temporarily unavailable, try again later` */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
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
                    "application/json": {
                        /** @constant */
                        status: "ok";
                    };
                };
            };
            /** @description Internal Server Error: `Internal server error` */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Service Unavailable: `The service is temporarily unavailable, try again later` */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
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
                    };
                };
            };
            /** @description Internal Server Error: `Internal server error` */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Service Unavailable: `The service is temporarily unavailable, try again later` */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
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
                    "application/json": {
                        /** @constant */
                        ready: true;
                        /** @description What the service cannot serve without, `database` and `schema`, and where an engine of its own keeps the points, `telemetry` */
                        parts: {
                            [key: string]: "ok" | "failed" | "unavailable";
                        };
                    };
                };
            };
            /** @description Internal Server Error: `Internal server error` */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Service Unavailable: `The service is temporarily unavailable, try again later` */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
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
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Service Unavailable: `The service is temporarily unavailable, try again later` */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
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
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Service Unavailable: `The service is temporarily unavailable, try again later` */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
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
                     *       "createdAt": "2026-01-01T09:00:00.000Z"
                     *     }
                     */
                    "application/json": components["schemas"]["Account"];
                };
            };
            /** @description Unauthorized: `NO_TOKEN_PROVIDED`, `Failed to verify token` */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Internal Server Error: `Internal server error` */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Service Unavailable: `The service is temporarily unavailable, try again later` */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
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
                    /** @description Language of mails: en, nl, fr or de; any other is read as en */
                    language: string;
                    id?: unknown;
                    email?: unknown;
                    createdAt?: unknown;
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
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Unauthorized: `NO_TOKEN_PROVIDED`, `Failed to verify token` */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Payload Too Large: `The request body is too large` */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Unsupported Media Type: `The request body must be sent as application/json` */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Internal Server Error: `Internal server error` */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Service Unavailable: `The service is temporarily unavailable, try again later` */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
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
            /** @description Unauthorized: `SUDO_TOKEN_REQUIRED`, `NO_TOKEN_PROVIDED`, `Failed to verify token` */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Conflict: `The root role would be left without a member`, `TRANSFER_TOO_SOON` */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Internal Server Error: `Internal server error` */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Service Unavailable: `The service is temporarily unavailable, try again later` */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
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
                     *       "emailOtp": {
                     *         "email": "codes@example.com",
                     *         "completedAt": "2026-01-01T09:00:00.000Z"
                     *       },
                     *       "totp": {
                     *         "completedAt": "2026-01-01T09:00:00.000Z"
                     *       },
                     *       "recoveryCodes": {
                     *         "completedAt": "2026-01-01T09:00:00.000Z",
                     *         "remaining": 9
                     *       }
                     *     }
                     */
                    "application/json": {
                        /** @description Whether a login asks for a second factor */
                        enabled: boolean;
                        emailOtp?: {
                            /** @description Where codes go; masked for a partial token */
                            email: string;
                            /** Format: date-time */
                            completedAt: string;
                        };
                        totp?: {
                            /** Format: date-time */
                            completedAt: string;
                        };
                        recoveryCodes?: {
                            /** Format: date-time */
                            completedAt: string;
                            /** @description Codes that were not used yet */
                            remaining: number;
                        };
                    };
                };
            };
            /** @description Unauthorized: `NO_TOKEN_PROVIDED`, `Failed to verify token` */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Internal Server Error: `Internal server error` */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Service Unavailable: `The service is temporarily unavailable, try again later` */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
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
            /** @description Unauthorized: `SUDO_TOKEN_REQUIRED`, `NO_TOKEN_PROVIDED`, `Failed to verify token` */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Conflict: `EMAIL_OTP_ALREADY_INACTIVE` */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Internal Server Error: `Internal server error` */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Service Unavailable: `The service is temporarily unavailable, try again later` */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
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
                    "application/json": {
                        sudoToken: string;
                        /** @description With a partial token only */
                        accessToken?: string;
                        /** @description With a partial token only */
                        refreshToken?: string;
                    };
                };
            };
            /** @description Bad Request: `Missing or misformatted query parameter or body` */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Unauthorized: `OTP_INVALID_EXPIRED`, `NO_TOKEN_PROVIDED`, `Failed to verify token` */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Conflict: `EMAIL_OTP_INACTIVE` */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Payload Too Large: `The request body is too large` */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Unsupported Media Type: `The request body must be sent as application/json` */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Too Many Requests: `TOO_MANY_EMAIL_OTP_CHECKS` */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Internal Server Error: `Internal server error` */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Service Unavailable: `The service is temporarily unavailable, try again later` */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    sendEmailOtp: {
        parameters: {
            query?: {
                /** @description Name of a configured sender brand */
                origin?: string;
                /**
                 * @description Language of the mail: en, nl, fr or de; absent: the account's
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
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Unauthorized: `NO_TOKEN_PROVIDED`, `Failed to verify token` */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Conflict: `EMAIL_OTP_UNINITIALIZED` */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Payload Too Large: `The request body is too large` */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Unsupported Media Type: `The request body must be sent as application/json` */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Too Many Requests: `TOO_MANY_OTP_EMAILS` */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Internal Server Error: `Internal server error` */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Service Unavailable: `The service is temporarily unavailable, try again later` */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
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
                    "application/json": {
                        /** @description Ten codes, shown this once, each good for one use; empty where a set exists already */
                        recoveryCodes: string[];
                    };
                };
            };
            /** @description Bad Request: `Missing or misformatted query parameter or body` */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Unauthorized: `OTP_INVALID_EXPIRED`, `NO_TOKEN_PROVIDED`, `Failed to verify token` */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Conflict: `EMAIL_OTP_UNINITIALIZED` */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Payload Too Large: `The request body is too large` */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Unsupported Media Type: `The request body must be sent as application/json` */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Too Many Requests: `TOO_MANY_EMAIL_OTP_CHECKS` */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Internal Server Error: `Internal server error` */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Service Unavailable: `The service is temporarily unavailable, try again later` */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
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
                    "application/json": {
                        /** @description Whole seconds; 0: now */
                        duration: number;
                    };
                };
            };
            /** @description Unauthorized: `NO_TOKEN_PROVIDED`, `Failed to verify token` */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Conflict: `EMAIL_OTP_UNINITIALIZED` */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Internal Server Error: `Internal server error` */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Service Unavailable: `The service is temporarily unavailable, try again later` */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    setUpEmailOtp: {
        parameters: {
            query?: {
                /** @description Name of a configured sender brand */
                origin?: string;
                /**
                 * @description Language of the mail: en, nl, fr or de; absent: the account's
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
                    /** @description Where the codes are to go */
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
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Unauthorized: `SUDO_TOKEN_REQUIRED`, `NO_TOKEN_PROVIDED`, `Failed to verify token` */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Payload Too Large: `The request body is too large` */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Unsupported Media Type: `The request body must be sent as application/json` */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Too Many Requests: `TOO_MANY_OTP_EMAILS` */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Internal Server Error: `Internal server error` */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Service Unavailable: `The service is temporarily unavailable, try again later` */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
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
                    /** @description Case, hyphens and spaces make no difference; O is read as 0, I and L as 1 */
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
                    "application/json": {
                        sudoToken: string;
                        /** @description With a partial token only */
                        accessToken?: string;
                        /** @description With a partial token only */
                        refreshToken?: string;
                    };
                };
            };
            /** @description Bad Request: `Missing or misformatted query parameter or body` */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Unauthorized: `RECOVERY_CODE_INVALID`, `NO_TOKEN_PROVIDED`, `Failed to verify token` */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Conflict: `RECOVERY_CODES_UNINITIALIZED` */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Payload Too Large: `The request body is too large` */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Unsupported Media Type: `The request body must be sent as application/json` */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Too Many Requests: `TOO_MANY_RECOVERY_CODE_CHECKS` */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Internal Server Error: `Internal server error` */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Service Unavailable: `The service is temporarily unavailable, try again later` */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
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
                    "application/json": {
                        /** @description Whole seconds; 0: now */
                        duration: number;
                    };
                };
            };
            /** @description Unauthorized: `NO_TOKEN_PROVIDED`, `Failed to verify token` */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Conflict: `RECOVERY_CODES_UNINITIALIZED` */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Internal Server Error: `Internal server error` */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Service Unavailable: `The service is temporarily unavailable, try again later` */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
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
                    "application/json": {
                        /** @description Ten codes, shown this once, each good for one use; empty where a set exists already */
                        recoveryCodes: string[];
                    };
                };
            };
            /** @description Bad Request: `Missing or misformatted query parameter or body` */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Unauthorized: `SUDO_TOKEN_REQUIRED`, `NO_TOKEN_PROVIDED`, `Failed to verify token` */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Conflict: `2FA_IS_DISABLED` */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Payload Too Large: `The request body is too large` */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Unsupported Media Type: `The request body must be sent as application/json` */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Internal Server Error: `Internal server error` */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Service Unavailable: `The service is temporarily unavailable, try again later` */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
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
            /** @description Unauthorized: `SUDO_TOKEN_REQUIRED`, `NO_TOKEN_PROVIDED`, `Failed to verify token` */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Conflict: `TOTP_ALREADY_INACTIVE` */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Internal Server Error: `Internal server error` */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Service Unavailable: `The service is temporarily unavailable, try again later` */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
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
                    /** @description The code that the app shows */
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
                    "application/json": {
                        sudoToken: string;
                        /** @description With a partial token only */
                        accessToken?: string;
                        /** @description With a partial token only */
                        refreshToken?: string;
                    };
                };
            };
            /** @description Bad Request: `Missing or misformatted query parameter or body` */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Unauthorized: `TOTP_INVALID`, `NO_TOKEN_PROVIDED`, `Failed to verify token` */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Conflict: `TOTP_UNINITIALIZED`, `TOTP_INACTIVE` */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Payload Too Large: `The request body is too large` */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Unsupported Media Type: `The request body must be sent as application/json` */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Too Many Requests: `TOO_MANY_TOTP_CHECKS` */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Internal Server Error: `Internal server error` */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Service Unavailable: `The service is temporarily unavailable, try again later` */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
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
                    /** @description The code that the app shows */
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
                    "application/json": {
                        /** @description Ten codes, shown this once, each good for one use; empty where a set exists already */
                        recoveryCodes: string[];
                    };
                };
            };
            /** @description Bad Request: `Missing or misformatted query parameter or body` */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Unauthorized: `TOTP_INVALID`, `NO_TOKEN_PROVIDED`, `Failed to verify token` */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Conflict: `TOTP_UNINITIALIZED` */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Payload Too Large: `The request body is too large` */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Unsupported Media Type: `The request body must be sent as application/json` */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Too Many Requests: `TOO_MANY_TOTP_CHECKS` */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Internal Server Error: `Internal server error` */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Service Unavailable: `The service is temporarily unavailable, try again later` */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
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
                    "application/json": {
                        /** @description Whole seconds; 0: now */
                        duration: number;
                    };
                };
            };
            /** @description Unauthorized: `NO_TOKEN_PROVIDED`, `Failed to verify token` */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Conflict: `TOTP_UNINITIALIZED` */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Internal Server Error: `Internal server error` */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Service Unavailable: `The service is temporarily unavailable, try again later` */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
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
                     *       "url": "otpauth://totp/Rolegrid:ada%40example.com?issuer=Rolegrid&secret=GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ&algorithm=SHA1&digits=6&period=30"
                     *     }
                     */
                    "application/json": {
                        /** @description An `otpauth:` address, shown as a QR code; it carries the secret */
                        url: string;
                    };
                };
            };
            /** @description Bad Request: `Missing or misformatted query parameter or body` */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Unauthorized: `SUDO_TOKEN_REQUIRED`, `NO_TOKEN_PROVIDED`, `Failed to verify token` */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Payload Too Large: `The request body is too large` */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Unsupported Media Type: `The request body must be sent as application/json` */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Internal Server Error: `Internal server error` */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Service Unavailable: `The service is temporarily unavailable, try again later` */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
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
                    /** @description The code that was mailed to the new address */
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
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Unauthorized: `OTP_INVALID_EXPIRED`, `NO_TOKEN_PROVIDED`, `Failed to verify token` */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Conflict: `NEW_EMAIL_ALREADY_IN_USE` */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Payload Too Large: `The request body is too large` */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Unsupported Media Type: `The request body must be sent as application/json` */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Internal Server Error: `Internal server error` */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Service Unavailable: `The service is temporarily unavailable, try again later` */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    initiateEmailTransfer: {
        parameters: {
            query?: {
                /** @description Name of a configured sender brand */
                origin?: string;
                /**
                 * @description Language of the mail: en, nl, fr or de; absent: the account's
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
                    /** @description An email address; upper and lower case are alike */
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
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Unauthorized: `SUDO_TOKEN_REQUIRED`, `NO_TOKEN_PROVIDED`, `Failed to verify token` */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Conflict: `TRANSFER_TOO_SOON` */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Payload Too Large: `The request body is too large` */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Unsupported Media Type: `The request body must be sent as application/json` */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Too Many Requests: `TOO_MANY_TRANSFER_ATTEMPTS` */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Internal Server Error: `Internal server error` */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Service Unavailable: `The service is temporarily unavailable, try again later` */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
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
                    /** @description The token of the mailed link */
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
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Unauthorized: `OTP_INVALID_EXPIRED` */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Payload Too Large: `The request body is too large` */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Unsupported Media Type: `The request body must be sent as application/json` */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Internal Server Error: `Internal server error` */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Service Unavailable: `The service is temporarily unavailable, try again later` */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
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
                     *         "passwordChangedAt": null
                     *       },
                     *       "membership": [
                     *         {
                     *           "id": 2003,
                     *           "roleId": 1001,
                     *           "roleName": "Energy Inc"
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
                     *           "sessionId": "k3VtZ1Qx0aYp7cRnW8sLfA",
                     *           "address": "192.0.2.1"
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": {
                        account: {
                            id: number;
                            email: string;
                            /** @description Language of mails: en, nl, fr or de */
                            language: string;
                            /** Format: date-time */
                            createdAt: string;
                            hasPassword: boolean;
                            passwordChangedAt: string | null;
                        };
                        membership: {
                            id: number;
                            roleId: number;
                            roleName: string;
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
                            endedAt: string | null;
                            endedReason: string | null;
                        }[];
                        pendingSignIn: {
                            /** Format: date-time */
                            authenticatedAt: string;
                            /** Format: date-time */
                            expiresAt: string;
                            client: string;
                            endedAt: string | null;
                        }[];
                        knownAddress: {
                            address: string;
                            /** Format: date-time */
                            lastSignInAt: string;
                        }[];
                        secondFactor: {
                            kind: string;
                            email: string | null;
                            activatedAt: string | null;
                            pendingEmail: string | null;
                            pendingUntil: string | null;
                            lastMailAt: string | null;
                            failures: number;
                        }[];
                        recoveryCode: {
                            position: number;
                            usedAt: string | null;
                        }[];
                        code: {
                            purpose: string;
                            email: string | null;
                            /** Format: date-time */
                            createdAt: string;
                            /** Format: date-time */
                            expiresAt: string;
                            endedAt: string | null;
                        }[];
                        passwordLink: {
                            purpose: string;
                            /** Format: date-time */
                            createdAt: string;
                            /** Format: date-time */
                            expiresAt: string;
                            endedAt: string | null;
                        }[];
                        undoLink: {
                            email: string;
                            /** Format: date-time */
                            createdAt: string;
                            /** Format: date-time */
                            expiresAt: string;
                            endedAt: string | null;
                        }[];
                        reservedEmail: {
                            email: string;
                            /** Format: date-time */
                            reservedUntil: string;
                        }[];
                        mail: {
                            template: string;
                            language: string;
                            recipient: string | null;
                            /** Format: date-time */
                            createdAt: string;
                            deliveredAt: string | null;
                        }[];
                        event: components["schemas"]["SecurityEvent"][];
                    };
                };
            };
            /** @description Unauthorized: `NO_TOKEN_PROVIDED`, `Failed to verify token` */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Internal Server Error: `Internal server error` */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Service Unavailable: `The service is temporarily unavailable, try again later` */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
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
                    "application/json": {
                        sudoToken: string;
                    };
                };
            };
            /** @description Bad Request: `Missing or misformatted query parameter or body` */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Unauthorized: `PASSWORD_INCORRECT`, `SUDO_TOKEN_REQUIRED`, `NO_TOKEN_PROVIDED`, `Failed to verify token` */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Payload Too Large: `The request body is too large` */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Unsupported Media Type: `The request body must be sent as application/json` */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Too Many Requests: `TOO_MANY_FAILED_PASSWORD_CHECKS` */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Internal Server Error: `Internal server error` */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Service Unavailable: `The service is temporarily unavailable, try again later` */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
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
                    /** @description The token of the mailed link */
                    token: string;
                    /** @description 8 to 256 characters, not a common password */
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
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Unauthorized: `OTP_INVALID_EXPIRED` */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Payload Too Large: `The request body is too large` */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Unsupported Media Type: `The request body must be sent as application/json` */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Internal Server Error: `Internal server error` */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Service Unavailable: `The service is temporarily unavailable, try again later` */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
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
                    /** @description 8 to 256 characters, not a common password */
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
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Unauthorized: `PASSWORD_INCORRECT`, `SUDO_TOKEN_REQUIRED`, `NO_TOKEN_PROVIDED`, `Failed to verify token` */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Payload Too Large: `The request body is too large` */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Unsupported Media Type: `The request body must be sent as application/json` */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Too Many Requests: `TOO_MANY_FAILED_PASSWORD_CHECKS` */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Internal Server Error: `Internal server error` */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Service Unavailable: `The service is temporarily unavailable, try again later` */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
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
                    /** @description An email address; upper and lower case are alike */
                    userEmail: string;
                    /** @description The mailed code; upper and lower case are alike */
                    otp: string;
                    /** @description 8 to 256 characters, not a common password */
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
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Unauthorized: `OTP_INVALID_EXPIRED` */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Payload Too Large: `The request body is too large` */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Unsupported Media Type: `The request body must be sent as application/json` */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Internal Server Error: `Internal server error` */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Service Unavailable: `The service is temporarily unavailable, try again later` */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    sendPasswordResetEmail: {
        parameters: {
            query?: {
                /** @description Name of a configured sender brand */
                origin?: string;
                /**
                 * @description Language of the mail: en, nl, fr or de; absent: the account's
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
                    /** @description An email address; upper and lower case are alike */
                    email: string;
                };
            };
        };
        responses: {
            /** @description Done. No body. */
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
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Payload Too Large: `The request body is too large` */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Unsupported Media Type: `The request body must be sent as application/json` */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Too Many Requests: `TOO_MANY_RESET_MAIL_ATTEMPTS` */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Internal Server Error: `Internal server error` */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Service Unavailable: `The service is temporarily unavailable, try again later` */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    sendPasswordResetOtp: {
        parameters: {
            query?: {
                /** @description Name of a configured sender brand */
                origin?: string;
                /**
                 * @description Language of the mail: en, nl, fr or de; absent: the account's
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
                    /** @description An email address; upper and lower case are alike */
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
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Payload Too Large: `The request body is too large` */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Unsupported Media Type: `The request body must be sent as application/json` */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Too Many Requests: `TOO_MANY_RESET_MAIL_ATTEMPTS` */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Internal Server Error: `Internal server error` */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Service Unavailable: `The service is temporarily unavailable, try again later` */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
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
                    /** @description An email address; upper and lower case are alike */
                    email: string;
                    /** @description The mailed code; upper and lower case are alike */
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
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Unauthorized: `OTP_INVALID_EXPIRED` */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Payload Too Large: `The request body is too large` */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Unsupported Media Type: `The request body must be sent as application/json` */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Internal Server Error: `Internal server error` */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Service Unavailable: `The service is temporarily unavailable, try again later` */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    listSecurityEvents: {
        parameters: {
            query?: {
                /**
                 * @description Answer at most so many
                 * @example 100
                 */
                limit?: number;
                /** @description `nextCursor` of the answer before */
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
                     *           "sessionId": "k3VtZ1Qx0aYp7cRnW8sLfA",
                     *           "address": "192.0.2.1"
                     *         }
                     *       ],
                     *       "nextCursor": null
                     *     }
                     */
                    "application/json": {
                        event: components["schemas"]["SecurityEvent"][];
                        nextCursor: string | null;
                    };
                };
            };
            /** @description Bad Request: `Missing or misformatted query parameter or body` */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Unauthorized: `NO_TOKEN_PROVIDED`, `Failed to verify token` */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Internal Server Error: `Internal server error` */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Service Unavailable: `The service is temporarily unavailable, try again later` */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    listSessions: {
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
                     *       ]
                     *     }
                     */
                    "application/json": {
                        session: components["schemas"]["Session"][];
                    };
                };
            };
            /** @description Unauthorized: `NO_TOKEN_PROVIDED`, `Failed to verify token` */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Internal Server Error: `Internal server error` */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Service Unavailable: `The service is temporarily unavailable, try again later` */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    endOtherSessions: {
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
            /** @description Unauthorized: `NO_TOKEN_PROVIDED`, `Failed to verify token` */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Internal Server Error: `Internal server error` */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Service Unavailable: `The service is temporarily unavailable, try again later` */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    endSession: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @example b9XwT5Hd2mGu4eKjN6qPzQ */
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
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Unauthorized: `NO_TOKEN_PROVIDED`, `Failed to verify token` */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Forbidden: `User does not have sufficient rights` */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Internal Server Error: `Internal server error` */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Service Unavailable: `The service is temporarily unavailable, try again later` */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    forgotPassword: {
        parameters: {
            query?: {
                /** @description Name of a configured sender brand */
                origin?: string;
                /**
                 * @description Language of the mail: en, nl, fr or de; absent: the account's
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
                    /** @description An email address; upper and lower case are alike */
                    email: string;
                };
            };
        };
        responses: {
            /** @description Done. No body. */
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
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Payload Too Large: `The request body is too large` */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Unsupported Media Type: `The request body must be sent as application/json` */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Too Many Requests: `TOO_MANY_RESET_MAIL_ATTEMPTS` */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Internal Server Error: `Internal server error` */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Service Unavailable: `The service is temporarily unavailable, try again later` */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    collectDevices: {
        parameters: {
            query?: {
                /**
                 * @example [
                 *       1107
                 *     ]
                 */
                id?: number[];
                nodeId?: string[];
                roleId?: number[];
                /** @description Answer at most so many, with `nextCursor`; absent: everything */
                limit?: number;
                /** @description `nextCursor` of the answer before */
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
                    "application/json": {
                        device: components["schemas"]["Device"][];
                        nextCursor?: string | null;
                    };
                };
            };
            /** @description Bad Request: `Missing or misformatted query parameter or body` */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Unauthorized: `NO_TOKEN_PROVIDED`, `Failed to verify token` */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Internal Server Error: `Internal server error` */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Service Unavailable: `The service is temporarily unavailable, try again later` */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    createDevice: {
        parameters: {
            query: {
                /**
                 * @description Id of a role, device or relation
                 * @example 1017
                 */
                roleId: number;
            };
            header?: {
                /**
                 * @description A value of your own, new for each request that is meant as a new one. Sent again with the same request within 24 hours, for example after a lost answer, it answers the first success again and creates nothing. With another request it is refused (422). A request that was refused does not use it up.
                 * @example heat-pump-7b1c4e
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
                 *       "properties": {
                 *         "nodeId": "heat-pump-1",
                 *         "name": "Heat pump"
                 *       }
                 *     }
                 */
                "application/json": {
                    /** @description `nodeId` and any further JSON, answered as it was given; at most 16384 bytes as UTF-8, nested at most 8 deep */
                    properties: {
                        /** @description The device's name for itself, unique and unchangeable. 1 to 128 characters, no control characters */
                        nodeId: string;
                    };
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
                    "application/json": {
                        device: components["schemas"]["Device"];
                        monitors: components["schemas"]["Monitors"];
                    };
                };
            };
            /** @description Bad Request: `Missing or misformatted query parameter or body` */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Unauthorized: `NO_TOKEN_PROVIDED`, `Failed to verify token` */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Forbidden: `User does not have sufficient rights` */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Conflict: `The nodeId belongs to another device` */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Payload Too Large: `The request body is too large` */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Unsupported Media Type: `The request body must be sent as application/json` */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Unprocessable Entity: `The Idempotency-Key was used for another request: send this one with a new key` */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Internal Server Error: `Internal server error` */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Service Unavailable: `The service is temporarily unavailable, try again later` */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    queryDevices: {
        parameters: {
            query?: {
                /** @description Answer at most so many, with `nextCursor`; absent: everything */
                limit?: number;
                /** @description `nextCursor` of the answer before */
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
                        id?: number[];
                        nodeId?: string[];
                        roleId?: number[];
                    };
                    /** @description Answer at most so many, with `nextCursor`; absent: everything */
                    limit?: number;
                    /** @description `nextCursor` of the answer before */
                    cursor?: string;
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
                    "application/json": {
                        device: components["schemas"]["Device"][];
                        nextCursor?: string | null;
                    };
                };
            };
            /** @description Bad Request: `Missing or misformatted query parameter or body` */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Unauthorized: `NO_TOKEN_PROVIDED`, `Failed to verify token` */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Payload Too Large: `The request body is too large` */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Unsupported Media Type: `The request body must be sent as application/json` */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Internal Server Error: `Internal server error` */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Service Unavailable: `The service is temporarily unavailable, try again later` */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    updateDevice: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Id of a role, device or relation
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
                 *         "nodeId": "house-meter-1",
                 *         "name": "House meter",
                 *         "nodeType": "meter"
                 *       }
                 *     }
                 */
                "application/json": {
                    /** @description `nodeId` and any further JSON, answered as it was given; at most 16384 bytes as UTF-8, nested at most 8 deep. `nodeId` may be left out */
                    properties: {
                        /** @description The device's name for itself, unique and unchangeable. 1 to 128 characters, no control characters */
                        nodeId?: string;
                    };
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
                    "application/json": {
                        device: components["schemas"]["Device"];
                    };
                };
            };
            /** @description Bad Request: `Missing or misformatted query parameter or body` */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Unauthorized: `NO_TOKEN_PROVIDED`, `Failed to verify token` */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Forbidden: `User does not have sufficient rights` */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Conflict: `The nodeId of a device cannot be changed` */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Payload Too Large: `The request body is too large` */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Unsupported Media Type: `The request body must be sent as application/json` */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Internal Server Error: `Internal server error` */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Service Unavailable: `The service is temporarily unavailable, try again later` */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
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
                        /** @description Id of a role, device or relation */
                        roleId: number;
                        /** @enum {string} */
                        right: "roleManagement" | "userManagement" | "viewManagement" | "deviceManagement" | "reportManagement" | "alarmManagement";
                    }[];
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
                     *       "allowed": [
                     *         true,
                     *         true
                     *       ]
                     *     }
                     */
                    "application/json": {
                        allowed: boolean[];
                    };
                };
            };
            /** @description Bad Request: `Missing or misformatted query parameter or body` */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Unauthorized: `NO_TOKEN_PROVIDED`, `Failed to verify token` */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Payload Too Large: `The request body is too large` */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Unsupported Media Type: `The request body must be sent as application/json` */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Internal Server Error: `Internal server error` */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Service Unavailable: `The service is temporarily unavailable, try again later` */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    collectRoles: {
        parameters: {
            query?: {
                /**
                 * @example [
                 *       1017
                 *     ]
                 */
                id?: number[];
                name?: string[];
                ancestorRoleId?: number[];
                "userRights.roleManagement"?: boolean;
                "userRights.userManagement"?: boolean;
                /** @example true */
                "userRights.viewManagement"?: boolean;
                "userRights.deviceManagement"?: boolean;
                "userRights.reportManagement"?: boolean;
                "userRights.alarmManagement"?: boolean;
                /** @description Answer at most so many, with `nextCursor`; absent: everything */
                limit?: number;
                /** @description `nextCursor` of the answer before */
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
                    "application/json": {
                        role: components["schemas"]["Role"][];
                        nextCursor?: string | null;
                    };
                };
            };
            /** @description Bad Request: `Missing or misformatted query parameter or body` */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Unauthorized: `NO_TOKEN_PROVIDED`, `Failed to verify token` */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Internal Server Error: `Internal server error` */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Service Unavailable: `The service is temporarily unavailable, try again later` */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    createRole: {
        parameters: {
            query: {
                /**
                 * @description Id of a role, device or relation
                 * @example 1017
                 */
                parentRoleId: number;
            };
            header?: {
                /**
                 * @description A value of your own, new for each request that is meant as a new one. Sent again with the same request within 24 hours, for example after a lost answer, it answers the first success again and creates nothing. With another request it is refused (422). A request that was refused does not use it up.
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
                        /** @description 1 to 256 characters after trimming, no control characters */
                        name: string;
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
                    "application/json": {
                        manages: components["schemas"]["Manages"];
                        role: components["schemas"]["Role"];
                    };
                };
            };
            /** @description Bad Request: `Missing or misformatted query parameter or body` */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Unauthorized: `NO_TOKEN_PROVIDED`, `Failed to verify token` */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Forbidden: `User does not have sufficient rights` */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Conflict: `The role would be left without a role that manages it` */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Payload Too Large: `The request body is too large` */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Unsupported Media Type: `The request body must be sent as application/json` */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Unprocessable Entity: `The change would touch too much of the role graph`, `The Idempotency-Key was used for another request: send this one with a new key` */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Internal Server Error: `Internal server error` */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Service Unavailable: `The service is temporarily unavailable, try again later` */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    queryRoles: {
        parameters: {
            query?: {
                /** @description Answer at most so many, with `nextCursor`; absent: everything */
                limit?: number;
                /** @description `nextCursor` of the answer before */
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
                        id?: number[];
                        name?: string[];
                        ancestorRoleId?: number[];
                    };
                    userRights?: {
                        roleManagement?: boolean;
                        userManagement?: boolean;
                        viewManagement?: boolean;
                        deviceManagement?: boolean;
                        reportManagement?: boolean;
                        alarmManagement?: boolean;
                    };
                    /** @description Answer at most so many, with `nextCursor`; absent: everything */
                    limit?: number;
                    /** @description `nextCursor` of the answer before */
                    cursor?: string;
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
                    "application/json": {
                        role: components["schemas"]["Role"][];
                        nextCursor?: string | null;
                    };
                };
            };
            /** @description Bad Request: `Missing or misformatted query parameter or body` */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Unauthorized: `NO_TOKEN_PROVIDED`, `Failed to verify token` */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Payload Too Large: `The request body is too large` */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Unsupported Media Type: `The request body must be sent as application/json` */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Internal Server Error: `Internal server error` */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Service Unavailable: `The service is temporarily unavailable, try again later` */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    collectManages: {
        parameters: {
            query?: {
                id?: number[];
                /**
                 * @example [
                 *       1042
                 *     ]
                 */
                childRoleId?: number[];
                /** @description Answer at most so many, with `nextCursor`; absent: everything */
                limit?: number;
                /** @description `nextCursor` of the answer before */
                cursor?: string;
            };
            header?: never;
            path: {
                /**
                 * @description One role id, a comma-separated list of them, or `*` for all
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
                    "application/json": {
                        manages: components["schemas"]["Manages"][];
                        nextCursor?: string | null;
                    };
                };
            };
            /** @description Bad Request: `Missing or misformatted query parameter or body` */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Unauthorized: `NO_TOKEN_PROVIDED`, `Failed to verify token` */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Internal Server Error: `Internal server error` */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Service Unavailable: `The service is temporarily unavailable, try again later` */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    putManages: {
        parameters: {
            query: {
                /**
                 * @description Id of a role, device or relation
                 * @example 1042
                 */
                childRoleId: number;
                /** @description Password of the child role. Prefer the header `X-Child-Role-Password`: URLs end up in logs */
                childRolePassword?: string;
            };
            header?: {
                /** @description Password of the child role */
                "X-Child-Role-Password"?: string;
            };
            path: {
                /**
                 * @description Id of a role, device or relation
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
                    "application/json": {
                        manages: components["schemas"]["Manages"];
                    };
                };
            };
            /** @description Bad Request: `Missing or misformatted query parameter or body` */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Unauthorized: `NO_TOKEN_PROVIDED`, `Failed to verify token` */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Forbidden: `User does not have sufficient rights` */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Conflict: `The proposed manages relation cannot be added since it would create a cycle in the role graph`, `The role would be left without a role that manages it` */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Payload Too Large: `The request body is too large` */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Unsupported Media Type: `The request body must be sent as application/json` */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Unprocessable Entity: `The change would touch too much of the role graph` */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Too Many Requests: `The provided childRolePassword query parameter cannot be checked, since too many successive failed role query calls occured` */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Internal Server Error: `Internal server error` */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Service Unavailable: `The service is temporarily unavailable, try again later` */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    queryManages: {
        parameters: {
            query?: {
                /** @description Answer at most so many, with `nextCursor`; absent: everything */
                limit?: number;
                /** @description `nextCursor` of the answer before */
                cursor?: string;
            };
            header?: never;
            path: {
                /**
                 * @description One role id, a comma-separated list of them, or `*` for all
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
                        id?: number[];
                        parentRoleId?: number[];
                        childRoleId?: number[];
                    };
                    /** @description Answer at most so many, with `nextCursor`; absent: everything */
                    limit?: number;
                    /** @description `nextCursor` of the answer before */
                    cursor?: string;
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
                    "application/json": {
                        manages: components["schemas"]["Manages"][];
                        nextCursor?: string | null;
                    };
                };
            };
            /** @description Bad Request: `Missing or misformatted query parameter or body` */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Unauthorized: `NO_TOKEN_PROVIDED`, `Failed to verify token` */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Payload Too Large: `The request body is too large` */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Unsupported Media Type: `The request body must be sent as application/json` */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Internal Server Error: `Internal server error` */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Service Unavailable: `The service is temporarily unavailable, try again later` */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    updateManages: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Id of a role, device or relation
                 * @example 1017
                 */
                parentRoleId: number;
                /**
                 * @description Id of a role, device or relation
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
                    "application/json": {
                        manages: components["schemas"]["Manages"];
                    };
                };
            };
            /** @description Bad Request: `Missing or misformatted query parameter or body` */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Unauthorized: `NO_TOKEN_PROVIDED`, `Failed to verify token` */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Forbidden: `User does not have sufficient rights` */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Conflict: `The role would be left without a role that manages it` */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Payload Too Large: `The request body is too large` */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Unsupported Media Type: `The request body must be sent as application/json` */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Unprocessable Entity: `The change would touch too much of the role graph` */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Internal Server Error: `Internal server error` */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Service Unavailable: `The service is temporarily unavailable, try again later` */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    deleteManages: {
        parameters: {
            query?: {
                /**
                 * @description Answer the same, change nothing
                 * @example true
                 */
                dryRun?: boolean;
            };
            header?: never;
            path: {
                /**
                 * @description Id of a role, device or relation
                 * @example 1017
                 */
                parentRoleId: number;
                /**
                 * @description Id of a role, device or relation
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
                     *       ]
                     *     }
                     */
                    "application/json": {
                        deletedNodeIds: number[];
                        deletedRelationIds: number[];
                    };
                };
            };
            /** @description Bad Request: `Missing or misformatted query parameter or body` */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Unauthorized: `NO_TOKEN_PROVIDED`, `Failed to verify token` */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Forbidden: `User does not have sufficient rights` */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Conflict: `The role would be left without a role that manages it` */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Unprocessable Entity: `The change would touch too much of the role graph` */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Internal Server Error: `Internal server error` */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Service Unavailable: `The service is temporarily unavailable, try again later` */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    updateRole: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Id of a role, device or relation
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
                    /** @description 1 to 256 characters after trimming, no control characters */
                    name: string;
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
                    "application/json": {
                        role: components["schemas"]["Role"];
                    };
                };
            };
            /** @description Bad Request: `Missing or misformatted query parameter or body` */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Unauthorized: `NO_TOKEN_PROVIDED`, `Failed to verify token` */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Forbidden: `User does not have sufficient rights` */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Payload Too Large: `The request body is too large` */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Unsupported Media Type: `The request body must be sent as application/json` */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Internal Server Error: `Internal server error` */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Service Unavailable: `The service is temporarily unavailable, try again later` */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    queryManagedBy: {
        parameters: {
            query?: {
                /** @description Answer at most so many, with `nextCursor`; absent: everything */
                limit?: number;
                /** @description `nextCursor` of the answer before */
                cursor?: string;
            };
            header?: never;
            path: {
                /**
                 * @description One role id, a comma-separated list of them, or `*` for all
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
                    /** @description Answer at most so many, with `nextCursor`; absent: everything */
                    limit?: number;
                    /** @description `nextCursor` of the answer before */
                    cursor?: string;
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
                    "application/json": {
                        manages: components["schemas"]["Manages"][];
                        nextCursor?: string | null;
                    };
                };
            };
            /** @description Bad Request: `Missing or misformatted query parameter or body` */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Unauthorized: `NO_TOKEN_PROVIDED`, `Failed to verify token` */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Payload Too Large: `The request body is too large` */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Unsupported Media Type: `The request body must be sent as application/json` */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Internal Server Error: `Internal server error` */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Service Unavailable: `The service is temporarily unavailable, try again later` */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    collectMembers: {
        parameters: {
            query?: {
                id?: number[];
                /**
                 * @example [
                 *       "grace@example.com"
                 *     ]
                 */
                userEmail?: string[];
                /** @description Answer at most so many, with `nextCursor`; absent: everything */
                limit?: number;
                /** @description `nextCursor` of the answer before */
                cursor?: string;
            };
            header?: never;
            path: {
                /**
                 * @description One role id, a comma-separated list of them, or `*` for all
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
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "member": [
                     *         {
                     *           "id": 2063,
                     *           "roleId": 1001,
                     *           "userEmail": "grace@example.com"
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": {
                        member: components["schemas"]["Member"][];
                        nextCursor?: string | null;
                    };
                };
            };
            /** @description Bad Request: `Missing or misformatted query parameter or body` */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Unauthorized: `NO_TOKEN_PROVIDED`, `Failed to verify token` */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Internal Server Error: `Internal server error` */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Service Unavailable: `The service is temporarily unavailable, try again later` */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    addMember: {
        parameters: {
            query: {
                /**
                 * @description Address of the person
                 * @example edsger@example.com
                 */
                userEmail: string;
                /** @description Name of a configured sender brand */
                origin?: string;
                /**
                 * @description Language of the mail: en, nl, fr or de
                 * @example nl
                 */
                language?: string;
            };
            header?: never;
            path: {
                /**
                 * @description Id of a role, device or relation
                 * @example 1017
                 */
                roleId: number;
            };
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
                     *       "member": {
                     *         "id": 2071,
                     *         "roleId": 1017,
                     *         "userEmail": "edsger@example.com"
                     *       }
                     *     }
                     */
                    "application/json": {
                        member: components["schemas"]["Member"];
                    };
                };
            };
            /** @description Bad Request: `Missing or misformatted query parameter or body` */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Unauthorized: `NO_TOKEN_PROVIDED`, `Failed to verify token` */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Forbidden: `User does not have sufficient rights` */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Payload Too Large: `The request body is too large` */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Unsupported Media Type: `The request body must be sent as application/json` */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Too Many Requests: `TOO_MANY_INVITATIONS` */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Internal Server Error: `Internal server error` */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Service Unavailable: `The service is temporarily unavailable, try again later` */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    queryMembers: {
        parameters: {
            query?: {
                /** @description Answer at most so many, with `nextCursor`; absent: everything */
                limit?: number;
                /** @description `nextCursor` of the answer before */
                cursor?: string;
            };
            header?: never;
            path: {
                /**
                 * @description One role id, a comma-separated list of them, or `*` for all
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
                        id?: number[];
                        userEmail?: string[];
                    };
                    /** @description Answer at most so many, with `nextCursor`; absent: everything */
                    limit?: number;
                    /** @description `nextCursor` of the answer before */
                    cursor?: string;
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
                     *       "member": [
                     *         {
                     *           "id": 2003,
                     *           "roleId": 1001,
                     *           "userEmail": "ada@example.com"
                     *         },
                     *         {
                     *           "id": 2063,
                     *           "roleId": 1001,
                     *           "userEmail": "grace@example.com"
                     *         }
                     *       ],
                     *       "nextCursor": null
                     *     }
                     */
                    "application/json": {
                        member: components["schemas"]["Member"][];
                        nextCursor?: string | null;
                    };
                };
            };
            /** @description Bad Request: `Missing or misformatted query parameter or body` */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Unauthorized: `NO_TOKEN_PROVIDED`, `Failed to verify token` */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Payload Too Large: `The request body is too large` */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Unsupported Media Type: `The request body must be sent as application/json` */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Internal Server Error: `Internal server error` */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Service Unavailable: `The service is temporarily unavailable, try again later` */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    removeMember: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Id of a role, device or relation
                 * @example 1001
                 */
                roleId: number;
                /**
                 * @description Id of a role, device or relation
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
                    "application/json": {
                        deletedNodeIds: number[];
                        deletedRelationIds: number[];
                    };
                };
            };
            /** @description Bad Request: `Missing or misformatted query parameter or body` */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Unauthorized: `NO_TOKEN_PROVIDED`, `Failed to verify token` */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Forbidden: `User does not have sufficient rights` */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Conflict: `The root role would be left without a member` */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Internal Server Error: `Internal server error` */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Service Unavailable: `The service is temporarily unavailable, try again later` */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    collectMonitors: {
        parameters: {
            query?: {
                id?: number[];
                /**
                 * @example [
                 *       1107
                 *     ]
                 */
                deviceId?: number[];
                /** @description Answer at most so many, with `nextCursor`; absent: everything */
                limit?: number;
                /** @description `nextCursor` of the answer before */
                cursor?: string;
            };
            header?: never;
            path: {
                /**
                 * @description One role id, a comma-separated list of them, or `*` for all
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
                    "application/json": {
                        monitors: components["schemas"]["Monitors"][];
                        nextCursor?: string | null;
                    };
                };
            };
            /** @description Bad Request: `Missing or misformatted query parameter or body` */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Unauthorized: `NO_TOKEN_PROVIDED`, `Failed to verify token` */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Internal Server Error: `Internal server error` */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Service Unavailable: `The service is temporarily unavailable, try again later` */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    addMonitors: {
        parameters: {
            query: {
                /**
                 * @description Id of a role, device or relation
                 * @example 1107
                 */
                deviceId: number;
            };
            header?: never;
            path: {
                /**
                 * @description Id of a role, device or relation
                 * @example 1042
                 */
                roleId: number;
            };
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
                     *       "monitors": {
                     *         "id": 2071,
                     *         "roleId": 1042,
                     *         "deviceId": 1107
                     *       }
                     *     }
                     */
                    "application/json": {
                        monitors: components["schemas"]["Monitors"];
                    };
                };
            };
            /** @description Bad Request: `Missing or misformatted query parameter or body` */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Unauthorized: `NO_TOKEN_PROVIDED`, `Failed to verify token` */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Forbidden: `User does not have sufficient rights` */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Payload Too Large: `The request body is too large` */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Unsupported Media Type: `The request body must be sent as application/json` */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Internal Server Error: `Internal server error` */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Service Unavailable: `The service is temporarily unavailable, try again later` */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    queryMonitors: {
        parameters: {
            query?: {
                /** @description Answer at most so many, with `nextCursor`; absent: everything */
                limit?: number;
                /** @description `nextCursor` of the answer before */
                cursor?: string;
            };
            header?: never;
            path: {
                /**
                 * @description One role id, a comma-separated list of them, or `*` for all
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
                        id?: number[];
                        deviceId?: number[];
                    };
                    /** @description Answer at most so many, with `nextCursor`; absent: everything */
                    limit?: number;
                    /** @description `nextCursor` of the answer before */
                    cursor?: string;
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
                    "application/json": {
                        monitors: components["schemas"]["Monitors"][];
                        nextCursor?: string | null;
                    };
                };
            };
            /** @description Bad Request: `Missing or misformatted query parameter or body` */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Unauthorized: `NO_TOKEN_PROVIDED`, `Failed to verify token` */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Payload Too Large: `The request body is too large` */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Unsupported Media Type: `The request body must be sent as application/json` */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Internal Server Error: `Internal server error` */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Service Unavailable: `The service is temporarily unavailable, try again later` */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    removeMonitors: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Id of a role, device or relation
                 * @example 1017
                 */
                roleId: number;
                /**
                 * @description Id of a role, device or relation
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
                    "application/json": {
                        deletedNodeIds: number[];
                        deletedRelationIds: number[];
                    };
                };
            };
            /** @description Bad Request: `Missing or misformatted query parameter or body` */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Unauthorized: `NO_TOKEN_PROVIDED`, `Failed to verify token` */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Forbidden: `User does not have sufficient rights` */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Internal Server Error: `Internal server error` */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Service Unavailable: `The service is temporarily unavailable, try again later` */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    setRolePassword: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Id of a role, device or relation
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
                    password: string | null;
                    rights?: components["schemas"]["Rights"];
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
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Unauthorized: `NO_TOKEN_PROVIDED`, `Failed to verify token` */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Forbidden: `User does not have sufficient rights` */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Payload Too Large: `The request body is too large` */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Unsupported Media Type: `The request body must be sent as application/json` */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Internal Server Error: `Internal server error` */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Service Unavailable: `The service is temporarily unavailable, try again later` */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    writeTelemetry: {
        parameters: {
            query: {
                /**
                 * @description 1 to 256 characters of well-formed Unicode without NUL
                 * @example plant
                 */
                db: string;
                /** @description Retention policy; `autogen` by default */
                rp?: string;
                /** @description Unit of the line protocol's timestamps; `ns` by default */
                precision?: "ns" | "us" | "ms" | "s";
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
            /** @description Done. No body. */
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
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Unauthorized: `NO_TOKEN_PROVIDED`, `Failed to verify token` */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Forbidden: `User does not have sufficient rights` */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Payload Too Large: `The request body is too large` */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Unsupported Media Type: `The request body must be sent as application/json, or as text/plain for line protocol`, `The request body may be packed with gzip only` */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Unprocessable Entity: `The telemetry store refused the points` */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Internal Server Error: `Internal server error` */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Service Unavailable: `The service is temporarily unavailable, try again later` */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
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
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Unauthorized: `NO_TOKEN_PROVIDED`, `Failed to verify token` */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Payload Too Large: `The request body is too large` */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Unsupported Media Type: `The request body must be sent as application/json` */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Unprocessable Entity: `The queries would return too many points`, `The request costs more than the rate limit ever allows` */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Too Many Requests: `The rate limit of telemetry queries is reached` */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Internal Server Error: `Internal server error` */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Service Unavailable: `The service is temporarily unavailable, try again later` */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
}
