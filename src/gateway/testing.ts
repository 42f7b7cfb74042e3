import * as fs from 'node:fs';
import * as os from 'node:os';
import * as path from 'node:path';
import { MemoryMail } from '../../test/support/memory-mail/memory-mail.ts';
import { type Ending, systemClock } from '../base/index.ts';
import { resolveTimings } from '../domain/index.ts';
import { filesBelow } from '../mail/index.ts';
import { FakeSurface } from '../terminal/index.ts';
import { type RunningGateway, startGateway } from './gateway.ts';
import type { GatewayConfig } from './gateway-config.ts';

const TEST_BINDING = {
  transport: 'flatfile',
  principal_id: 'HOUMAO-agent',
  address: 'agent@test',
  mailbox_path: '/nowhere',
  bindings_version: '1',
} as const;

export interface TestGateway {
  root: string;
  mail: MemoryMail;
  surface: FakeSurface;
  gateway: RunningGateway;
  call(
    method: string,
    route: string,
    body?: unknown,
    headers?: Record<string, string>,
    // biome-ignore lint/suspicious/noExplicitAny: tests look into bodies of every shape
  ): Promise<{ status: number; body: any }>;
  /** Stops and starts again on the same files, with a new surface. */
  restart(prepare?: (surface: FakeSurface) => void, stopping?: { handOver?: boolean }): Promise<TestGateway>;
}

/** A real gateway (HTTP, SQLite, files) with a surface in memory. */
export async function testGateway(
  ending: Ending,
  options: {
    root?: string;
    mail?: MemoryMail;
    prepare?: (surface: FakeSurface) => void;
    config?: Partial<GatewayConfig>;
  } = {},
): Promise<TestGateway> {
  const root = options.root ?? fs.mkdtempSync(path.join(os.tmpdir(), 'rouse-gateway-'));
  if (!options.root) ending.add(() => fs.rmSync(root, { recursive: true, force: true }));
  const surface = new FakeSurface();
  const mail = options.mail ?? new MemoryMail().register('agent@test').register('peer@test');
  mail.transport = TEST_BINDING.transport;
  options.prepare?.(surface);
  const gateway = await startGateway({ ...configFor(root, surface, mail), ...options.config });
  ending.add(() => gateway.stop('test ended'));
  return {
    root,
    mail,
    surface,
    gateway,
    async call(method, route, body, headers = {}) {
      const response = await fetch(`http://127.0.0.1:${gateway.port}${route}`, {
        method,
        headers: {
          'x-rouse': '1',
          ...(body !== undefined && { 'content-type': 'application/json' }),
          ...headers,
        },
        ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
      });
      return { status: response.status, body: await response.json() };
    },
    async restart(prepare, stopping) {
      await gateway.stop('restart', stopping);
      return testGateway(ending, { ...options, root, mail, ...(prepare && { prepare }) });
    },
  };
}

function configFor(sessionRoot: string, surface: FakeSurface, mail: MemoryMail): GatewayConfig {
  return {
    gatewayRoot: path.join(sessionRoot, 'gateway'),
    session: {
      attachIdentity: 'test-session',
      backend: 'local_interactive',
      tool: 'scripted',
      tmuxSessionName: 'HOUMAO-test-1',
      manifest: {} as never,
      sessionRoot,
    },
    host: '127.0.0.1',
    port: 0,
    executionMode: 'detached_process',
    window: null,
    timings: resolveTimings({}).timings,
    token: undefined,
    clock: systemClock,
    openSurface: ({ hold }) => Object.assign(surface, { heldBy: hold }),
    openMailbox: async () => ({ mailbox: mail.mailbox('agent@test'), close: async () => {} }),
    mailboxBinding: () => TEST_BINDING,
    wakeTemplate: () => ({ text: 'wake {{mode}} {{gateway.base_url}}\n{{endpoints}}', problem: null }),
    recipientAddress: async (to) => to,
    mailCommand: (words) => `rouse agents mail ${words}`,
    agentTools: () => ({ mail: undefined, elsewhere: false, missing: false }),
    sharedFiles: () => filesBelow(path.join(sessionRoot, 'project'), []),
    skills: () => ({ process: false, comms: false }),
  };
}
