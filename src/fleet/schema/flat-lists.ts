/**
 * Lists that would otherwise read what has ended to find what has not, or sort all of it for one page: what somebody asked
 * and is still open, everything of an org, and dead letters of all orgs.
 */
export const FLAT_LISTS = `
CREATE INDEX requests_outgoing_open ON requests (org_id, requester_type, requester_id, created_at, id)
  WHERE status IN ('pending', 'info_requested');
CREATE INDEX requests_org_all ON requests (org_id, (-coalesce(priority, 0)), created_at, id);
CREATE INDEX a2a_queue_dead_everywhere ON a2a_queue (completed_at, id) WHERE status IN ('dropped', 'failed');
`;
