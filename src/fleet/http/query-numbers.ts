/** A number in a query string is text until here. */
export function numbered(query: Record<string, string>): Record<string, unknown> {
  const { limit } = query;
  return limit !== undefined && /^\d{1,6}$/.test(limit) ? { ...query, limit: Number(limit) } : query;
}
