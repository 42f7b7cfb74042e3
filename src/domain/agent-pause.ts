/**
 * A person's pause of one agent: nothing that no person asked for is typed into it. Its mail arrives, every setting stays,
 * and a person's own prompts are typed.
 */
export interface AgentPause {
  since_utc: string;
  /** Null: until a person resumes it. */
  until_utc: string | null;
}

/** Why something waits, as it is stored with decisions, requests and reminders. */
export function pauseText({ until_utc }: Pick<AgentPause, 'until_utc'>): string {
  return until_utc === null ? 'paused until it is resumed' : `paused until ${until_utc}`;
}

/** The end of the pause in such a text: null without a time, undefined if it is another text. */
export function pausedUntil(text: string): string | null | undefined {
  const [found, until = null] = /^paused until (?:it is resumed|(\S+Z))$/.exec(text) ?? [];
  return found === undefined ? undefined : until;
}
