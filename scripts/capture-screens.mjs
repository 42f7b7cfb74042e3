// Captures screens of the real command lines that are installed here, each labelled with how a pasted prompt ended.
import { loadSource } from './load-source.mjs';

const { captureScreens } = await loadSource('test/agents/screens/capture-screens.ts');
process.exitCode = await captureScreens(process.argv.slice(2));
