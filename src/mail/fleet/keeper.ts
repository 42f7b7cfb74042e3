import * as path from 'node:path';
import { conflict, isRouseError, unsupported } from '../../base/index.ts';
import type { FleetMailServer, MailKeeper, MailSurroundings } from '../transport.ts';
import { askBind } from './ask-bind.ts';
import { FLEET, type FleetBinding, mailDirectory } from './binding.ts';
import { FleetMailbox } from './fleet-mailbox.ts';

export const fleetKeeper: MailKeeper<FleetBinding> = {
  async open(binding, on) {
    const { address, principal_id, fleet_directory } = binding;
    const server = connect(on, fleet_directory);
    const directory = mailDirectory(binding);
    const mailbox = new FleetMailbox({ address, principal_id, server, clock: on.clock, directory });
    return { mailbox, close: () => mailbox.close() };
  },

  async openAt() {
    throw unsupported('a mailbox on a fleet server is reached by its agent, not by a path', {
      hint: 'use the commands of "rouse agents mail", such as "rouse agents mail list --agent-name NAME"',
    });
  },

  async bind({ manifestPath, address, principal_id, agentName, role, mode, bindings_version }, on) {
    if (mode !== 'safe') {
      throw unsupported(
        `--mode ${mode} is not for a mailbox on a fleet server: an address stays with its agent`,
        {
          hint: 'leave --mode out; "rouse fleet remove NAME" frees the address of an agent that is gone',
        },
      );
    }
    const fleet_directory = path.join(path.dirname(manifestPath), 'fleet');
    const server = connect(on, fleet_directory);
    const bound = await askBind(server, { address, principal_id, display_name: agentName, role });
    return {
      reused: bound.reused,
      binding: {
        transport: FLEET,
        principal_id: bound.principal_id,
        address: bound.address,
        fleet_url: server.url,
        fleet_directory,
        bindings_version,
      },
    };
  },

  async unbind({ fleet_directory }, mode, on) {
    const answer = await connect(on, fleet_directory).ask<{ address: string | null }>('unbind', {
      body: { mode },
    });
    return { removed: answer.address !== null };
  },

  /** A server that cannot be reached may still have it. Only the server can say otherwise. */
  async isActive({ fleet_directory, address }, on) {
    const status = await connect(on, fleet_directory)
      .ask<{ address: string }>('status', {})
      .catch((error: unknown) => {
        if (isRouseError(error) && error.code === 'unavailable') return { address };
        throw error;
      });
    return status.address === address;
  },

  describe: ({ fleet_url, fleet_directory }) => ({
    url: fleet_url,
    outbox_path: path.join(mailDirectory({ fleet_directory }), 'outbox'),
  }),
};

function connect({ connectFleet }: MailSurroundings, directory: string): FleetMailServer {
  if (connectFleet) return connectFleet(directory);
  throw conflict('this program cannot reach a fleet server');
}
