import * as fs from 'node:fs';
import * as os from 'node:os';
import * as path from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { fleetOpenApiDocument, openApiDocument } from '../../src/wire/index.ts';
import { proofReport } from '../support/proof-report.ts';
import { runForeign } from './run-foreign.ts';

let directory: string;
beforeAll(() => {
  directory = fs.mkdtempSync(path.join(os.tmpdir(), 'rouse-redocly-'));
});
afterAll(() => fs.rmSync(directory, { recursive: true, force: true }));

it.each([
  ['gateway', openApiDocument()],
  ['fleet', fleetOpenApiDocument()],
])('Redocly has nothing to say against the document of the %s', async (name, document) => {
  const file = path.join(directory, `${name}.json`);
  fs.writeFileSync(file, JSON.stringify(document));
  const { code, out } = await runForeign('redocly', ['lint', '--format=json', file]);
  const { problems, totals } = JSON.parse(out.slice(out.indexOf('{'), out.lastIndexOf('}') + 1)) as {
    problems: { ruleId: string; message: string }[];
    totals: Record<string, number>;
  };
  expect(problems.map(({ ruleId, message }) => `${ruleId}: ${message}`)).toEqual([]);
  expect([code, totals]).toEqual([0, { errors: 0, warnings: 0, ignored: 0 }]);
  proofReport(`Redocly: ${problems.length} problems in the document of the ${name}`);
});
