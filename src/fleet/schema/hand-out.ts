/**
 * Giving out in one statement what is due to an agent: as much as it has room for, leased to its session. The workspace is
 * locked first, and each look after that sees what was committed before the lock was had. One row says `slow` where more is
 * to be decided than this does: the session or its token is not welcome, a lease ran out, something expired, or a message is
 * of a kind that is asked about before it goes out. Nothing is written then.
 */
export const HAND_OUT = `
CREATE FUNCTION a2a_hand_out(p_workspace uuid, p_session text, p_token uuid, p_seconds float8, p_most integer,
    p_guarded text[])
  RETURNS TABLE (slow boolean, id uuid, attempt integer, method text, body jsonb, priority smallint,
    enqueued_at timestamptz, expires_at timestamptz, idempotency_key text, kind text)
  LANGUAGE plpgsql AS $$
#variable_conflict use_column
DECLARE
  v_room integer;
  v_due uuid[];
  v_slow boolean;
BEGIN
  SELECT w.max_concurrent_tasks - w.active_tasks INTO v_room FROM workspaces w
    WHERE w.id = p_workspace AND w.session_id = p_session AND w.accepting AND w.status IN ('online', 'degraded')
      AND EXISTS (SELECT FROM tokens t WHERE t.id = p_token AND t.revoked_at IS NULL
        AND (t.expires_at IS NULL OR t.expires_at > now())) FOR UPDATE;
  IF NOT FOUND THEN
    RETURN QUERY SELECT true, NULL::uuid, NULL::integer, NULL, NULL::jsonb, NULL::smallint, NULL::timestamptz,
      NULL::timestamptz, NULL, NULL;
    RETURN;
  END IF;
  SELECT v_room - count(*) FILTER (WHERE q.lease_until > now()), coalesce(bool_or(q.lease_until <= now()), false)
    INTO v_room, v_slow FROM a2a_queue q WHERE q.workspace_id = p_workspace AND q.status = 'dispatched';
  IF v_room <= 0 THEN
    RETURN;
  END IF;
  SELECT array_agg(d.id), v_slow OR coalesce(bool_or(d.kind = ANY(p_guarded) OR d.expires_at <= now()), false)
    INTO v_due, v_slow FROM (
      SELECT q.id, q.kind, q.expires_at FROM a2a_queue q WHERE q.workspace_id = p_workspace AND q.status = 'queued'
          AND (q.next_attempt_at IS NULL OR q.next_attempt_at <= now())
        ORDER BY q.priority DESC, q.enqueued_at, q.id LIMIT least(v_room, p_most) FOR UPDATE SKIP LOCKED) d;
  IF v_slow THEN
    RETURN QUERY SELECT true, NULL::uuid, NULL::integer, NULL, NULL::jsonb, NULL::smallint, NULL::timestamptz,
      NULL::timestamptz, NULL, NULL;
    RETURN;
  END IF;
  RETURN QUERY UPDATE a2a_queue q SET status = 'dispatched', dispatched_at = now(), attempts = q.attempts + 1,
      claimed_by = p_session, lease_until = now() + make_interval(secs => p_seconds), next_attempt_at = NULL
    WHERE q.id = ANY(v_due)
    RETURNING false, q.id, q.attempts, q.method, q.body, q.priority, q.enqueued_at, q.expires_at, q.idempotency_key,
      q.kind;
END $$;
`;
