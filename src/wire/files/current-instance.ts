import * as z from 'zod';
import { EXECUTION_MODES, LISTENER_HOSTS, MODES_ELSEWHERE, tmuxHandleProblems } from '../../domain/index.ts';
import { count, integer, oneOf, port, rules, stamp, strict } from '../fields.ts';
import { allOurs, ourValues } from '../source/ours.ts';
import { tuiTimings } from './desired-config.ts';

/** run/current-instance.json: written by the running gateway. Detach acts on this handle and on nothing else. */
export const currentInstanceFile = rules(
  strict({
    schema_version: z.literal(1),
    protocol_version: z.literal('v1'),
    pid: integer.positive(),
    host: z.enum(LISTENER_HOSTS),
    port,
    execution_mode: ourValues(MODES_ELSEWHERE, oneOf(EXECUTION_MODES)),
    tmux_window_id: z.string().nullish(),
    tmux_window_index: z.string().nullish(),
    tmux_pane_id: z.string().nullish(),
    managed_agent_instance_epoch: integer.positive(),
    managed_agent_instance_id: z.string().nullish(),
    ...allOurs({
      /** Whether it runs in a host. */
      hosted: z.literal(true).optional(),
      /** The timings it was started with. */
      tui_tracking_timings: tuiTimings.nullish(),
      /** The id that `/health` returns. */
      instance_id: z.string().nullish(),
      /** Together with the pid they identify the process, even when the pid is used again. */
      pid_start_ticks: count.nullish(),
      boot_id: z.string().nullish(),
      started_at_utc: stamp.nullish(),
    }),
  }),
  (value) =>
    tmuxHandleProblems(
      { windowId: value.tmux_window_id, windowIndex: value.tmux_window_index, paneId: value.tmux_pane_id },
      {
        mode: value.execution_mode,
        required: ['windowId', 'windowIndex', 'paneId'],
        names: { windowId: 'tmux_window_id', windowIndex: 'tmux_window_index', paneId: 'tmux_pane_id' },
      },
    ),
);

export type CurrentInstanceFile = z.infer<typeof currentInstanceFile>;
