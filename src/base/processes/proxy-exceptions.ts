const LOOPBACK = ['127.0.0.1', 'localhost', '::1'];

/** Variables that let a program reach this machine itself although it uses a proxy; empty without a proxy. */
export function proxyExceptions(env: Readonly<Record<string, string | undefined>>): Record<string, string> {
  if (!Object.keys(env).some((name) => /^(https?|all)_proxy$/i.test(name))) return {};
  const listed = (env['NO_PROXY'] ?? env['no_proxy'] ?? '').split(',').map((host) => host.trim());
  const hosts = [...new Set([...listed.filter((host) => host !== ''), ...LOOPBACK])].join(',');
  return { NO_PROXY: hosts, no_proxy: hosts };
}
