import * as fs from 'node:fs';
import * as path from 'node:path';
import { TicketsClient } from '../../../src/client/index.ts';
import { stop } from '../../../src/session/index.ts';
import type { PageCode, PageCodeInput } from '../../../src/wire/index.ts';
import { startFleet, type TestAgent, type TestFleet, type TestFleetOptions } from '../../support/fleet.ts';
import { TestWorld, type WorldAgent } from '../../support/test-world.ts';

/** Scripted agents in real terminals, their gateways, and a real server that shows them. */
export class ShownWorld {
  readonly world: TestWorld;
  readonly fleet: TestFleet;
  readonly agents: Record<string, WorldAgent> = {};
  /** Registered from another host: only the registry knows it. */
  readonly remote: TestAgent;

  private constructor(world: TestWorld, fleet: TestFleet, remote: TestAgent) {
    this.world = world;
    this.fleet = fleet;
    this.remote = remote;
  }

  static async open(config: TestFleetOptions['config'] = {}): Promise<ShownWorld> {
    const world = new TestWorld();
    const { settings, env } = world.context;
    const fleet = await startFleet({ config: { agents: { settings, env }, ...config } });
    const tokenFile = path.join(world.directory, 'token');
    fs.writeFileSync(tokenFile, fleet.tokens.user, { mode: 0o600 });
    world.fleet = { url: fleet.url, tokenFile };
    return new ShownWorld(world, fleet, await fleet.agent('hana'));
  }

  /** An agent that is woken by mail. */
  async launch(name: string, args: string[] = []): Promise<WorldAgent> {
    const agent = await this.world.agent(name, ['--turn', '200ms', ...args]);
    await agent.client.call('notifier.enable', { body: { interval_seconds: 5 } });
    this.agents[name] = agent;
    return agent;
  }

  async stop(name: string): Promise<void> {
    await stop(this.world.context, this.agent(name).facts);
  }

  agent(name: string): WorldAgent {
    return this.agents[name]!;
  }

  get origin(): string {
    return this.fleet.url;
  }

  /** A link as made by `rouse dashboard --link`: it opens the page once. */
  async link(wanted: PageCodeInput = {}, at = '/ui/'): Promise<string> {
    const response = await fetch(`${this.origin}/ui/api/codes`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(wanted),
    });
    if (!response.ok) throw new Error(`no code: ${response.status} ${await response.text()}`);
    return `${at}#code=${((await response.json()) as PageCode).code}`;
  }

  /** A request from an agent to people. */
  async asks(title: string, kind: 'approval' | 'task' = 'approval', detail?: string): Promise<string> {
    const tickets = new TicketsClient(this.remote.client, this.remote.workspaceId);
    const { request_id } = await tickets.create({
      kind,
      recipient_type: 'user',
      title,
      detail: detail ?? null,
    });
    return request_id;
  }

  async statusOf(requestId: string): Promise<string> {
    const { request } = await new TicketsClient(this.remote.client, this.remote.workspaceId).get(requestId);
    return request.status;
  }

  /** Mail from one agent to another address. */
  async mail(from: string, to: string, subject: string, body: string): Promise<void> {
    await this.agent(from).client.call('mail.send', { body: { to: [to], subject, body_content: body } });
  }

  async addressOf(name: string): Promise<string> {
    return (await this.agent(name).client.call('mail.status', {})).address;
  }

  async close(): Promise<void> {
    await this.world.close();
    await this.fleet.stop();
  }
}
