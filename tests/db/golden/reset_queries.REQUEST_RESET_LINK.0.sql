INSERT INTO security_event (op_id, at, event, result, user_id, address)
SELECT :opId,
  :now,
  'password_reset_link.request',
  'ok',
  (SELECT asked.id FROM user_account asked WHERE asked.email = :email),
  :address
WHERE NOT (
  coalesce(
    (
      SELECT counter.count
      FROM throttle counter
      WHERE counter.scope = 'reset_mail.gap' AND counter.key = :pairKey AND counter.expires_at > :now
    ),
    0
  ) >= 1
  OR coalesce(
    (
      SELECT counter.count
      FROM throttle counter
      WHERE counter.scope = 'reset_mail.hour' AND counter.key = :pairKey AND counter.expires_at > :now
    ),
    0
  ) >= 3
  OR coalesce(
    (
      SELECT counter.count
      FROM throttle counter
      WHERE counter.scope = 'reset_mail.day' AND counter.key = :pairKey AND counter.expires_at > :now
    ),
    0
  ) >= 6
)
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
          SELECT max(
            CASE
              WHEN spent.count >= 6 * network.value THEN spent.expires_at
              WHEN spent.count > 0
                AND coalesce(
                  (
                    SELECT counter.count
                    FROM throttle counter
                    WHERE counter.scope = 'reset_mail.address'
                      AND counter.key = :accountKey
                      AND counter.expires_at > :now
                  ),
                  0
                ) >= 20 THEN min(
                  spent.expires_at,
                  coalesce(
                    (
                      SELECT counter.expires_at
                      FROM throttle counter
                      WHERE counter.scope = 'reset_mail.address'
                        AND counter.key = :accountKey
                        AND counter.expires_at > :now
                    ),
                    0
                  )
                )
            END
          )
          FROM json_each(:networks) network
          CROSS JOIN throttle spent ON spent.scope = 'reset_mail.address'
            AND spent.key = :accountKey || ' ' || network.key
        ),
        0
      ),
      CASE
        WHEN coalesce(
          (
            SELECT counter.count
            FROM throttle counter
            WHERE counter.scope = 'reset_mail.address'
              AND counter.key = :accountKey
              AND counter.expires_at > :now
          ),
          0
        ) >= 50 THEN coalesce(
          (
            SELECT counter.expires_at
            FROM throttle counter
            WHERE counter.scope = 'reset_mail.address'
              AND counter.key = :accountKey
              AND counter.expires_at > :now
          ),
          0
        )
        ELSE 0
      END,
      coalesce(
        (
          SELECT max(spent.expires_at)
          FROM json_each(:networks) network
          CROSS JOIN throttle spent ON spent.scope = 'reset_mail.client'
            AND spent.key = network.key
            AND spent.count >= 20 * network.value
        ),
        0
      )
    ) <= :now
  )
