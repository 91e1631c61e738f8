-- nearly the same: login_queries BEGIN_LOGIN.5
INSERT INTO security_event (op_id, at, event, result, user_id, address)
SELECT :opId,
  :now,
  'login',
  'started',
  (SELECT user_account.id FROM user_account WHERE user_account.email = :email),
  :address
WHERE coalesce(
  (
    SELECT counter.next_at
    FROM throttle counter
    WHERE counter.scope = 'password' AND counter.key = :pairKey AND counter.expires_at > :now
  ),
  0
) <= :now
  AND (
    EXISTS (
      SELECT 1
      FROM user_account owner
      CROSS JOIN known_address known ON known.user_id = owner.id
      WHERE owner.email = :email AND known.address = :addressBucket
    )
    OR max(
      0,
      coalesce(
        (
          SELECT max(spent.expires_at)
          FROM json_each(:networks) network
          CROSS JOIN throttle spent ON spent.scope = 'password.address'
            AND spent.key = network.key
            AND spent.count >= 50 * network.value
        ),
        0
      ),
      coalesce(
        (
          SELECT max(spent.expires_at)
          FROM json_each(:networks) network
          CROSS JOIN throttle spent ON spent.scope = 'password.accounts'
            AND spent.key = network.key
            AND spent.count >= 20 * network.value
        ),
        0
      ),
      coalesce(
        (
          SELECT max(
            CASE
              WHEN spent.count >= 20 * network.value THEN spent.expires_at
              WHEN spent.count > 0
                AND coalesce(
                  (
                    SELECT counter.count
                    FROM throttle counter
                    WHERE counter.scope = 'password.strangers_by_network'
                      AND counter.key = :accountKey
                      AND counter.expires_at > :now
                  ),
                  0
                ) >= 100 THEN min(
                  spent.expires_at,
                  coalesce(
                    (
                      SELECT counter.expires_at
                      FROM throttle counter
                      WHERE counter.scope = 'password.strangers_by_network'
                        AND counter.key = :accountKey
                        AND counter.expires_at > :now
                    ),
                    0
                  )
                )
            END
          )
          FROM json_each(:networks) network
          CROSS JOIN throttle spent ON spent.scope = 'password.strangers_by_network'
            AND spent.key = :accountKey || ' ' || network.key
        ),
        0
      ),
      CASE
        WHEN coalesce(
          (
            SELECT counter.count
            FROM throttle counter
            WHERE counter.scope = 'password.strangers_by_network'
              AND counter.key = :accountKey
              AND counter.expires_at > :now
          ),
          0
        ) >= 1000 THEN coalesce(
          (
            SELECT counter.expires_at
            FROM throttle counter
            WHERE counter.scope = 'password.strangers_by_network'
              AND counter.key = :accountKey
              AND counter.expires_at > :now
          ),
          0
        )
        ELSE 0
      END
    ) <= :now
  )
