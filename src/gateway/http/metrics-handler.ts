import { METRICS_TYPE, type Metric, type MetricSeries, metricText } from '../../base/index.ts';
import type { Handlers } from '../../http/index.ts';
import type { GatewayRoutes } from '../../wire/index.ts';
import type { ControlDependencies } from '../control/index.ts';
import type { StatusHandlerDependencies } from './status-handlers.ts';
import { WakeMetrics } from './wake-metrics.ts';

type Dependencies = Pick<ControlDependencies, 'queue' | 'presence'> &
  Pick<StatusHandlerDependencies, 'loops' | 'instanceId' | 'fileTroubles'>;

/**
 * Metrics for Prometheus. Events are counted since this gateway started; gauges are read for each request. There are only as
 * many series as there are stages, outcomes and loops.
 */
export function metricsHandler(deps: Dependencies): Handlers<Pick<GatewayRoutes, 'metrics'>>['metrics'] {
  const stages = new Map<string, number>();
  const outcomes = new Map<string, number>();
  const count = (map: Map<string, number>, key: string): void => void map.set(key, (map.get(key) ?? 0) + 1);
  const wakes = new WakeMetrics();
  deps.queue.entries.on((entry) => {
    const { stage, facts } = entry;
    count(stages, stage);
    wakes.note(entry, deps.queue);
    if (stage === 'finished') count(outcomes, String(facts['outcome'] ?? 'unknown'));
  });
  return ({ context }) => {
    const counters: Metric[] = [
      {
        name: 'rouse_gateway_request_stages_total',
        type: 'counter',
        help: 'Ledger entries of requests since the gateway started, by stage.',
        series: byKey('stage', stages),
      },
      {
        name: 'rouse_gateway_requests_finished_total',
        type: 'counter',
        help: 'Requests that ended since the gateway started, by outcome.',
        series: byKey('outcome', outcomes),
      },
    ];
    return context.body(`${metricText([...counters, ...gauges(deps)])}${wakes.text()}`, 200, {
      'content-type': METRICS_TYPE,
    });
  };
}

function gauges({ presence, queue, loops, instanceId, fileTroubles }: Dependencies): Metric[] {
  const status = presence.status();
  const gauge = (name: string, help: string, series: number | MetricSeries[]): Metric => ({
    name,
    type: 'gauge',
    help,
    series: typeof series === 'number' ? [[{}, series]] : series,
  });
  const { fleet } = status;
  const info = { instance: instanceId, mode: status.execution_mode, backend: status.backend };
  const open = status.request_admission === 'open';
  const connected = status.managed_agent_connectivity === 'connected';
  return [
    gauge('rouse_gateway_info', 'The gateway, its mode and the backend of its agent.', [[info, 1]]),
    gauge('rouse_gateway_queue_depth', 'Requests that wait for the agent.', queue.depth()),
    gauge('rouse_gateway_admission_open', '1 while requests are accepted.', Number(open)),
    gauge('rouse_gateway_agent_connected', '1 while the agent can be reached.', Number(connected)),
    gauge(
      'rouse_gateway_executing',
      '1 while a request runs.',
      Number(status.active_execution === 'running'),
    ),
    gauge(
      'rouse_gateway_agent_epoch',
      'How often the tool was started in this session.',
      status.managed_agent_instance_epoch,
    ),
    gauge(
      'rouse_gateway_file_troubles',
      'Files of the gateway that cannot be written.',
      fileTroubles().length,
    ),
    gauge(
      'rouse_gateway_loop_failing',
      '1 while a background loop keeps failing.',
      loops.map(({ name, trouble }) => [{ loop: name }, Number(trouble !== undefined)]),
    ),
    ...(fleet
      ? [
          gauge(
            'rouse_gateway_fleet_connected',
            '1 while the fleet server takes heartbeats.',
            Number(fleet.state === 'connected'),
          ),
        ]
      : []),
    gauge('process_resident_memory_bytes', 'Resident memory of the process.', process.memoryUsage.rss()),
  ];
}

const byKey = (label: string, counts: ReadonlyMap<string, number>): MetricSeries[] =>
  [...counts].sort(([a], [b]) => (a < b ? -1 : 1)).map(([key, value]) => [{ [label]: key }, value]);
