import * as fs from 'node:fs';
import * as path from 'node:path';
import { scene } from './stage.ts';

const SCREENS = path.join(import.meta.dirname, 'screens');

scene('tools', async (stage) => {
  await stage.show('help exit-codes');
  await stage.show('help');
  await stage.both('help nonsense');
  await stage.show('skills list');
  for (const tool of ['claude', 'codex', 'gemini', 'opencode', 'kimi', 'qwen', 'copilot', 'pi']) {
    await stage.run(`skills install --tool ${tool}`);
    await stage.run(`skills list --tool ${tool} --print-json`);
  }
  await stage.run('skills install --tool claude --print-json');
  fs.appendFileSync(stage.at('.claude/skills/houmao-agent-email-comms/SKILL.md'), 'mine\n');
  await stage.show('skills list');
  await stage.both('skills install --tool claude');
  await stage.run('skills install --tool claude --force');
  await stage.both('skills install --tool nonsense');
  for (const tool of ['claude', 'codex', 'gemini', 'opencode', 'kimi', 'qwen', 'copilot']) {
    await stage.run(`mcp install --tool ${tool} --print`);
    await stage.run(`mcp install --tool ${tool}`);
    await stage.run(`mcp install --tool ${tool} --print-json`);
  }
  await stage.both('mcp install --tool nonsense');
  await stage.both('mcp install --tool claude --agent-name nobody');
});

scene(
  'completion',
  async (stage) => {
    for (const shell of ['bash', 'zsh', 'fish']) stage.outside(['completion', shell]);
    for (const words of [
      'mailb',
      'agents ',
      'agents gateway req',
      'mailbox register --mo',
      'mcp install --tool ',
    ])
      stage.outside(['complete', '--', ...words.split(' ')]);
    stage.outside(['--version']);
    stage.outside(['help', 'exit-codes']);
    stage.outside(['agnets']);
  },
  { exact: true },
);

scene('classify', async (stage) => {
  for (const name of fs.readdirSync(SCREENS).sort()) {
    fs.copyFileSync(path.join(SCREENS, name), path.join(stage.workdir, name));
    await stage.show(['tui', 'classify', '--tool', name.split('-')[0]!, name]);
  }
  await stage.both('tui classify missing.txt --tool claude');
});
