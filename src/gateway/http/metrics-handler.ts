import type { Handlers } from '../../http/index.ts';
import type { GatewayRoutes } from '../../wire/index.ts';
import type { ControlDependencies } from '../control/index.ts';
import type { StatusHandlerDependencies } from './status-handlers.ts';

type Dependencies = Pick<ControlDependencies, 'queue' | 'presence'> &
  Pick<StatusHandlerDependencies, 'loops' | 'instanceId' | 'fileTroubles'>;
type Series = [labels: Record<string, string>, value: number][];

/**
 * Counts for Prometheus. What happened is counted as it happens, since this gateway started; what is the case is asked for.
 * As many series as there are stages, outcomes and loops, never more.
 */
export function metricsHandler(on: Dependencies): Handlers<Pick<GatewayRoutes, 'metrics'>>['metrics'] {
  const stages = new Map<string, number>();
  const outcomes = new Map<string, number>();
  const count = (map: Map<string, number>, key: string): void => void map.set(key, (map.get(key) ?? 0) + 1);
  on.queue.entries.on(({ stage, facts }) => {
    count(stages, stage);
    if (stage === 'finished') count(outcomes, String(facts['outcome'] ?? 'unknown'));
  });
  return ({ context }) => {
    const text = [
      ...family('rouse_gateway_request_stages_total', 'counter', byKey('stage', stages)),
      ...family('rouse_gateway_requests_finished_total', 'counter', byKey('outcome', outcomes)),
      ...gauges(on),
    ];
    return context.body(`${text.join('\n')}\n`, 200, {
      'content-type': 'text/plain; version=0.0.4; charset=utf-8',
    });
  };
}

function gauges({ presence, queue, loops, instanceId, fileTroubles }: Dependencies): string[] {
  const status = presence.status();
  const one = (name: string, value: number, labels = {}): string[] =>
    family(name, 'gauge', [[labels, value]]);
  const { fleet } = status;
  return [
    ...one('rouse_gateway_info', 1, {
      instance: instanceId,
      mode: status.execution_mode,
      backend: status.backend,
    }),
    ...one('rouse_gateway_queue_depth', queue.depth()),
    ...one('rouse_gateway_admission_open', Number(status.request_admission === 'open')),
    ...one('rouse_gateway_agent_connected', Number(status.managed_agent_connectivity === 'connected')),
    ...one('rouse_gateway_executing', Number(status.active_execution === 'running')),
    ...one('rouse_gateway_agent_epoch', status.managed_agent_instance_epoch),
    ...one('rouse_gateway_file_troubles', fileTroubles().length),
    ...family(
      'rouse_gateway_loop_failing',
      'gauge',
      loops.map(({ name, trouble }) => [{ loop: name }, Number(trouble !== undefined)]),
    ),
    ...(fleet ? one('rouse_gateway_fleet_connected', Number(fleet.state === 'connected')) : []),
    ...one('process_resident_memory_bytes', process.memoryUsage.rss()),
  ];
}

const byKey = (label: string, counts: ReadonlyMap<string, number>): Series =>
  [...counts].sort(([a], [b]) => (a < b ? -1 : 1)).map(([key, value]) => [{ [label]: key }, value]);

function family(name: string, type: 'counter' | 'gauge', series: Series): string[] {
  const labelled = (labels: Record<string, string>): string => {
    const text = Object.entries(labels).map(([key, value]) => `${key}=${JSON.stringify(value)}`);
    return text.length > 0 ? `{${text.join(',')}}` : '';
  };
  return [
    `# TYPE ${name} ${type}`,
    ...series.map(([labels, value]) => `${name}${labelled(labels)} ${value}`),
  ];
}
