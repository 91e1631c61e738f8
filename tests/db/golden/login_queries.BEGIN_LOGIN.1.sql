INSERT INTO throttle (scope, key, count, next_at, started_at, expires_at)
SELECT 'password',
  :pairKey,
  1,
  :now + CASE
    WHEN 1 >= 100 THEN 86400000
    WHEN 1 <= 1 THEN 0
    WHEN 1 <= 2 THEN 0
    WHEN 1 <= 3 THEN 0
    WHEN 1 <= 4 THEN 30000
    WHEN 1 <= 5 THEN 60000
    WHEN 1 <= 6 THEN 120000
    WHEN 1 <= 7 THEN 300000
    WHEN 1 <= 8 THEN 900000
    ELSE 3600000
  END,
  :now,
  :now + CASE
    WHEN 1 >= 100 THEN 86400000
    WHEN 1 <= 1 THEN 0
    WHEN 1 <= 2 THEN 0
    WHEN 1 <= 3 THEN 0
    WHEN 1 <= 4 THEN 30000
    WHEN 1 <= 5 THEN 60000
    WHEN 1 <= 6 THEN 120000
    WHEN 1 <= 7 THEN 300000
    WHEN 1 <= 8 THEN 900000
    ELSE 3600000
  END + 86400000
WHERE EXISTS (
  SELECT 1
  FROM security_event decided
  WHERE decided.op_id = :opId AND decided.result IN ('started')
) ON CONFLICT (scope, key) DO UPDATE
SET count = CASE WHEN throttle.expires_at <= :now THEN 1 ELSE throttle.count + 1 END,
  next_at = :now + CASE
    WHEN (CASE WHEN throttle.expires_at <= :now THEN 1 ELSE throttle.count + 1 END) >= 100 THEN 86400000
    WHEN (CASE WHEN throttle.expires_at <= :now THEN 1 ELSE throttle.count + 1 END) <= 1 THEN 0
    WHEN (CASE WHEN throttle.expires_at <= :now THEN 1 ELSE throttle.count + 1 END) <= 2 THEN 0
    WHEN (CASE WHEN throttle.expires_at <= :now THEN 1 ELSE throttle.count + 1 END) <= 3 THEN 0
    WHEN (CASE WHEN throttle.expires_at <= :now THEN 1 ELSE throttle.count + 1 END) <= 4 THEN 30000
    WHEN (CASE WHEN throttle.expires_at <= :now THEN 1 ELSE throttle.count + 1 END) <= 5 THEN 60000
    WHEN (CASE WHEN throttle.expires_at <= :now THEN 1 ELSE throttle.count + 1 END) <= 6 THEN 120000
    WHEN (CASE WHEN throttle.expires_at <= :now THEN 1 ELSE throttle.count + 1 END) <= 7 THEN 300000
    WHEN (CASE WHEN throttle.expires_at <= :now THEN 1 ELSE throttle.count + 1 END) <= 8 THEN 900000
    ELSE 3600000
  END,
  started_at = CASE WHEN throttle.expires_at <= :now THEN :now ELSE throttle.started_at END,
  expires_at = :now + CASE
    WHEN (CASE WHEN throttle.expires_at <= :now THEN 1 ELSE throttle.count + 1 END) >= 100 THEN 86400000
    WHEN (CASE WHEN throttle.expires_at <= :now THEN 1 ELSE throttle.count + 1 END) <= 1 THEN 0
    WHEN (CASE WHEN throttle.expires_at <= :now THEN 1 ELSE throttle.count + 1 END) <= 2 THEN 0
    WHEN (CASE WHEN throttle.expires_at <= :now THEN 1 ELSE throttle.count + 1 END) <= 3 THEN 0
    WHEN (CASE WHEN throttle.expires_at <= :now THEN 1 ELSE throttle.count + 1 END) <= 4 THEN 30000
    WHEN (CASE WHEN throttle.expires_at <= :now THEN 1 ELSE throttle.count + 1 END) <= 5 THEN 60000
    WHEN (CASE WHEN throttle.expires_at <= :now THEN 1 ELSE throttle.count + 1 END) <= 6 THEN 120000
    WHEN (CASE WHEN throttle.expires_at <= :now THEN 1 ELSE throttle.count + 1 END) <= 7 THEN 300000
    WHEN (CASE WHEN throttle.expires_at <= :now THEN 1 ELSE throttle.count + 1 END) <= 8 THEN 900000
    ELSE 3600000
  END + 86400000
