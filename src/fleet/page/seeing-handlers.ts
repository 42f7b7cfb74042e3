import { type DayHandlerParts, dayHandlers } from './day/day-handlers.ts';
import { type LaneHandlerParts, laneHandlers } from './lanes/lane-handlers.ts';

/** What people see of all agents over time. */
export const seeingHandlers = (on: LaneHandlerParts & DayHandlerParts) => ({
  ...laneHandlers(on),
  ...dayHandlers(on),
});
