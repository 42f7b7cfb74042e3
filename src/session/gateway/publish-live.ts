import { crashPoint, notReady } from '../../base/index.ts';
import { readDesiredConfig, type StatusDocument, writeDerivedFiles } from '../records/gateway-documents.ts';
import type { RecordedGateway } from '../records/live-gateway.ts';
import type { ManifestFacts } from '../records/manifest-facts.ts';
import { type SessionPaths, sessionPaths } from '../records/session-paths.ts';
import { writeDesired } from '../records/write-desired.ts';
import type { SessionContext } from '../session-context.ts';
import { holderOf, tmuxOf } from '../session-tmux.ts';
import { liveBindings } from '../target/live-bindings.ts';
import { publishRegistryRecord, registryGateway } from '../target/publish-capability.ts';
import { type AttachPlan, desiredAfter } from './attach-plan.ts';
import { type GatewayReport, localStatus } from './gateway-status.ts';

/** Only now may others find it. The port is remembered with its origin: handed out is not asked for. */
export async function publishLive(
  context: SessionContext,
  facts: ManifestFacts,
  gateway: RecordedGateway,
  plan: AttachPlan,
): Promise<GatewayReport> {
  const paths = sessionPaths(facts.root);
  rememberPlan(paths, plan, gateway);
  crashPoint('session.attach.before_publish');
  writeDerivedFiles(paths, facts, gateway);
  const tmux = tmuxOf(context, facts);
  await tmux.setEnvironment(holderOf(facts), liveBindings(paths, gateway));
  await publishRegistryRecord(context, facts, registryGateway(facts, gateway));
  crashPoint('session.attach.published');
  const report = await localStatus(context, facts);
  requireHealthy(report.status);
  return report;
}

/** What the next attach starts from. */
export function rememberPlan(paths: SessionPaths, plan: AttachPlan, gateway: RecordedGateway): void {
  writeDesired(paths, desiredAfter(readDesiredConfig(paths), plan, gateway));
}

function requireHealthy(status: StatusDocument): void {
  if (status.gateway_health === 'healthy') return;
  throw notReady('the gateway was attached and went away again at once', {
    hint: 'see its gateway.log',
    facts: { cause: 'lost_after_attach' },
  });
}
