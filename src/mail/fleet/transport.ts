import type { MailTransport } from '../transport.ts';
import { FLEET, type FleetBinding, fleetBinding } from './binding.ts';

/** A mailbox on a fleet server, for an agent on any host. */
export const fleet: MailTransport<FleetBinding> = {
  name: FLEET,
  binding: fleetBinding,
  placeField: 'fleet_url',
  isRemote: true,
  mayWait: () => true,
  keeper: async () => (await import('./keeper.ts')).fleetKeeper,
};
