import * as z from 'zod';
import { about, instant, name, schemaVersion, stamp, strict } from '../fields.ts';

/** A person's pause of an agent. */
export const agentPause = name(
  'AgentPause',
  strict({
    since_utc: stamp,
    until_utc: about('Null: until a person resumes it.', stamp.nullable()),
  }),
);

/** Body of `PUT /v1/pause`. */
export const pauseBody = name(
  'PauseBody',
  strict({
    schema_version: schemaVersion(1),
    until_utc: about('When it ends by itself. Null or absent: when a person resumes it.', instant.nullish()),
  }),
);

export type PauseInput = z.input<typeof pauseBody>;

/** Response of the routes of the pause. */
export const pauseStatus = name(
  'PauseStatus',
  strict({
    schema_version: z.literal(1),
    paused: about('Null: the agent is not paused.', agentPause.nullable()),
  }),
);

export type PauseStatus = z.infer<typeof pauseStatus>;
