import { AsyncLocalStorage } from 'node:async_hooks';

/** One of several that live in one process and must not be felt by each other. */
export interface Tenant {
  /** What its listeners and timers throw. */
  hear: (error: unknown) => void;
  /** What it has of its own where the process has one of a kind. */
  readonly own: Map<symbol, unknown>;
}

/** Made with the first tenant: most processes have none, and it takes 3 ms of a start. */
let tenants: AsyncLocalStorage<Tenant> | undefined;

/** Runs something for a tenant; whatever it starts, timers and connections too, is that tenant's. */
export function runFor<T>(tenant: Tenant, work: () => T): T {
  tenants ??= new AsyncLocalStorage();
  return tenants.run(tenant, work);
}

/** Runs something for nobody: what several tenants share belongs to none of them. */
export function runForNobody<T>(work: () => T): T {
  return tenants ? tenants.exit(work) : work();
}

/** Whose code runs now; undefined in a process with one purpose, and for what is shared. */
export function currentTenant(): Tenant | undefined {
  return tenants?.getStore();
}
