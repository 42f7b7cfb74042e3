import { AsyncLocalStorage } from 'node:async_hooks';

/** One of several that live in one process and must not affect each other. */
export interface Tenant {
  /** Receives what its listeners and timers throw. */
  onError: (error: unknown) => void;
  /** Its own values of what a process otherwise has once. */
  readonly own: Map<symbol, unknown>;
}

/** Made with the first tenant: most processes have none, and it adds 3 ms to a start. */
let tenants: AsyncLocalStorage<Tenant> | undefined;

/** Runs `work` as this tenant. Timers and connections that it starts belong to the tenant too. */
export function runAsTenant<T>(tenant: Tenant, work: () => T): T {
  tenants ??= new AsyncLocalStorage();
  return tenants.run(tenant, work);
}

/** Runs `work` outside every tenant, for what several tenants share. */
export function runOutsideTenants<T>(work: () => T): T {
  return tenants ? tenants.exit(work) : work();
}

/** The tenant whose code runs now; undefined in a process without tenants, and for what is shared. */
export function currentTenant(): Tenant | undefined {
  return tenants?.getStore();
}
