import { type DayHandlerParts, dayHandlers } from './day/day-handlers.ts';
import { type HealthHandlerParts, healthHandlers } from './health/health-handlers.ts';
import { type WaitHandlerParts, waitHandlers } from './health/wait-handlers.ts';
import { type LaneHandlerParts, laneHandlers } from './lanes/lane-handlers.ts';

/** What people see of all agents over time. */
export const seeingHandlers = (
  on: LaneHandlerParts & DayHandlerParts & HealthHandlerParts & WaitHandlerParts,
) => ({
  ...laneHandlers(on),
  ...dayHandlers(on),
  ...healthHandlers(on),
  ...waitHandlers(on),
});
