// npm's `prepare`: an installation from this folder (`npm install --global .`, `npm link`, `npm pack`, a git address) needs
// dist/, and npm installs no dependencies in a folder that it only links. `npm ci` and `npm install` in a clone do not
// build, so they are not slower.
import { ensureBuild, ensureDependencies, rememberDependencies, root } from './setup.mjs';

const { npm_command: command, npm_config_global, npm_config_local_prefix: project } = process.env;
const isOwnInstall = ['ci', 'install'].includes(command) && npm_config_global !== 'true' && project === root;

if (!process.env.ROUSE_PREPARING) {
  if (!isOwnInstall) {
    ensureDependencies();
    ensureBuild('--release');
  } else if (command === 'ci') rememberDependencies();
}
