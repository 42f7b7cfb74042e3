import type { RouseError } from '../../base/index.ts';
import type { FleetReport } from '../../session/index.ts';
import { exitCodeOf } from '../../wire/codes.ts';
import type { Input } from '../command.ts';
import { errorText } from '../print/error-text.ts';

/** What can fail although the session runs. */
export interface Missing {
  attachError?: RouseError | undefined;
  wakeError?: RouseError | undefined;
  mcpError?: RouseError | undefined;
  fleetError?: RouseError | undefined;
}

/** Reports what failed although the agent runs, and returns the exit code of the most important failure. */
export function reportMissing(
  input: Input,
  { attachError, wakeError, mcpError, fleetError }: Missing,
): { exitCode?: number } {
  const say = (what: string, error: RouseError): void => {
    if (input.style === 'json') return;
    input.err(errorText(`the agent runs, but ${what}: ${error.message}`, error.hint));
  };
  if (fleetError) say('the fleet server does not know it', fleetError);
  if (attachError) say('its gateway was not attached', attachError);
  if (wakeError) say('it is not woken for mail', wakeError);
  if (mcpError) say('its MCP server was not installed', mcpError);
  const error = attachError ?? wakeError ?? mcpError ?? fleetError;
  return error ? { exitCode: exitCodeOf(error) } : {};
}

export function errorData(error: RouseError | undefined): Record<string, unknown> | null {
  return error
    ? { code: error.code, message: error.message, hint: error.hint ?? null, ...error.facts }
    : null;
}

export function fleetData({
  fleet,
  fleetError,
}: {
  fleet?: FleetReport | undefined;
  fleetError?: RouseError | undefined;
}): Record<string, unknown> {
  return {
    fleet: fleet ? { url: fleet.url, workspace_id: fleet.workspaceId } : null,
    fleet_error: errorData(fleetError),
  };
}

export function fleetLine(fleet: FleetReport | undefined): { fleet?: string } {
  return fleet ? { fleet: `${fleet.url}, workspace ${fleet.workspaceId}` } : {};
}
