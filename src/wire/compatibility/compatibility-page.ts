import type * as z from 'zod';
import { CARRIED_ROUTES } from '../agents/managed-agent-routes.ts';
import { besideOf } from '../files/beside.ts';
import { currentInstanceFile } from '../files/current-instance.ts';
import { desiredConfigFile } from '../files/desired-config.ts';
import { sessionManifest } from '../files/manifest.ts';
import { registryRecord } from '../files/registry-record.ts';
import { FLEET_ROUTES } from '../fleet-routes.ts';
import type { Route, Routes } from '../route.ts';
import { GATEWAY_ROUTES } from '../routes.ts';
import { type MarkedField, markedFields } from '../source/marked-fields.ts';
import { errorBody } from '../v1/error-body.ts';
import { DIFFERENCES, NOT_SERVED } from './differences.ts';

/** The files that the source's programs read. */
const FILES: Readonly<Record<string, z.ZodType>> = {
  'manifest.json': sessionManifest,
  'gateway/desired-config.json': desiredConfigFile,
  'gateway/run/current-instance.json': currentInstanceFile,
  'live_agents/<agent-id>/record.json': registryRecord,
};

/** docs/compatibility.md. */
export function compatibilityPage(): string {
  const own = Object.fromEntries(
    Object.entries<Route>(FLEET_ROUTES).filter(([id]) => !(id in CARRIED_ROUTES)),
  );
  return [
    '# Compatibility with Houmao',
    '',
    'Generated from the marks in `src/wire/` by `scripts/generate.mjs`.',
    '',
    'Rouse uses the protocol of Houmao 0.7.1 and adds to it. Programs of Houmao refuse unknown fields. With `ROUSE_WIRE=houmao` a',
    'gateway and the fleet server leave out what is listed here, on every route and in every stream, except for callers that send',
    '`X-Rouse: 1`: the command line, the page, and our servers among each other. Errors then have only `detail`. Files that programs of',
    'Houmao read have only its fields in either mode; our own fields are in a file beside each. `test/houmao/` compares recorded',
    'responses and files with the fields of the source.',
    '',
    ...fieldsOf('Our fields: the gateway', GATEWAY_ROUTES),
    ...fieldsOf('Our fields: the fleet server', own),
    `- Below \`/houmao/agents/{agent_ref}/gateway\` and \`/houmao/agents/{agent_ref}/mail\`: as the gateway's.`,
    '',
    '## Our fields: files',
    '',
    ...Object.entries(FILES).map(
      ([file, schema]) => `- \`${file}\`, in \`${besideOf(file)}\`: ${words(markedFields(schema))}`,
    ),
    '- `manifest.json`, in `manifest.rouse.json`: `home_given`: false when the tool has no home of its own.',
    '- `gateway/state.json`: none; our fields of a status are only in responses.',
    '',
    ...routesOf('Our routes: the gateway', GATEWAY_ROUTES),
    ...routesOf('Our routes: the fleet server', own),
    '## What differs on purpose',
    '',
    ...DIFFERENCES.map((each) => `- ${each}`),
    ...Object.entries(NOT_SERVED).map(
      ([path, why]) => `- \`${path}\`: ${why[0]!.toLowerCase()}${why.slice(1)}`,
    ),
    '',
  ].join('\n');
}

function fieldsOf(title: string, routes: Routes): string[] {
  const served = Object.values<Route>(routes).filter(({ ours }) => !ours);
  const lines = served.flatMap(({ method, path, response }) => {
    const marks = markedFields(response);
    return marks.length > 0 ? [`- \`${method} ${path}\`: ${words(marks)}`] : [];
  });
  return [
    `## ${title}`,
    '',
    `- Every error: ${words(markedFields(errorBody))}`,
    ...lines,
    ...(title.endsWith('server') ? [] : ['']),
  ];
}

function routesOf(title: string, routes: Routes): string[] {
  const own = Object.values<Route>(routes).filter(({ ours, documented }) => ours && documented !== false);
  return [`## ${title}`, '', ...own.map(({ method, path }) => `- \`${method} ${path}\``), ''];
}

function words(marks: readonly MarkedField[]): string {
  return marks
    .map(({ field, values }) => {
      if (!values) return `\`${field}\``;
      const replaced = Object.entries(values).map(([ours, theirs]) => `\`${ours}\` is \`${theirs}\` there`);
      return `\`${field}\` (${replaced.join(', ')})`;
    })
    .join(', ');
}
