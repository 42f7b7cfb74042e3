/** What ended, by age: so that retention costs nothing while nothing is old. */
export const ENDED_REQUESTS = `
CREATE INDEX requests_ended ON requests (updated_at) WHERE status IN ('done', 'rejected', 'approved', 'cancelled');
`;
